import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../faults/support/mem-process.ts';

const root = join(import.meta.dirname, '..', '..');

it('a SIGTERM to npm start reaches the server, which finishes what it has accepted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mem-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { PATH: process.env.PATH, HOME: folder, MEM_DATA_DIR: join(folder, 'store'), MEM_HTTP_PORT: '0' };
  const npm = spawn('npm', ['start', '--', '--local'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void npm.kill('SIGKILL'));
  let output = '';
  for (const stream of [npm.stdout, npm.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  await until(() => /listening {2}http:\S+/.test(output) || npm.exitCode !== null, { seconds: 110 });
  const url = /listening {2}(http:\S+)/.exec(output)?.[1] ?? '';
  expect((await fetch(`${url}/health`)).status, output).toBe(200);
  npm.kill('SIGTERM');
  await until(() => output.includes('"stopped"'), { what: `the server to stop: ${output}` });
  await expect(fetch(`${url}/health`)).rejects.toThrow();
}, 180_000);
