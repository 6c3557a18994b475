import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { STORE_FOLDER } from '@mem-service/mcp/location';

const IGNORE_FILE = '.gitignore';
const OWN_FILES = /^(mem\.db|pending-notes-)/;
const IGNORE_TEXT = '# Written by mem: memory does not belong into a repository.\n*\n';

/**
 * Makes the folder of a store, which keeps itself out of git. Only a folder that by its name or content holds nothing
 * but a store gets the file: in the folder of a project it would hide the project.
 */
export function makeStoreFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    if (basename(folder) === STORE_FOLDER || readdirSync(folder).every((name) => OWN_FILES.test(name)))
      writeFileSync(join(folder, IGNORE_FILE), IGNORE_TEXT, { flag: 'wx' });
  } catch {
    // The store works without it, and a folder that cannot be written to is reported when the database is opened.
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
