import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { Connection, Statement } from '../../packages/server/src/db/sqlite-connection.ts';

type Method = (this: unknown, ...given: never[]) => unknown;

/** Every place where a statement leaves for an engine, and how many leave with one call. */
const PLACES: readonly [prototype: object, method: string, statements: (given: readonly unknown[]) => number][] = [
  [Statement.prototype, 'run', () => 1],
  [Statement.prototype, 'get', () => 1],
  [Statement.prototype, 'all', () => 1],
  [Connection.prototype, 'exec', () => 1],
  [Worker.prototype, 'postMessage', ([message]) => (message as { statements?: unknown[] }).statements?.length ?? 0],
  [pg.Client.prototype, 'query', () => 1],
];

/** How many statements the engines of this process run until the work is done, whoever gave them. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const undo = PLACES.map(([prototype, method, statements]) => {
    const methods = prototype as Record<string, Method>;
    const original = methods[method] as Method;
    methods[method] = function (...given) {
      count += statements(given);
      return original.apply(this, given);
    };
    return () => {
      methods[method] = original;
    };
  });
  try {
    await work();
    return count;
  } finally {
    for (const one of undo) one();
  }
}
