import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename } from 'node:path';
import { pinned } from './machine.mjs';

const running = new Set();

function track(child) {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Ends all child processes, however the bench ends. */
export function killAll() {
  for (const child of running) child.kill('SIGKILL');
}

/** The environment without the settings of the service. */
export function environment(extra = {}) {
  const kept = Object.entries(process.env).filter(([name]) => !/^(MEM_|OTEL_|NODE_OPTIONS$)/.test(name));
  return { ...Object.fromEntries(kept), ...extra };
}

/** Without arguments, which may be long. */
const nameOf = (command, args) => basename(args.find((arg) => arg.endsWith('.mjs')) ?? command);

/** Runs a program to completion. */
export async function run(command, args, { input, env = environment(), timeoutMs, showErrors = false } = {}) {
  const child = track(spawn(command, args, { env, stdio: ['pipe', 'pipe', showErrors ? 'inherit' : 'pipe'] }));
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  if (code !== 0)
    throw new Error(`${nameOf(command, args)} ended with ${code ?? signal} ${(stderr || stdout).slice(-2000)}`);
  return { stdout, stderr };
}

const START_MS = 60_000;

/** Starts a server on the first server's core or the second's, and waits until it prints its address. */
export async function startServer(file, { args = [], nodeArgs = [], env = {}, role = 'server' } = {}) {
  const [command, all] = pinned(role, process.execPath, [...nodeArgs, file, ...args]);
  const child = track(spawn(command, all, { env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] }));
  let output = '';
  const url = await new Promise((resolve, reject) => {
    const fail = (reason) => reject(new Error(`${file} ${reason}\n${output}`));
    const timer = setTimeout(() => fail('does not start'), START_MS);
    const read = (text) => {
      output = (output + text).slice(-8192);
      const port = /listening\s+http:\/\/[^\s:]+:(\d+)/.exec(output)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(`http://127.0.0.1:${port}`);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    child.once('exit', () => fail('ended'));
  });
  return { url, pid: child.pid, stop: () => stop(child) };
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}

/** Resident memory in MB: in total, of the process itself, and of mapped files. */
export function residentMemory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mb = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return { all: mb('VmRSS'), own: mb('RssAnon'), files: mb('RssFile') };
}

const TICKS_A_SECOND = 100;

/** The CPU time of a process. */
export function cpuSeconds(pid) {
  // The process name, in parentheses, may contain any character.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

export async function freePort() {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
