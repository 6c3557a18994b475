import { Fault } from '@mem-service/contract';
import { StorageError } from '../db/index.ts';

/** Turns a failure of the store into a Fault that a caller can act on. Bugs are passed on unchanged. */
export function fromStorage(error: unknown): unknown {
  if (!(error instanceof StorageError) && !isUnreadable(error)) return error;
  const fault = faultOf(error instanceof StorageError ? error.reason : 'damaged');
  // For the log; callers only see the fault.
  fault.cause = error;
  return fault;
}

/** Input is parsed before an operation runs; what cannot be parsed afterwards was JSON when it was stored. */
const isUnreadable = (error: unknown): boolean => error instanceof SyntaxError && error.message.includes('JSON');

function faultOf(reason: StorageError['reason']): Fault {
  if (reason === 'full') return new Fault('storage_full', 'nothing was written: the storage is full');
  if (reason === 'read_only') return new Fault('read_only', 'this server only reads');
  if (reason === 'migrated')
    return new Fault(
      'unavailable',
      'nothing was written: another version of mem has migrated the store, so this process must be started again',
      { retry_after: 5 },
    );
  if (reason === 'damaged')
    return new Fault(
      'storage_damaged',
      'a part of the stored data is damaged: the operator finds it with mem verify and mem doctor, and restores a backup',
      { retry_after: 60 },
    );
  return new Fault('unavailable', 'the database cannot be reached; try again', { retry_after: 1 });
}
