import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The text of a file, or undefined if it does not exist. */
export function readText(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  if (!isUtf8(bytes)) throw new Error('it is not UTF-8');
  return bytes.toString('utf8');
}

/** Copies the file, so that the user can restore it. */
export function writeBackup(file: string, now: Date): string {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '');
  let backup = `${file}.mem-${stamp}.bak`;
  for (let n = 2; existsSync(backup); n++) backup = `${file}.mem-${stamp}-${n}.bak`;
  copyFileSync(file, backup);
  chmodSync(backup, statSync(file).mode);
  return backup;
}

/** Replaces the file atomically. A symbolic link stays a link. */
export function replaceFile(file: string, text: string, mode: number): { madeFolder: string | undefined } {
  const target = existsSync(file) ? realpathSync(file) : file;
  const madeFolder = mkdirSync(dirname(target), { recursive: true });
  removeStaleParts(target);
  const part = join(dirname(target), `.${basename(target)}.${process.pid}.part`);
  try {
    writeFileSync(part, text, { mode, flush: true });
    chmodSync(part, mode);
    renameSync(part, target);
    return { madeFolder };
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** What a run that was killed has left beside the file: it may hold all its settings. */
export function removeStaleParts(file: string): void {
  const target = existsSync(file) ? realpathSync(file) : file;
  const [folder, start] = [dirname(target), `.${basename(target)}.`];
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(start) ? /^(\d+)\.part$/.exec(name.slice(start.length))?.[1] : undefined;
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Also removes the folders that were created for it, if they are empty. */
export function removeFile(file: string, madeFolder: string | undefined): void {
  rmSync(file, { force: true });
  removeMadeFolders(file, madeFolder);
}

/** Removes the folders that were created for a removed file, as far as nothing is in them. */
export function removeMadeFolders(file: string, madeFolder: string | undefined): void {
  if (madeFolder === undefined || existsSync(file)) return;
  for (let folder = dirname(file); folder.length >= madeFolder.length; folder = dirname(folder)) {
    if (!existsSync(folder)) continue;
    if (readdirSync(folder).length > 0) return;
    rmdirSync(folder);
  }
}

export const modeOf = (file: string): number | undefined =>
  existsSync(file) ? statSync(file).mode & 0o777 : undefined;

/** Refuses a file of a project that links in the project lead out of it: a repository decides what links it holds. */
export function refuseLinkOut(folder: string, file: string): void {
  const root = realpathSync(folder);
  let at = folder;
  for (const name of relative(folder, file).split(sep)) {
    at = join(at, name);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (!found) return;
    if (!found.isSymbolicLink()) continue;
    const target = existsSync(at) ? realpathSync(at) : readlinkSync(at);
    if (!existsSync(at) || !target.startsWith(join(root, sep)))
      throw new Error(`${at} is a link to ${target}, out of the project: remove it, or edit that file yourself`);
  }
}
