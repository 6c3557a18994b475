import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Fault } from '@mem-service/contract';
import type { Config } from './config.ts';
import { checkSqliteFile } from './db/sqlite-check.ts';
import { copySqlite, readSqliteUse, type StoreCopy, syncFolder, type TableCounts } from './db/sqlite-copy.ts';
import { makeFolders } from './db/store-folder.ts';
import { inspectFile } from './inspect.ts';

export type BackupOptions = { file: string; force: boolean };

export type BackupReport = {
  /** The file of the backup. */
  file: string;
  /** The folder of the store. */
  store: string;
  bytes: number;
  /** Rows of each table, which the copy was checked to have. */
  rows: TableCounts;
};

/** Copies the store as it is at one moment, while servers use it. The file appears under its name once it is checked. */
export async function backupStore(config: Config, { file, force }: BackupOptions): Promise<BackupReport> {
  const store = folderOf(config, 'backup');
  const source = join(store, 'mem.db');
  if (!existsSync(source)) throw new Fault('not_found', `there is no store in ${store}`);
  const to = resolve(file);
  if (!existsSync(dirname(to))) throw new Fault('not_found', `there is no folder ${dirname(to)}`);
  if (existsSync(to) && !force)
    throw new Fault('conflict', `${to} exists already: choose another name, or add --force to replace it`);
  const partial = `${to}.partial`;
  rmSync(partial, { force: true });
  const copy = await copySqlite(source, partial);
  renameSync(partial, to);
  syncFolder(dirname(to));
  return reportOf({ file: to, store, copy });
}

/** Puts a backup in place of the store, which nobody may be using. What is there is replaced only with `force`. */
export async function restoreStore(config: Config, { file, force }: BackupOptions): Promise<BackupReport> {
  const store = folderOf(config, 'restore');
  const from = resolve(file);
  await checkBackup(config, from);
  const target = join(store, 'mem.db');
  await refuseOverwriting(target, force);
  makeFolders(store);
  const partial = `${target}.restoring`;
  rmSync(partial, { force: true });
  const copy = await copySqlite(from, partial);
  try {
    // Again: copying takes its time, and a server may have been started.
    await refuseOverwriting(target, force);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  for (const beside of ['-wal', '-shm', '-journal']) rmSync(target + beside, { force: true });
  // Made from the entries again: what is there belongs to the store that is replaced.
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(join(store, `words.db${end}`), { force: true });
  renameSync(partial, target);
  syncFolder(store);
  return reportOf({ file: from, store, copy });
}

const reportOf = ({ file, store, copy }: { file: string; store: string; copy: StoreCopy }): BackupReport => ({
  file,
  store,
  bytes: copy.bytes,
  rows: copy.counts,
});

/** Only the folder of this machine is a file that can be copied. */
function folderOf({ client, postgresDsn, dataDir }: Config, verb: 'backup' | 'restore'): string {
  if (client.url !== undefined)
    throw new Fault(
      'invalid_input',
      `MEM_HTTP_URL names a server: run mem ${verb} on its machine, or use mem ${verb === 'backup' ? 'export' : 'import'}`,
    );
  if (postgresDsn === undefined) return resolve(dataDir);
  const tool =
    verb === 'backup'
      ? 'pg_dump --format=custom --file=mem.dump "$MEM_POSTGRES_DSN"'
      : 'pg_restore --clean --if-exists --dbname="$MEM_POSTGRES_DSN" mem.dump';
  throw new Fault('invalid_input', `MEM_POSTGRES_DSN names a PostgreSQL database, which has its own tools: ${tool}`);
}

async function checkBackup(config: Config, file: string): Promise<void> {
  if (!existsSync(file))
    throw new Fault(
      'not_found',
      `there is no file ${file}. To restore an entry, give its path and key: mem restore-version <path> <key> <version>`,
    );
  const { applied, problems, schema } = await checkSqliteFile(file).catch((error: Error) => ({
    applied: [],
    schema: { tables: new Map(), indexes: new Set<string>() },
    problems: [error.message],
  }));
  if (problems.length > 0) throw new Fault('invalid_input', `${file} is damaged, or no backup: ${problems.join('; ')}`);
  if (applied.length === 0) throw new Fault('invalid_input', `${file} is no backup of mem: it has none of its tables`);
  const { refusal } = await inspectFile(config, { applied, schema });
  if (refusal?.isNewer === false) throw new Fault('invalid_input', `${file} is damaged: ${refusal.found}`);
  if (refusal)
    throw new Fault('invalid_input', `${file} was written by another version of mem: it has ${refusal.found}`);
}

async function refuseOverwriting(file: string, force: boolean): Promise<void> {
  if (!existsSync(file)) return;
  const use = await readSqliteUse(file).catch(() => undefined);
  if (use?.isUsed)
    throw new Fault(
      'conflict',
      `${dirname(file)} is in use: stop the server, and agents that have it open, and run this again`,
    );
  const { events = 0, entries = 0 } = use?.counts ?? {};
  if (force || (use && events === 0)) return;
  const held = use ? `holds ${entries} entries and ${events} events` : 'cannot be read';
  throw new Fault('conflict', `the store in ${dirname(file)} ${held}: add --force to replace it`);
}
