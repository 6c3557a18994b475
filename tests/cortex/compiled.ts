import type { Output } from '@mem-service/contract';
import type { Caller } from '../../packages/server/src/kernel/index.ts';
import { type Backend, openTestApp, type TestApp, type TestOptions } from '../support/app.ts';

export type Digest = Output<'digests.list'>['digests'][number];

/** With the worker, which tests do without otherwise. */
export const openCompiling = (backend: Backend, options: TestOptions = {}): Promise<TestApp> =>
  openTestApp(backend, { ...options, settings: { cortex: 'on', ...options.settings } });

/** Lets the worker catch up with the log. */
export async function compiled(app: TestApp): Promise<void> {
  app.clock.advance(2_500);
  await app.jobs.sweep();
}

export async function digestsOf(app: TestApp, as?: Partial<Caller>): Promise<Digest[]> {
  return (await app.call('digests.list', { limit: 100 }, as)).digests;
}

/** Page by page. */
export async function allDigests(app: TestApp): Promise<Digest[]> {
  const digests: Digest[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await app.call('digests.list', { limit: 100, cursor });
    digests.push(...page.digests);
    if (!page.has_more) return digests;
    cursor = page.next_cursor ?? undefined;
  }
}

export const namesOf = (digests: readonly Digest[]): string[] =>
  digests.map(({ digest_type, scope }) => `${digest_type} ${scope}`);

export async function briefsIn(app: TestApp, as?: Partial<Caller>) {
  const { events } = await app.call('log.list', { limit: 1000 }, as);
  return events.filter(({ event_type }) => event_type === 'brief_compiled');
}
