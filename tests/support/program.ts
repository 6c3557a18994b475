import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { memProgram } from '../faults/support/mem-process.ts';
import { BUNDLE_OPTIONS } from './bundle-options.ts';
import { isAlive } from './memory-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cache = join(root, 'node_modules', '.cache', 'mem-programs');
const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const programs = new Map<string, Promise<string>>();

/**
 * A program of the tests as a file that Node runs: from its sources, each process would load a compiler and translate the
 * whole service again, which takes five seconds of processor time.
 */
export function programOf(source: string): Promise<string> {
  const program = programs.get(source) ?? bundleProgram(source);
  programs.set(source, program);
  return program;
}

async function bundleProgram(source: string): Promise<string> {
  const own = join(cache, String(process.pid));
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(cache))
    if (!isAlive(Number(name))) rmSync(join(cache, name), { recursive: true, force: true });
  const folder = mkdtempSync(join(own, 'program-'));
  // The threads of the service, and what they read, are beside it.
  const built = dirname(await memProgram());
  for (const name of readdirSync(built))
    if (/\.(thread|process)\.mjs$|^(sqlite|table|pdf)$/.test(name) || existsSync(join(built, name, 'connector.json')))
      symlinkSync(join(built, name), join(folder, name));
  const outfile = join(folder, `${basename(source, '.ts')}.mjs`);
  const external = Object.keys({ ...dependencies, ...devDependencies });
  await build({ entryPoints: [source], outfile, ...BUNDLE_OPTIONS, external });
  return outfile;
}
