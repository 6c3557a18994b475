import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { SqliteConnection, SqliteStatement } from '../../packages/server/src/db/sqlite-connection.ts';
import { Committer } from '../../packages/server/src/kernel/committer.ts';

type Method = (this: unknown, ...given: never[]) => unknown;

/** Every place where a statement leaves for an engine, and how many leave with one call. */
const PLACES: readonly [prototype: object, method: string, statements: (given: readonly unknown[]) => number][] = [
  [SqliteStatement.prototype, 'run', () => 1],
  [SqliteStatement.prototype, 'get', () => 1],
  [SqliteStatement.prototype, 'all', () => 1],
  [SqliteStatement.prototype, 'first', () => 1],
  [SqliteConnection.prototype, 'exec', () => 1],
  [Worker.prototype, 'postMessage', ([message]) => (message as { statements?: unknown[] }).statements?.length ?? 0],
  [pg.Client.prototype, 'query', () => 1],
];

/** The number of statements during some work: calls to the store, and statements sent to the engine. */
export type CountedStatements = { texts: string[]; statements: number };

const work = new AsyncLocalStorage<CountedStatements>();

/** For tests that count the statements of a store. */
export const noteStatement = ({ text }: { text: string }): void => void work.getStore()?.texts.push(text);

function watchEngines(): () => void {
  const undo = PLACES.map(([prototype, method, statements]) => {
    const methods = prototype as Record<string, Method>;
    const original = methods[method] as Method;
    methods[method] = function (...given) {
      const asked = work.getStore();
      if (asked) asked.statements += statements(given);
      return original.apply(this, given);
    };
    return () => {
      methods[method] = original;
    };
  });
  return () => {
    for (const one of undo) one();
  };
}

/** A write that joins a batch is done in the loop that began with another write; its statements are still its own. */
function keepWritesInContext(): () => void {
  const { submit } = Committer.prototype;
  Committer.prototype.submit = function (job) {
    const handler = { ...job.handler, run: AsyncResource.bind(job.handler.run as () => unknown) };
    return submit.call(this, { ...job, handler } as typeof job);
  };
  return () => {
    Committer.prototype.submit = submit;
  };
}

/** Counts the statements of some work until it is done. Background work such as maintenance is not counted. */
export async function countStatements(run: () => Promise<unknown>): Promise<CountedStatements> {
  const asked: CountedStatements = { texts: [], statements: 0 };
  // The batch of the last write that was answered ends in this turn, and would take the next one along.
  await new Promise(setImmediate);
  const undo = [watchEngines(), keepWritesInContext()];
  try {
    await work.run(asked, run);
    return asked;
  } finally {
    for (const one of undo) one();
  }
}
