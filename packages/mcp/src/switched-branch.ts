import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { homeFolder, type LocationEnvironment, type MemoryLocation, STORE_FOLDER } from './location.ts';

/** A folder whose commands and clients work on a branch of one memory. */
export type SwitchedFolder = {
  folder: string;
  /** Where the memory is: a branch of one says nothing about another. */
  memory: string;
  branch: string;
  /** The branch before, to go back to. */
  previous: string | null;
};

/** A file of the user, so that nothing is left in folders that others share. */
export const switchedFile = (env: LocationEnvironment): string => join(homeFolder(env), '.mem', 'branches.json');

export function readSwitched(env: LocationEnvironment): SwitchedFolder[] {
  const file = switchedFile(env);
  if (!existsSync(file)) return [];
  try {
    const { folders } = JSON.parse(readFileSync(file, 'utf8')) as { folders?: unknown };
    return Array.isArray(folders) ? folders.filter(isSwitched) : [];
  } catch {
    return [];
  }
}

const isSwitched = (one: unknown): one is SwitchedFolder => {
  const { folder, memory, branch, previous } = (one ?? {}) as Record<string, unknown>;
  const isText = (text: unknown) => typeof text === 'string' && text !== '';
  return [folder, memory, branch].every(isText) && (previous === null || isText(previous));
};

/** The folder that is switched from here: that of the store where one was found, so that a whole project follows. */
export const folderToSwitch = ({ kind, at }: MemoryLocation, folder: string): string =>
  kind === 'folder' && basename(at) === STORE_FOLDER && resolve(folder, '.').startsWith(dirname(at))
    ? dirname(at)
    : resolve(folder);

/** The branch of this folder or of the nearest parent that was switched. */
export function findSwitched(
  env: LocationEnvironment,
  folder: string,
  { at: memory }: MemoryLocation,
): SwitchedFolder | undefined {
  const all = readSwitched(env).filter((one) => one.memory === memory);
  if (all.length === 0) return undefined;
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = all.find((one) => one.folder === at);
    if (found || dirname(at) === at) return found;
  }
}
