import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../config.ts';

const KEPT_MS = 7 * 24 * 3600 * 1000;

const folderOf = (env: Environment) => join(env.HOME || env.USERPROFILE || homedir(), '.mem', 'reminders');
const fileOf = (env: Environment, session: string) =>
  join(folderOf(env), createHash('sha256').update(session).digest('hex').slice(0, 32));

/** The piece of work for which a session was last reminded. */
export function lastReminder(env: Environment, session: string): string | undefined {
  try {
    return readFileSync(fileOf(env, session), 'utf8');
  } catch {
    return undefined;
  }
}

export function saveReminder(env: Environment, session: string, work: string): void {
  mkdirSync(folderOf(env), { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(env, session), work, { mode: 0o600 });
}

export function deleteOldReminders(env: Environment): void {
  try {
    for (const name of readdirSync(folderOf(env))) {
      const file = join(folderOf(env), name);
      if (statSync(file).mtimeMs < Date.now() - KEPT_MS) rmSync(file, { force: true });
    }
  } catch {
    // There is no folder yet, or another process is deleting the same files.
  }
}
