import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { addressOfDsn } from './dsn.ts';
import { deniedIn, isFolderOrLink, refusalOfFound, statOf, trustedOwners } from './store-trust.ts';

export { addressOfDsn, hasStrayPassword, hostsOfDsn } from './dsn.ts';

/** What decides where memory is, in this order. */
export const locationRule = ['MEM_HTTP_URL', 'MEM_POSTGRES_DSN', 'MEM_DATA_DIR', 'found', 'own'] as const;

/** Where memory is, and what decided it. `served` is the folder of a server that was given none. */
export type MemoryLocation = {
  kind: 'server' | 'postgres' | 'folder';
  /** The address, without a password, or the whole path of the folder. */
  at: string;
  by: (typeof locationRule)[number] | 'served';
  /** Why it must not be opened. */
  refusal?: string;
};

/** The folder of a store beside the files of a project. */
export const STORE_FOLDER = '.amfs';
const DATABASE = 'mem.db';

export type LocationEnvironment = Readonly<Record<string, string | undefined>>;

export const homeFolder = (env: LocationEnvironment): string => env.HOME || env.USERPROFILE || homedir();

/** The store of the user, for everything that has no store of its own. */
export const ownStore = (env: LocationEnvironment): string => join(homeFolder(env), '.mem', 'store');

/**
 * The one rule for where memory is. The command line, MCP servers and hooks use it as it is; `mem init` writes its result
 * into the settings of clients.
 */
export function locateMemory(env: LocationEnvironment, folder: string): MemoryLocation {
  if (env.MEM_HTTP_URL) return { kind: 'server', at: env.MEM_HTTP_URL, by: 'MEM_HTTP_URL' };
  const given = givenStore(env, folder);
  const found = findStore(folder);
  // Settings of a project name its store so, and clients start servers in any folder of it. Here it is meant on purpose.
  const isOfProject = given?.by === 'MEM_DATA_DIR' && env.MEM_DATA_DIR === STORE_FOLDER;
  if (isOfProject && found && !isFolderOrLink(given.at)) return { ...found, by: given.by };
  if (given) return given;
  if (found !== undefined) return found;
  return folderLocation(ownStore(env), 'own');
}

/** Where a server keeps memory: as given, else always in the folder it is started in. */
export const locateServedMemory = (env: LocationEnvironment, folder: string): MemoryLocation =>
  givenStore(env, folder) ?? storeOf(resolve(folder), 'served');

/** The store beside the files of a project, whether it is there yet or not. */
export const projectStore = (folder: string): MemoryLocation => storeOf(resolve(folder), 'found');

const storeOf = (folder: string, by: 'found' | 'served'): MemoryLocation => {
  const at = join(folder, STORE_FOLDER);
  return folderLocation(at, by, refusalOfFound(at, trustedOwners(folder)));
};

function folderLocation(at: string, by: MemoryLocation['by'], refusal = deniedIn(at)): MemoryLocation {
  return { kind: 'folder', at, by, ...(refusal === undefined ? {} : { refusal }) };
}

/** Where a server for one user keeps memory: where that user's commands and clients look for it. */
export const locateLocalMemory = (env: LocationEnvironment, folder: string): MemoryLocation =>
  locateMemory({ ...env, MEM_HTTP_URL: undefined }, folder);

function givenStore(env: LocationEnvironment, folder: string): MemoryLocation | undefined {
  const { MEM_POSTGRES_DSN: dsn, MEM_DATA_DIR: path } = env;
  if (dsn) return { kind: 'postgres', at: addressOfDsn(dsn), by: 'MEM_POSTGRES_DSN' };
  return path ? folderLocation(resolve(folder, path), 'MEM_DATA_DIR') : undefined;
}

/**
 * The store of this folder or of the nearest parent. In a place that everyone may write to, another user could put one:
 * in this folder it is refused, in a parent passed over.
 */
function findStore(folder: string): MemoryLocation | undefined {
  const start = resolve(folder);
  const trusted = trustedOwners(start);
  for (let at = start; ; at = dirname(at)) {
    const path = join(at, STORE_FOLDER);
    const found = statOf(path);
    if (found?.isDirectory() && (at === start || !trusted || trusted.has(found.uid)))
      return folderLocation(path, 'found', refusalOfFound(path, trusted));
    if (dirname(at) === at) return undefined;
  }
}

/** Whether there is something to open. Only a folder can be without a store; what is no folder fails when it is opened. */
export const hasStore = ({ kind, at }: MemoryLocation): boolean =>
  kind !== 'folder' || existsSync(join(at, DATABASE)) || statOf(at)?.isDirectory() === false;

const REASONS: Readonly<Record<MemoryLocation['by'], string>> = {
  MEM_HTTP_URL: 'the server in MEM_HTTP_URL',
  MEM_POSTGRES_DSN: 'the database in MEM_POSTGRES_DSN',
  MEM_DATA_DIR: 'the folder in MEM_DATA_DIR',
  found: 'the store found in this folder or a parent of it',
  own: 'your own store: no variable is set, and no .amfs is in this folder or a parent of it',
  served: 'the folder of a server that is given no other',
};

/** Why memory is there, for people. */
export const locationReason = ({ by }: Pick<MemoryLocation, 'by'>): string => REASONS[by];

/** In one line, for people: where memory is and why. */
export const describeLocation = (location: MemoryLocation): string => `${location.at} (${locationReason(location)})`;
