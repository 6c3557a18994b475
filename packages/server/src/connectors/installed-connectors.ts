import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { faultLines, MANIFEST_FILE, readManifest } from './manifest.ts';
import type { EntryPoint } from './thread-types.ts';
import type { Manifest } from './types.ts';

const ENDINGS = ['.js', '.mjs', '.cjs'];
const MAX_MANIFEST_FILE_BYTES = 1024 * 1024;

/** A folder with a connector: usable, or why not. */
export type FoundConnector = { folder: string; name: string } & (
  | { manifest: Manifest; entry: EntryPoint }
  | { problems: string[] }
);

/** All connectors below a folder, in the order of their names. Names with a dot are unfinished or being removed. */
export function findInstalled(folder: string): FoundConnector[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.includes('.'))
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const found = readConnector(join(folder, name));
      if ('problems' in found || found.name === name) return { ...found, name };
      return {
        folder: found.folder,
        name,
        problems: [`${MANIFEST_FILE}: name is ${found.name}, and its folder is ${name}`],
      };
    });
}

/** Reads the connector in a folder. */
export function readConnector(folder: string): FoundConnector {
  const file = join(folder, MANIFEST_FILE);
  const without = (...problems: string[]): FoundConnector => ({ folder, name: '', problems });
  if (!existsSync(file)) return without(`${MANIFEST_FILE} is missing in ${folder}`);
  if (statSync(file).size > MAX_MANIFEST_FILE_BYTES) return without(`${MANIFEST_FILE} is too large`);
  const read = readManifest(readFileSync(file, 'utf8'));
  if ('faults' in read) return without(...faultLines(read.faults));
  const { manifest } = read;
  const entry = resolveEntry(realpathSync(folder), manifest);
  return 'problem' in entry
    ? { folder, name: manifest.name, problems: [entry.problem] }
    : { folder, name: manifest.name, manifest, entry };
}

/** `src.transform:Name` is the class Name of src/transform.js, or .mjs or .cjs. */
function resolveEntry(folder: string, { entry_point }: Manifest): EntryPoint | { problem: string } {
  const [module = '', class_name = ''] = entry_point.split(':');
  const path = join(...module.split('.'));
  const ending = ENDINGS.find((one) => existsSync(join(folder, path + one)));
  if (ending === undefined)
    return { problem: `entry_point ${entry_point}: there is no ${ENDINGS.map((one) => path + one).join(', ')}` };
  const file = realpathSync(join(folder, path + ending));
  if (!file.startsWith(folder + sep))
    return { problem: `entry_point ${entry_point}: ${path}${ending} leads out of the folder of the connector` };
  return { file, class_name, folder };
}
