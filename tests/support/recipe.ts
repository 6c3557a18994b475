import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type RecipeStep = { file: string; kind: 'ts' | 'diff'; text: string };

/** The files and changes of a page: each block belongs to the last file named before it. */
export function stepsOfPage(markdown: string): RecipeStep[] {
  const steps: RecipeStep[] = [];
  let file = '';
  for (const [i, part] of markdown.split('```').entries()) {
    const [kind = '', ...lines] = part.split('\n');
    if (i % 2 === 0) file = [...part.matchAll(/`([\w./-]+\.\w+)`/g)].at(-1)?.[1] ?? file;
    else if (kind === 'ts' || kind === 'diff') steps.push({ file, kind, text: lines.join('\n') });
    else throw new Error(`a block of the kind ${kind} is no step`);
  }
  return steps;
}

const LEFT_OUT = new Set(['node_modules', 'dist', '.git', '.amfs', 'bench']);

/** The project without what is installed and built, in a folder of its own. */
export function copyProject(root: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'mem-recipe-'));
  for (const name of readdirSync(root))
    if (!LEFT_OUT.has(name))
      cpSync(join(root, name), join(folder, name), {
        recursive: true,
        filter: (path) => !LEFT_OUT.has(path.slice(path.lastIndexOf('/') + 1)),
      });
  linkModules(root, folder);
  return folder;
}

/** Others' packages are where they are installed; ours are those of the copy. */
function linkModules(root: string, folder: string): void {
  mkdirSync(join(folder, 'node_modules', '@mem-service'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@mem-service' && !name.startsWith('.vite'))
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules', '@mem-service', name));
}

/** Makes a file, or puts the new lines behind the line that stands before them. */
export function follow(folder: string, { file, kind, text }: RecipeStep): void {
  const path = join(folder, file);
  if (kind === 'ts') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return;
  }
  const lines = readFileSync(path, 'utf8').split('\n');
  let at = -1;
  for (const line of text.split('\n')) {
    if (line.startsWith('+')) lines.splice(++at, 0, line.slice(1));
    else if (line.startsWith(' ')) at = lines.indexOf(line.slice(1), at + 1);
    if (at < 0 && line !== '') throw new Error(`${file} has no line ${JSON.stringify(line.slice(1))}`);
  }
  writeFileSync(path, lines.join('\n'));
}

export type ProcessResult = { status: number | null; out: string };

/** With a signal the process ends when the test that started it does. */
export function run(
  place: string | { folder: string; signal: AbortSignal },
  command: string,
  args: readonly string[],
): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    const { VITEST: _, VITEST_MODE: __, VITEST_POOL_ID: ___, VITEST_WORKER_ID: ____, ...env } = process.env;
    const { folder, signal } = typeof place === 'string' ? { folder: place } : place;
    const child = spawn(command, args, { cwd: folder, env: { ...env, NO_COLOR: '1' }, signal });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += String(chunk)));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, out }));
  });
}
