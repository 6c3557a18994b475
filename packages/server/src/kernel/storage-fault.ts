import { Fault } from '@mem-service/contract';
import { StorageError } from '../db/index.ts';

/** Turns a failure of the store into a Fault that a caller can act on. Bugs are passed on unchanged. */
export function fromStorage(error: unknown): unknown {
  if (!(error instanceof StorageError)) return error;
  const fault =
    error.reason === 'full'
      ? new Fault('storage_full', 'nothing was written: the storage is full')
      : new Fault('unavailable', 'the database cannot be reached; try again', { retry_after: 1 });
  // For the log; callers only see the fault.
  fault.cause = error;
  return fault;
}
