import { StorageError, type StorageFailure } from './database.ts';

export const SQLITE_BUSY = 5;
/** The shared memory beside the WAL could not grow. */
const SQLITE_IOERR_SHMSIZE = 4874;

/** By primary code: locked, out of memory, I/O, locking protocol; then failures that do not pass. */
const FAILURES: Readonly<Record<number, StorageFailure>> = {
  [SQLITE_BUSY]: 'unavailable',
  7: 'unavailable',
  10: 'unavailable',
  15: 'unavailable',
  13: 'full',
  3: 'refused',
  8: 'refused',
  14: 'refused',
};

const errcode = (error: unknown) => (error as { errcode?: number } | undefined)?.errcode ?? 0;
export const primaryCode = (error: unknown) => errcode(error) & 0xff;

/** Separates failures of the storage from errors of the request. */
export function translate(error: unknown): unknown {
  const failure = errcode(error) === SQLITE_IOERR_SHMSIZE ? 'full' : FAILURES[primaryCode(error)];
  return failure ? new StorageError(failure, error) : error;
}
