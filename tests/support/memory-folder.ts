import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'mem-tests-';
const ownFolder = join(MEMORY, `${PREFIX}${process.pid}`);
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * Puts the temporary files of a test run into memory, where the machine has room for them and no folder was set. Every
 * commit on SQLite is flushed; on a disk that takes milliseconds, here next to nothing. What tests promise of durability,
 * they prove by killing processes and by failing disks, for which it makes no difference.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (Math.min(bavail * bsize, process.availableMemory()) < NEEDED_BYTES) return;
  // What a run left that was killed would keep its memory.
  for (const name of readdirSync(MEMORY)) {
    if (name.startsWith(PREFIX) && !isAlive(Number(name.slice(PREFIX.length))))
      rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
  mkdirSync(ownFolder, { mode: 0o711, recursive: true });
  process.env.TMPDIR = ownFolder;
}

export const removeMemoryFolder = (): void => rmSync(ownFolder, { recursive: true, force: true });

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
