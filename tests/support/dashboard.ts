import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { threadId } from 'node:worker_threads';
import { isAlive } from './memory-folder.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const builds = join(root, 'node_modules', '.cache', 'mem-dashboard');

let folder: Promise<string> | undefined;

/** The folder of the dashboard: as `npm test` has just built it, or built once from the sources as they are. */
export function builtDashboard(): Promise<string> {
  folder ??= process.env.TESTS_BUILT ? Promise.resolve(join(root, 'packages', 'dashboard', 'dist')) : buildHere();
  return folder;
}

/** For each thread of the tests: it takes a second. */
async function buildHere(): Promise<string> {
  mkdirSync(builds, { recursive: true });
  for (const name of readdirSync(builds))
    if (!isAlive(Number(name.split('-')[0]))) rmSync(join(builds, name), { recursive: true, force: true });
  const out = join(builds, `${process.pid}-${threadId}`);
  await promisify(execFile)(process.execPath, [join(root, 'scripts', 'build.mjs'), 'dashboard', '--out', out]);
  return out;
}
