import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { StorageError, type StorageFailure } from './database.ts';

const { errno } = constants;
export const SQLITE_BUSY = 5;
export const SQLITE_CANTOPEN = 14;
const SQLITE_IOERR = 10;
export const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
/** The shared memory beside the WAL could not grow. */
const SQLITE_IOERR_SHMSIZE = 4874;
/** Of write, truncate, sync and close; SQLite names a full disk itself, but neither a quota nor a limit on files. */
const FAILED_WRITES: ReadonlySet<number> = new Set([778, 1546, 1034, 1290, 4106]);

/** By primary code: locked, out of memory, I/O, locking protocol; then failures that do not pass. */
const FAILURES: Readonly<Record<number, StorageFailure>> = {
  [SQLITE_BUSY]: 'unavailable',
  7: 'unavailable',
  [SQLITE_IOERR]: 'unavailable',
  15: 'unavailable',
  13: 'full',
  [SQLITE_CORRUPT]: 'damaged',
  [SQLITE_NOTADB]: 'damaged',
  3: 'refused',
  8: 'refused',
  [SQLITE_CANTOPEN]: 'refused',
};

/** The texts of SQLite, for a driver that leaves out the code where a query of many rows fails. */
const CODES: Readonly<Record<string, number>> = {
  'database is locked': SQLITE_BUSY,
  'disk I/O error': SQLITE_IOERR,
  'database disk image is malformed': SQLITE_CORRUPT,
  'database or disk is full': 13,
  'file is not a database': SQLITE_NOTADB,
};

function errcode(error: unknown): number {
  const { errcode, message = '' } = (error ?? {}) as { errcode?: number; message?: string };
  return errcode ?? CODES[message] ?? 0;
}

export const primaryCode = (error: unknown) => errcode(error) & 0xff;

/**
 * Whether a file cannot be read as it was written. A write that the system refused reveals nothing about that. Errors of the
 * driver and those made from them.
 */
export function isUnusable(error: unknown): boolean {
  const code = errcode(error) || errcode((error as Error | undefined)?.cause);
  const primary = code & 0xff;
  if (primary === SQLITE_IOERR) return code !== SQLITE_IOERR_SHMSIZE && !FAILED_WRITES.has(code);
  return primary === SQLITE_CORRUPT || primary === SQLITE_NOTADB;
}

/** Separates failures of the storage from errors of the request. `file` is the store that was written to. */
export function translate(error: unknown, file?: string): unknown {
  const code = errcode(error);
  if (code === SQLITE_IOERR_SHMSIZE) return new StorageError('full', error);
  if (file !== undefined && FAILED_WRITES.has(code) && isOutOfRoom(file)) return new StorageError('full', error);
  const failure = FAILURES[primaryCode(error)];
  return failure ? new StorageError(failure, error) : error;
}

/** By number: Node has no name for EDQUOT. */
const OUT_OF_ROOM: ReadonlySet<number | undefined> = new Set(
  [errno.ENOSPC, errno.EDQUOT, errno.EFBIG].map((number) => -number),
);
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** The driver does not report why the system refused a write, so another one is tried, as far into a file as the store is. */
function isOutOfRoom(file: string): boolean {
  const probe = `${file}-probe-${process.pid}`;
  try {
    const opened = openSync(probe, 'w', 0o600);
    try {
      writeSync(opened, new Uint8Array(8192), 0, 8192, Math.max(sizeOf(file), sizeOf(`${file}-wal`)));
    } finally {
      closeSync(opened);
    }
    return false;
  } catch (error) {
    return OUT_OF_ROOM.has((error as NodeJS.ErrnoException).errno);
  } finally {
    rmSync(probe, { force: true });
  }
}
