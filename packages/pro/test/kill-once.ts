import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { StorePlace } from '../../../tests/support/app.ts';
import { programOf } from '../../../tests/support/program.ts';

/** Lets a process of its own judge the past of a store, and kills it once the first traces are judged, or counted as evidence. */
export async function killOnce(until: 'judged' | 'counted', { options }: StorePlace, now: number): Promise<void> {
  const { dataDir, postgresDsn } = options;
  const program = await programOf(join(import.meta.dirname, 'judging-process.ts'));
  const child = spawn(process.execPath, [program, JSON.stringify({ dataDir, postgresDsn, now, until })]);
  const over = once(child, 'exit');
  let output = '';
  child.stderr.on('data', (chunk) => (output += chunk));
  child.stdout.on('data', (chunk) => {
    output += chunk;
    if (output.includes(until)) child.kill('SIGKILL');
  });
  const [code, signal] = await over;
  expect(signal, `${code}: ${output}`).toBe('SIGKILL');
}
