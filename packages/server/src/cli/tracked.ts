import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { MemoryLocation } from '@mem-service/mcp/location';

const WAIT_MS = 3000;

/** Whether git tracks the store: then everyone who gets the repository gets the memory. */
export async function isTracked({ kind, at }: MemoryLocation): Promise<boolean> {
  if (kind !== 'folder' || !existsSync(join(at, 'mem.db')) || !isInRepository(at)) return false;
  try {
    // Settings of a repository may name a program that git would run.
    const args = ['-c', 'core.fsmonitor=false', 'ls-files', '--error-unmatch', '--', 'mem.db'];
    await promisify(execFile)('git', args, { cwd: at, timeout: WAIT_MS });
    return true;
  } catch {
    return false;
  }
}

function isInRepository(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return true;
    if (dirname(at) === at) return false;
  }
}

/** What to do about it. */
export const untrackCommand = ({ at }: Pick<MemoryLocation, 'at'>): string => `git rm -r --cached ${at}`;
