import type { EntryKey } from '@mem-service/contract';
import type { Caller } from '../../packages/server/src/kernel/index.ts';
import type { TestApp } from '../support/app.ts';

export const AUTHOR = { agent_id: 'agent/author', session_id: 'writing' };
export const DOER = { agent_id: 'agent/doer', session_id: 'task-1' };
export const OTHER = { agent_id: 'agent/other', session_id: 'elsewhere' };

/** Everything that was noted is in the store. */
export const flush = (app: TestApp): Promise<void> => app.kernel.services.noteBuffer.flushAll();

export type { EntryKey } from '@mem-service/contract';

/** Writes some entries at a path, each about its key. */
export async function writeAll(app: TestApp, places: readonly EntryKey[], as: Partial<Caller> = AUTHOR): Promise<void> {
  for (const at of places)
    await app.call('entries.write', { ...at, value: { about: at.key }, confidence: 0.7 }, { ...AUTHOR, ...as });
}

export const keysOf = (entries: readonly { key: string }[]): string[] => entries.map(({ key }) => key);

let count = 0;
/** A session that no other test has. */
export const newSession = (agent_id = DOER.agent_id) => ({ agent_id, session_id: `session-${++count}` });

let paths = 0;
/** A path that no other test has. */
export const newPath = (): string => `place/${++paths}`;
