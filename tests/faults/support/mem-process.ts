import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { isAlive } from '../../support/memory-folder.ts';
import { tracedBy } from './strace.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const built = join(root, 'packages', 'cli', 'dist', 'mem.js');
const builds = join(root, 'node_modules', '.cache', 'mem-faults');

export type ProcessEnd = { code: number | null; signal: NodeJS.Signals | null };

export type MemProcess = {
  url: string;
  pid: number;
  output(): string;
  end: Promise<ProcessEnd>;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<ProcessEnd>;
};

export type MemEnvironment = Readonly<Record<string, string | undefined>>;
export type MemOptions = {
  /** In front of the command, such as a tracer. */
  under?: readonly string[];
  /** The runtime, instead of the one that runs the tests. */
  node?: string;
  /** The block of tests ends it, instead of the test that runs. */
  isShared?: boolean;
  /** Is given a look at the output, and the number of the process, while the program starts. */
  watch?: (output: () => string, pid: number) => void;
};

/**
 * The program as users run it: as `npm test` has just built it, or bundled once for this run of the tests from the
 * sources as they are, into a separate folder, so that it does not interfere with other builds.
 */
let program: Promise<string> | undefined;
export function memProgram(): Promise<string> {
  program ??= process.env.TESTS_BUILT ? Promise.resolve(built) : buildOnce();
  return program;
}

async function buildOnce(): Promise<string> {
  mkdirSync(builds, { recursive: true });
  for (const name of readdirSync(builds)) if (!isAlive(Number(name))) rmSync(join(builds, name), { recursive: true });
  const folder = join(builds, String(process.pid));
  const done = join(folder, 'done');
  if (isFirst(folder)) {
    copyFileSync(join(root, 'packages', 'cli', 'package.json'), join(folder, 'package.json'));
    const out = join(folder, 'dist');
    execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs'), 'cli', '--out', out], { stdio: 'pipe' });
    writeFileSync(done, '');
  }
  // Another thread of this run may be building it.
  await until(() => existsSync(done));
  return join(folder, 'dist', 'mem.js');
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

export async function until(
  condition: () => boolean | Promise<boolean>,
  { seconds = 100, what = 'the condition' }: { seconds?: number; what?: string } = {},
): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${seconds} s for ${what}`);
    await sleep(20);
  }
}

type Spawned = {
  child: ChildProcess;
  isTraced: boolean;
  output: () => string;
  stdout: () => string;
  end: Promise<ProcessEnd>;
};

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

/** A tracer that is killed leaves the program running, so signals go past it. */
const pidOf = ({ child, isTraced }: Spawned): number =>
  isTraced ? tracedBy(child.pid as number) : (child.pid as number);

async function spawnMem(env: MemEnvironment, args: readonly string[], options: MemOptions): Promise<Spawned> {
  const { PATH, HOME, TMPDIR } = process.env;
  const [command, ...rest] = [...(options.under ?? []), options.node ?? process.execPath, await memProgram(), ...args];
  const child = spawn(command as string, rest, {
    env: { PATH, HOME, TMPDIR, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let all = '';
  let out = '';
  child.stdout?.on('data', (chunk) => {
    all += chunk;
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    all += chunk;
  });
  const end = new Promise<ProcessEnd>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const spawned = { child, output: () => all, stdout: () => out, end, isTraced: options.under !== undefined };
  if (options.isShared) return spawned;
  onTestFinished(async () => {
    if (hasEnded(child)) return;
    process.kill(pidOf(spawned), 'SIGKILL');
    await end;
  });
  return spawned;
}

/**
 * Starts `mem serve` on a free port of loopback and waits until it listens. Only tests cause events, unless they say so, and
 * nothing is embedded beside them.
 */
export async function startMem(env: MemEnvironment, options: MemOptions = {}): Promise<MemProcess> {
  const loopback = { MEM_HTTP_HOST: '127.0.0.1', MEM_HTTP_PORT: '0', MEM_LOG_LEVEL: 'warn' };
  const quiet = { MEM_CORTEX: 'off', MEM_EMBEDDER: 'off' };
  const spawned = await spawnMem({ ...loopback, ...quiet, ...env }, ['serve'], options);
  const { child, output, end } = spawned;
  options.watch?.(output, child.pid as number);
  const address = () => /listening {2}(http:\S+)/.exec(output())?.[1];
  await until(() => address() !== undefined || hasEnded(child), { seconds: 60, what: `mem to listen: ${output()}` });
  const url = address();
  if (url === undefined) throw new Error(`mem ended before it listened:\n${output()}`);
  const pid = pidOf(spawned);
  return {
    url,
    pid,
    output,
    end,
    stop: (signal = 'SIGTERM') => {
      if (!hasEnded(child)) process.kill(pid, signal);
      return end;
    },
  };
}

/** Runs `mem serve` (or another command) that is expected to end by itself. */
export async function runMem(
  env: MemEnvironment,
  { args = ['serve'], ...options }: MemOptions & { args?: readonly string[] } = {},
): Promise<ProcessEnd & { output: string; stdout: string }> {
  const loopback = { MEM_HTTP_HOST: '127.0.0.1', MEM_HTTP_PORT: '0' };
  const { child, output, stdout, end } = await spawnMem({ ...loopback, ...env }, args, options);
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const result = await end;
  clearTimeout(timer);
  return { ...result, output: output(), stdout: stdout() };
}
