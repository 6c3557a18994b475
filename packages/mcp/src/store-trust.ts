import { accessSync, constants, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

const DATABASE = 'mem.db';
/** The databases, and the files that SQLite keeps beside them. */
const STORE_FILES = [DATABASE, 'words.db'].flatMap((name) => ['', '-wal', '-shm', '-journal'].map((end) => name + end));

export function statOf(path: string): Stats | undefined {
  return attempt(() => statSync(path, { throwIfNoEntry: false }));
}

export function isFolderOrLink(path: string): boolean {
  const found = attempt(() => lstatSync(path, { throwIfNoEntry: false }));
  return found !== undefined && (found.isDirectory() || found.isSymbolicLink());
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/**
 * Whose stores are used below a folder: the user's, and those of the owner of the folder, unless everyone may write to it.
 * Containers often run as root in the folder of another user. Undefined where the system knows no owners.
 */
export function trustedOwners(folder: string): ReadonlySet<number> | undefined {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  const found = statOf(folder);
  const isShared = found === undefined || (found.mode & 0o002) !== 0;
  return new Set(isShared ? [user] : [user, found.uid]);
}

/** Why a store that comes with a folder is not used. A store that the user has named is the user's decision. */
export function refusalOfFound(path: string, trusted: ReadonlySet<number> | undefined): string | undefined {
  const owner = attempt(() => lstatSync(path))?.uid;
  if (owner !== undefined && trusted && !trusted.has(owner))
    return `${path} belongs to another user: to use it on purpose, set MEM_DATA_DIR to it`;
  const folder = dirname(path);
  for (const file of [path, ...STORE_FILES.map((name) => join(path, name))]) {
    const target = leadsOutOf(folder, file);
    if (target !== undefined)
      return `${file} is a link to ${target}, out of ${folder}: remove it, or set MEM_DATA_DIR to the folder you mean`;
  }
  return undefined;
}

/** Where a link leads that does not stay in the folder. A link to nothing would create its target. */
export function leadsOutOf(folder: string, path: string): string | undefined {
  if (!attempt(() => lstatSync(path))?.isSymbolicLink()) return undefined;
  const target = attempt(() => realpathSync(path));
  const root = attempt(() => realpathSync(folder)) ?? folder;
  if (target?.startsWith(root.endsWith(sep) ? root : root + sep)) return undefined;
  return target ?? attempt(() => readlinkSync(path)) ?? 'an unknown place';
}

/** Why the store in a folder cannot be read. A file that cannot be seen is not a store that is missing. */
export function deniedIn(folder: string): string | undefined {
  const file = join(folder, DATABASE);
  try {
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return ['EACCES', 'EPERM'].includes(code) ? `permission denied: ${file} cannot be read by this user` : undefined;
  }
}
