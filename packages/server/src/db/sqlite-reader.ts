import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Query } from './database.ts';
import type { Sql } from './sql.ts';

type Answer = { id: number; rows?: unknown[]; error?: { message: string; errcode?: number } };
type Waiting = { resolve: (rows: unknown[]) => void; reject: (error: Error) => void };

/** A read-only connection on a thread of its own. The thread starts with the first query. */
export function startReaderThread(file: string): Query & { close(): Promise<void> } {
  let worker: Worker | undefined;
  let nextId = 1;
  const waiting = new Map<number, Waiting>();

  const failAll = (error: Error) => {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const start = (): Worker => {
    const started = new Worker(new URL('./sqlite-reader.thread.mjs', import.meta.url), { workerData: { file } });
    started.on('message', (answer: Answer) => {
      const request = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (answer.error) request?.reject(Object.assign(new Error(answer.error.message), answer.error));
      else request?.resolve(answer.rows ?? []);
      if (waiting.size === 0) started.unref();
    });
    started.on('error', failAll);
    started.on('exit', () => failAll(new Error('the reader thread ended')));
    return started;
  };

  const all = <T>({ text, values }: Sql): Promise<T[]> =>
    new Promise((resolve, reject) => {
      worker ??= start();
      worker.ref();
      const id = nextId++;
      waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
      worker.postMessage({ id, text, values });
    });

  return {
    all,
    get: async <T>(statement: Sql) => (await all<T>(statement))[0],
    async close() {
      if (!worker) return;
      const ended = once(worker, 'exit');
      worker.postMessage('close');
      await ended;
    },
  };
}
