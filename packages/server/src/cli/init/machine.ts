import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Environment } from '../../config.ts';
import type { CliParts } from '../parts.ts';

/** Determines where clients keep their files. */
export type Machine = { platform: NodeJS.Platform; env: Environment; home: string; folder: string };

export function thisMachine({ readEnvironment, readProcessStart }: CliParts): Machine {
  const env = readEnvironment();
  const { platform, folder } = readProcessStart();
  return { platform, env, home: env.HOME || env.USERPROFILE || homedir(), folder };
}

/** Where desktop applications keep the data of the user. */
export function applicationData({ platform, env, home }: Machine): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming');
  return env.XDG_CONFIG_HOME || join(home, '.config');
}

export function isOnPath({ env, platform }: Machine, program: string): boolean {
  const names = platform === 'win32' ? [`${program}.cmd`, `${program}.exe`] : [program];
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.some((folder) => names.some((name) => isExecutable(join(folder, name))));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return existsSync(file);
  } catch {
    return false;
  }
}

/** For display: the home folder is shown as ~. */
export const shortPath = ({ home }: Machine, file: string): string =>
  file.startsWith(join(home, '/')) ? join('~', file.slice(home.length)) : file;
