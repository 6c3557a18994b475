import type { ChildProcessWithoutNullStreams } from 'node:child_process';

/** What a program has printed so far, on both channels. */
export function outputOf({ stdout, stderr }: Pick<ChildProcessWithoutNullStreams, 'stdout' | 'stderr'>) {
  const printed = { out: '', err: '' };
  stdout.setEncoding('utf8').on('data', (chunk) => {
    printed.out += chunk;
  });
  stderr.setEncoding('utf8').on('data', (chunk) => {
    printed.err += chunk;
  });
  return printed;
}
