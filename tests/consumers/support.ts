import { onTestFinished } from 'vitest';
import { modules as proModules } from '../../packages/pro/src/index.ts';
import { sql } from '../../packages/server/src/db/index.ts';
import {
  type Consumer,
  LOG_BEGIN,
  type LogEvent,
  listEvents,
  type Module,
  SELF_HOSTED_ACCOUNT,
  type Work,
} from '../../packages/server/src/kernel/index.ts';
import { type Backend, openTestApp, type TestApp, type TestOptions } from '../support/app.ts';

export const moduleOf = (...consumers: Consumer[]): Module => ({
  name: 'test_consumers',
  migrations: [],
  handlers: {},
  consumers,
});

export async function openWith(backend: Backend, consumers: Consumer[], options: TestOptions = {}): Promise<TestApp> {
  const app = await openTestApp(backend, { modules: [...proModules, moduleOf(...consumers)], ...options });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= app.close();
    return closing;
  };
  onTestFinished(close);
  return { ...app, close };
}

export const writeKeys = async (app: TestApp, ...keys: string[]): Promise<void> => {
  for (const key of keys) await app.call('entries.write', { entity_path: 'log', key, value: key });
};

export const note = (work: Work, details: Record<string, unknown>): void => {
  const place = { branch: 'main', entity_path: null, key: null, version: null };
  work.emit({ event_type: 'handled', agent_id: 'test', visible_to: '', ...place, details });
};

/** The log of the account, as it is. */
export const logOf = (app: TestApp, accountId = SELF_HOSTED_ACCOUNT): Promise<LogEvent[]> =>
  listEvents(app.kernel.services.database.forAccount(accountId).read, accountId, { after: LOG_BEGIN, limit: 100_000 });

/** Collects what it is given. */
export function collector(over: Partial<Consumer> = {}): { consumer: Consumer; seen: LogEvent[]; keys(): string[] } {
  const seen: LogEvent[] = [];
  const consumer: Consumer = {
    name: 'test.collect',
    starts_at: 'the beginning',
    event_types: ['write'],
    handle: async (_, events) => void seen.push(...events),
    ...over,
  };
  return { consumer, seen, keys: () => seen.map(({ key }) => key ?? '') };
}

export type Cursor = { seq: number; claimed_by: string; claimed_until: number; attempts: number; retry_at: number };

export function cursorOf(app: TestApp, consumer: string, accountId = SELF_HOSTED_ACCOUNT): Promise<Cursor | undefined> {
  return app.kernel.services.database.forAccount(accountId).read.get<Cursor>(
    sql`SELECT seq, claimed_by, claimed_until, attempts, retry_at FROM consumer_cursors
          WHERE account_id = ${accountId} AND consumer = ${consumer}`,
  );
}
