import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSyncInstance as DatabaseSync } from '@photostructure/sqlite';
import { loadDriver } from './sqlite-connection.ts';
import { primaryCode, SQLITE_BUSY, translate } from './sqlite-errors.ts';

/** The number of rows of each table. */
export type TableCounts = Readonly<Record<string, number>>;

export type StoreCopy = { bytes: number; counts: TableCounts };

/** The copy is not what it should be. It has been removed. */
export class CopyError extends Error {
  override name = 'CopyError';
  readonly code = 'BAD_COPY';
}

type CopyDriver = Pick<typeof import('@photostructure/sqlite'), 'DatabaseSync' | 'backup'>;

/** Some runtimes have a driver of their own that cannot copy. */
async function loadCopyDriver(): Promise<CopyDriver> {
  const found = (await loadDriver()) as Partial<CopyDriver>;
  return typeof found.backup === 'function' ? (found as CopyDriver) : await import('@photostructure/sqlite');
}

/** Pages of one step. Reads and writes of others go on between steps. */
const PAGES = 1000;
const MAX_PROBLEMS = 5;

/**
 * Copies a store as it is at one moment, while others read and write it, into a file that is not there yet. The copy is
 * checked: SQLite finds nothing wrong with it, and each table has the rows it had at that moment.
 */
export async function copySqlite(from: string, to: string): Promise<StoreCopy> {
  const driver = await loadCopyDriver();
  try {
    closeSync(openSync(to, 'wx', 0o600));
    const counts = await copyPages(driver, from, to);
    const copied = checkCopy(driver, to);
    const differing = Object.keys(counts).filter((table) => counts[table] !== copied[table]);
    if (differing.length > 0) throw new CopyError(`the copy has other rows than the store, in ${differing.join(', ')}`);
    syncFolder(dirname(to));
    return { bytes: statSync(to).size, counts };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      for (const end of ENDINGS) rmSync(to + end, { force: true });
    throw translate(error, to);
  }
}

/** The file, and those that SQLite keeps beside it. */
const ENDINGS = ['', '-wal', '-shm', '-journal'];

/** The first read begins the snapshot, which holds until the copy is complete. */
async function copyPages(driver: CopyDriver, from: string, to: string): Promise<TableCounts> {
  const source = new driver.DatabaseSync(from, { readOnly: true });
  try {
    source.exec('PRAGMA busy_timeout = 5000; BEGIN');
    const counts = countRows(source);
    await driver.backup(source, to, { rate: PAGES });
    source.exec('COMMIT');
    return counts;
  } finally {
    source.close();
  }
}

function checkCopy(driver: CopyDriver, file: string): TableCounts {
  const copy = new driver.DatabaseSync(file);
  try {
    // One file, without a journal beside it.
    copy.exec('PRAGMA journal_mode = DELETE');
    const problems = (copy.prepare(`PRAGMA integrity_check(${MAX_PROBLEMS})`).all() as { integrity_check: string }[])
      .map(({ integrity_check }) => integrity_check)
      .filter((text) => text !== 'ok');
    if (problems.length > 0) throw new CopyError(`the copy is damaged: ${problems.join('; ')}`);
    return countRows(copy);
  } finally {
    copy.close();
  }
}

function countRows(database: DatabaseSync): TableCounts {
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    .all() as { name: string }[];
  return Object.fromEntries(
    tables.map(({ name }) => {
      const { n } = database.prepare(`SELECT count(*) AS n FROM "${name.replaceAll('"', '""')}"`).get() as {
        n: number;
      };
      return [name, Number(n)];
    }),
  );
}

export type SqliteUse = { isUsed: true } | { isUsed: false; counts: TableCounts };

/**
 * Whether another process has the store open, and what it holds. Leaving the WAL needs a store for oneself: every
 * process that has it open holds a lock against that.
 */
export async function readSqliteUse(file: string): Promise<SqliteUse> {
  const { DatabaseSync } = await loadCopyDriver();
  const store = new DatabaseSync(file);
  try {
    store.exec('PRAGMA busy_timeout = 0');
    const mode = store.prepare('PRAGMA journal_mode = DELETE').get() as { journal_mode: string };
    return mode.journal_mode === 'delete' ? { isUsed: false, counts: countRows(store) } : { isUsed: true };
  } catch (error) {
    if (primaryCode(error) === SQLITE_BUSY) return { isUsed: true };
    throw error;
  } finally {
    store.close();
  }
}

/** So that the name of a new file survives a crash, where the system can do that. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32' || !existsSync(folder)) return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
