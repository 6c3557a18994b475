import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runCli } from '../../packages/server/src/cli/index.ts';
import type { Terminal } from '../../packages/server/src/cli/terminal.ts';
import type { Environment } from '../../packages/server/src/config.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { programParts } from '../../packages/server/src/program.ts';
import { memProgram } from '../faults/support/mem-process.ts';
import { outputOf } from '../support/output.ts';

export type Run = { code: number | null; out: string; err: string };

export type RunOptions = { input?: string | Buffer; env?: Environment };

/** A folder to run `mem` in, with a store of its own below it. */
export type Desk = {
  folder: string;
  env: Environment;
  mem(args: readonly string[], options?: RunOptions): Promise<Run>;
  /**
   * The same without a process of its own, which takes a tenth of the time: for tests of what a command does and prints,
   * and not of the process itself. Files are named in full: the working folder is that of the tests.
   */
  inProcess(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** A line for bash, in which `mem` is the program. */
  bash(line: string, options?: RunOptions): Promise<Run>;
  remove(): void;
};

export async function openDesk(env: Environment = {}): Promise<Desk> {
  const program = await memProgram();
  const folder = mkdtempSync(join(tmpdir(), 'mem-cli-'));
  const base = { PATH: process.env.PATH ?? '', HOME: folder, MEM_DATA_DIR: join(folder, 'store'), ...env };
  const start = (command: readonly string[], { input = '', env = {} }: RunOptions = {}) =>
    run(command, { input, env: { ...base, ...env }, cwd: folder });
  return {
    folder,
    env: base,
    mem: (args, options) => start([process.execPath, program, ...args], options),
    inProcess: (args, { env = {}, input } = {}) => runInProcess(args, { env: { ...base, ...env }, folder, input }),
    bash: (line, options) =>
      start(['bash', '-c', `mem() { '${process.execPath}' '${program}' "$@"; }; ${line}`], options),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

type CommandPlace = {
  env: Environment;
  folder: string;
  input?: string | Buffer | undefined;
  /** By default no terminal. */
  screen?: Terminal['screen'];
};

/** A command in a folder, in the process of the tests. */
export async function runInProcess(
  args: readonly string[],
  { env, folder, input, screen = { width: undefined, colour: false } }: CommandPlace,
): Promise<Run> {
  const program = await memProgram();
  let out = '';
  let err = '';
  const terminal: Terminal = {
    screen,
    stdin: Readable.from(input === undefined ? [] : [Buffer.from(input)]) as Terminal['stdin'],
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    gone: new AbortController().signal,
  };
  const parts = {
    ...programParts,
    readEnvironment: () => env,
    readConfig: (given = env) => readConfig(given),
    readProcessStart: () => ({ node: process.execPath, script: program, platform: process.platform, folder }),
  };
  const code = await runCli(args, parts, terminal);
  return { code, out, err };
}

type StartOptions = { input: string | Buffer; env: Environment; cwd: string };

function run([command, ...args]: readonly string[], { input, env, cwd }: StartOptions): Promise<Run> {
  const child = spawn(command as string, args, { env, cwd });
  const printed = outputOf(child);
  // A command that reads nothing may be gone before its input is written.
  child.stdin.on('error', () => {}).end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...printed })));
}

export type ServingProcess = { url: string; stop(): Promise<number | null> };

/** `mem serve` on a free port, as a terminal would start it. */
export async function serve(env: Environment): Promise<ServingProcess> {
  const quiet = { MEM_HTTP_HOST: '127.0.0.1', MEM_HTTP_PORT: '0', MEM_LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, [await memProgram(), 'serve'], { env: { ...env, ...quiet } });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let screen = '';
  child.stderr.on('data', (chunk) => {
    screen += chunk;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      screen += chunk;
      const address = /listening {2}(http:\S+)/.exec(screen)?.[1];
      if (address) resolve(address);
    });
    void ended.then(() => reject(new Error(`mem serve ended:\n${screen}`)));
  });
  return {
    url,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
