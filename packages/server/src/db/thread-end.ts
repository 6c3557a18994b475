import type { Worker } from 'node:worker_threads';
import { StorageError } from './database.ts';

type PendingRequests = ReadonlyMap<number, { reject: (error: unknown) => void }>;

/** Resolves at the end of a thread. `dropThread` is called before what waits for it is rejected, so that it may be asked again. */
export function endOfThread(
  worker: Worker,
  waiting: PendingRequests,
  { name, dropThread }: { name: string; dropThread: () => void },
): Promise<void> {
  let cause = new Error(`the ${name} ended`);
  worker.on('error', (error: Error) => {
    cause = error;
  });
  return new Promise((resolve) => {
    worker.on('exit', () => {
      dropThread();
      for (const { reject } of waiting.values()) reject(new StorageError('unavailable', cause));
      resolve();
    });
  });
}
