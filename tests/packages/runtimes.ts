import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './npm.ts';

const run = promisify(execFile);
const cache = join(root, 'node_modules', '.cache', 'runtimes');

export type OtherRuntime = { version: string; node: string | undefined; why: string };

/** Node of another version, from the package registry; kept for later runs. Without a registry there is none. */
export async function otherRuntime(version: string): Promise<OtherRuntime> {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(cache, version);
  const node = join(folder, 'node_modules', name, 'bin', 'node');
  if (existsSync(node)) return { version, node, why: '' };
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, 'new-'));
  try {
    const args = [
      'install',
      '--prefix',
      fresh,
      '--no-save',
      '--no-package-lock',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
    ];
    await run('npm', [...args, `${name}@${version}`], { timeout: 120_000, cwd: fresh });
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
    return { version, node, why: '' };
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    const [why = ''] = String((error as { stderr?: string }).stderr || error)
      .trim()
      .split('\n')
      .slice(-1);
    return { version, node: undefined, why };
  }
}
