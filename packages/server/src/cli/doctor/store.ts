import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import type { StoreReport } from '../../inspect.ts';
import { problemOf } from '../failure.ts';
import type { OwnParts } from '../own/command.ts';
import { bytes, counted } from '../render/index.ts';
import { type Check, failure, ok, warning } from './check.ts';
import { checkPostgresStore } from './postgres.ts';
import { checkSchema } from './schema.ts';

const LITTLE_SPACE = 1_000_000_000;
const NO_SPACE = 100_000_000;

const RESTORE = 'restore the last backup: see docs/operations.md, When the store is damaged';

export async function checkStore(parts: OwnParts, config: Config): Promise<Check[]> {
  if (config.postgresDsn !== undefined) return checkPostgresStore(parts, config);
  const folder = resolve(config.dataDir);
  const before = [...checkFolder(folder), checkSpace(folder)];
  if (!existsSync(join(folder, 'mem.db')))
    return [...before, ok('store', 'there is none yet: the first write creates it')];
  return [...before, ...(await inspect(parts, config))];
}

/** The nearest existing folder. */
function existing(folder: string): string {
  let at = folder;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

function checkFolder(folder: string): Check[] {
  const at = existing(folder);
  try {
    if (!statSync(at).isDirectory()) return [failure('folder', `${at} is no folder`, 'set MEM_DATA_DIR to a folder')];
    accessSync(at, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return [failure('folder', (error as Error).message, `give yourself rights on ${at}, or set MEM_DATA_DIR`)];
  }
  if (at !== folder) return [ok('folder', `${folder} is not there yet and can be made`)];
  const open = process.platform !== 'win32' && (statSync(folder).mode & 0o007) !== 0;
  return [open ? warning('folder', `${folder} is open to other users`, `chmod 700 ${folder}`) : ok('folder', folder)];
}

function checkSpace(folder: string): Check {
  const { bavail, bsize } = statfsSync(existing(folder));
  const free = bavail * bsize;
  if (free < NO_SPACE) return failure('disk', `${bytes(free)} free`, 'make room: writes will be refused');
  return free < LITTLE_SPACE
    ? warning('disk', `${bytes(free)} free`, 'make room soon')
    : ok('disk', `${bytes(free)} free`);
}

async function inspect(parts: OwnParts, config: Config): Promise<Check[]> {
  try {
    const report = await parts.inspectStore(config);
    const state = report.problems.map((problem) => failure('store', problem, RESTORE));
    return state.length > 0 && report.schema === 0
      ? state
      : [...(state.length > 0 ? state : [ok('store', 'SQLite, intact')]), checkSchema(report), ...keysOf(report)];
  } catch (error) {
    const { detail } = problemOf(error);
    const isDamaged = (error as { reason?: unknown }).reason === 'damaged';
    const todo = 'check that MEM_DATA_DIR is the folder of a store, and its rights; or restore a backup';
    return [failure('store', detail.split('\n')[0] as string, isDamaged ? RESTORE : todo)];
  }
}

/** They admit to a server even if the store came with a repository. */
const keysOf = ({ stored_keys = 0 }: StoreReport): Check[] =>
  stored_keys === 0
    ? []
    : [
        ok(
          'keys',
          `${counted(stored_keys, 'key')} in the store, good for a server on it beside MEM_API_KEYS (mem list-keys)`,
        ),
      ];
