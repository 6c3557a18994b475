import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { memProgram } from '../faults/support/mem-process.ts';
import { BUNDLE_OPTIONS } from '../support/bundle-options.ts';
import { differences, matchesText } from './compare.ts';
import { type MarkdownBlock, root } from './markdown.ts';

const RUNNABLE = new Set(['sh', 'bash', 'js', 'ts', 'python']);

export type DocStep = { command: MarkdownBlock; expected: MarkdownBlock | undefined };

/** Commands with the answers that follow them. Throws where something would go untested. */
export function stepsOf(blocks: readonly MarkdownBlock[]): DocStep[] {
  const steps: DocStep[] = [];
  for (const block of blocks) {
    const last = steps.at(-1);
    if (RUNNABLE.has(block.kind)) steps.push({ command: block, expected: undefined });
    else if ((block.kind === 'json' || block.kind === 'text') && last && !last.expected) last.expected = block;
    else throw new Error(`line ${block.line}: nothing tests this block (${block.kind || 'no kind'})`);
  }
  return steps;
}

type DocRunOptions = { url: string; cwd?: string; env?: Record<string, string> };

/** Runs the commands in one shell, like a user who pastes them one after the other. */
export async function runSteps(steps: readonly DocStep[], place: DocRunOptions): Promise<string[]> {
  if (spawnSync('curl', ['--version']).status !== 0) throw new Error('curl is needed to run the examples of the docs');
  const folder = mkdtempSync(join(tmpdir(), 'mem-docs-'));
  try {
    // The programs are written there, and find packages as if they were part of the project.
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const out = (i: number) => join(folder, `${i}.out`);
    const mem = quoted(await memCommand());
    const script = steps.map(({ command }, i) => {
      const text = command.text
        .replaceAll('http://localhost:8080', place.url)
        .replaceAll('node packages/cli/dist/mem.js', mem);
      return `{\n${commandFor(command.kind, text, join(folder, String(i)))}\n} > '${out(i)}' 2>&1\n`;
    });
    writeFileSync(join(folder, 'steps.sh'), script.join(''));
    const shell = spawn('bash', ['-u', join(folder, 'steps.sh')], {
      cwd: place.cwd ?? folder,
      env: { PATH: process.env.PATH, HOME: folder, ...place.env },
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: 100_000,
    });
    const [code] = await once(shell, 'exit');
    if (code === null) throw new Error('the shell was ended');
    return steps.map((_, i) => readFileSync(out(i), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What runs the `mem` command, as it is built from the sources. */
export const memCommand = async (): Promise<[node: string, program: string]> => [process.execPath, await memProgram()];

const quoted = (parts: readonly string[]) => parts.map((part) => `'${part}'`).join(' ');

function commandFor(kind: string, text: string, file: string): string {
  if (kind === 'ts') return runProgram(text, file);
  if (kind === 'js') return runPlain(text, `${file}.mjs`);
  return kind === 'python' ? runPython(text, `${file}.py`) : text;
}

/** As it stands: the packages that it names are found as they are installed. */
function runPlain(text: string, file: string): string {
  writeFileSync(file, text);
  return quoted([process.execPath, file]);
}

/** Where `requests` is not installed, a stand-in on the standard library takes its place. */
function runPython(text: string, file: string): string {
  writeFileSync(file, text);
  const isInstalled = spawnSync('python3', ['-c', 'import requests']).status === 0;
  const path = isInstalled ? '' : `PYTHONPATH='${join(root, 'tests', 'docs', 'python')}' `;
  return `${path}python3 '${file}'`;
}

const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Our packages as their sources are, in one file: a loader would translate them again for each program. */
function runProgram(text: string, file: string): string {
  writeFileSync(`${file}.ts`, text);
  const outfile = `${file}.mjs`;
  buildSync({
    entryPoints: [`${file}.ts`],
    outfile,
    ...BUNDLE_OPTIONS,
    external: Object.keys({ ...dependencies, ...devDependencies }),
  });
  return quoted([process.execPath, outfile]);
}

/** What the real output lacks of the expected block. */
export function missingIn(output: string, expected: MarkdownBlock | undefined): string[] {
  if (!expected) return output === '' ? [] : [`the command printed ${JSON.stringify(output)}, and no block shows it`];
  if (expected.kind === 'text') return matchesText(expected.text.trim(), output.trim()) ? [] : [output];
  try {
    return differences(JSON.parse(expected.text), JSON.parse(output));
  } catch (error) {
    return [`${(error as Error).message}: ${output}`];
  }
}

export const titleOf = ({ command }: DocStep): string => `line ${command.line}: ${command.text.trim().split('\n')[0]}`;
