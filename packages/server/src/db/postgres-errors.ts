import pg from 'pg';
import { StorageError, type StorageFailure } from './database.ts';

/** By prefix of the SQLSTATE, the longest first. */
const FAILURES: readonly [string, StorageFailure][] = [
  ['53100', 'full'],
  // Pages of a table and of an index.
  ['XX001', 'damaged'],
  ['XX002', 'damaged'],
  // Read-only after a failover; an idle or lock timeout, a deadlock, a serialization failure.
  ['25006', 'unavailable'],
  ['25P03', 'unavailable'],
  ['40001', 'unavailable'],
  ['40P01', 'unavailable'],
  ['55P03', 'unavailable'],
  // A pooler led to a server that has not parsed a statement, or has parsed it for another client.
  ['26000', 'unavailable'],
  ['42P05', 'unavailable'],
  // Connection, resources, shutdown and cancel, I/O.
  ['08', 'unavailable'],
  ['53', 'unavailable'],
  ['57', 'unavailable'],
  ['58', 'unavailable'],
  // The role, its password, the database.
  ['28', 'refused'],
  ['3D', 'refused'],
];

/** As the C library words EDQUOT and EFBIG: their code is that of any failure of a disk. */
const OUT_OF_ROOM = /: (Disk quota exceeded|File too large)$/;

/**
 * Separates storage failures from bugs. An error that did not come from the server means a lost connection, after which
 * the result of the statement is unknown: it must not look like a plain failure, which is retried.
 */
export function translate(error: unknown): unknown {
  if (error instanceof StorageError || error instanceof TypeError || error instanceof RangeError) return error;
  if (!(error instanceof pg.DatabaseError)) return new StorageError('unavailable', error);
  const { code = '' } = error;
  if (OUT_OF_ROOM.test(error.message)) return new StorageError('full', error);
  const failure = FAILURES.find(([prefix]) => code.startsWith(prefix));
  return failure ? new StorageError(failure[1], error) : error;
}

/** The same failure, of an address that is not the one of the store. */
export function atAddress(error: unknown, where: string | undefined): unknown {
  const failure = translate(error);
  if (where === undefined || !(failure instanceof StorageError) || failure.where !== undefined) return failure;
  return new StorageError(failure.reason, failure.cause, where);
}

/** The login lacks a right. While requests are served that is a bug; at the start it is for the operator to mend. */
export const isNotAllowed = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '42501';

/** The server takes no writes: it follows another one since a failover. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof StorageError && error.cause instanceof pg.DatabaseError && error.cause.code === '25006';
