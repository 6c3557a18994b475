import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { STORE_FOLDER } from '@mem-service/mcp/location';

const IGNORE_FILE = '.gitignore';
const OWN_FILES = /^(mem\.db|words\.db|pending-notes-)/;
const IGNORE_TEXT = '# Written by mem: memory does not belong into a repository.\n*\n';

/**
 * Makes the folder of a store, which keeps itself out of git. Only a folder that by its name or content holds nothing
 * but a store gets the file: in the folder of a project it would hide the project.
 */
export function makeStoreFolder(folder: string): void {
  makeFolders(folder);
  try {
    if (basename(folder) === STORE_FOLDER || readdirSync(folder).every((name) => OWN_FILES.test(name)))
      writeFileSync(join(folder, IGNORE_FILE), IGNORE_TEXT, { flag: 'wx', mode: 0o600 });
  } catch {
    // The store works without it, and a folder that cannot be written to is reported when the database is opened.
  }
}

/**
 * Nobody but the owner reads a store, whatever the umask is. SQLite gives the files beside a database the rights of the
 * database, so that is made here. A folder that holds other things keeps its rights: it may be shared on purpose.
 */
export function keepPrivate(folder: string): void {
  if (process.platform === 'win32') return;
  try {
    closeSync(openSync(join(folder, 'mem.db'), 'a', 0o600));
    const names = readdirSync(folder);
    const own = names.filter((name) => OWN_FILES.test(name));
    for (const name of own) tighten(join(folder, name), 0o600);
    const isForStore = own.length + Number(names.includes(IGNORE_FILE)) === names.length;
    if (isForStore || basename(folder) === STORE_FOLDER) tighten(folder, 0o700);
  } catch {
    // A folder that cannot be written to is reported when the database is opened.
  }
}

/** Takes rights of others away, where the file is ours to change. */
function tighten(path: string, mode: number): void {
  const { mode: found, uid } = statSync(path);
  if ((found & 0o077) !== 0 && (uid === process.getuid?.() || process.getuid?.() === 0)) chmodSync(path, found & mode);
}

/** Level by level: the recursive form of `mkdirSync` never returns where a file system lets nobody make folders (/proc). */
export function makeFolders(folder: string): void {
  try {
    makeWithParents(resolve(folder));
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    const problem = `${folder} cannot be made (${message}): set MEM_DATA_DIR to a folder that you can write to`;
    throw Object.assign(new Error(problem, { cause: error }), { code, syscall });
  }
}

function makeWithParents(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found) throw Object.assign(new Error(`${folder} is no folder`), { code: 'ENOTDIR', syscall: 'mkdir' });
  if (dirname(folder) !== folder) makeWithParents(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Whether the folder was made for a store, and holds none yet. */
export function isUnusedStoreFolder(folder: string): boolean {
  try {
    return readdirSync(folder).every((name) => name === IGNORE_FILE);
  } catch {
    return false;
  }
}
