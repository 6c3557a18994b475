import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export type SmallDisk = {
  folder: string;
  /** Takes up all room but about this much. */
  fill(leaveBytes: number): void;
  /** Gives the room back. */
  free(): void;
};

/** Why no file system can be mounted here, or undefined. */
export function whyNoMount(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'mem-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'pipe' });
    execFileSync('umount', [folder]);
    return undefined;
  } catch (error) {
    return String((error as Error).message).split('\n', 1)[0];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'mem-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder]);
  onTestFinished(() => {
    // Lazily: a process that was killed a moment ago may still be letting go of its files.
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill(leaveBytes) {
      const { bavail, bsize } = statfsSync(folder);
      appendFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - leaveBytes)));
    },
    free: () => rmSync(ballast, { force: true }),
  };
}
