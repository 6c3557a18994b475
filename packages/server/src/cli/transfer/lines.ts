import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { splitLines } from '../../text-lines.ts';
import { fileProblem, UsageError } from '../failure.ts';
import type { Stdin } from '../input.ts';

const GZIP = [0x1f, 0x8b];

/** The lines of a file or of standard input, compressed or not. */
export async function* linesOf(path: string, stdin: Stdin): AsyncGenerator<string> {
  const bytes = path === '-' ? stdin : (createReadStream(path) as AsyncIterable<Uint8Array>);
  try {
    yield* splitLines(await unzipped(bytes));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall) throw fileProblem(error, path);
    throw new UsageError(`${path === '-' ? 'standard input' : path}: ${(error as Error).message}`);
  }
}

/** The first line that is not empty, and all lines from it on. */
export async function peek(
  lines: AsyncGenerator<string>,
): Promise<{ first: string | undefined; all: AsyncIterable<string> }> {
  let next = await lines.next();
  while (!next.done && next.value === '') next = await lines.next();
  const first = next.done ? undefined : next.value;
  return {
    first,
    all: (async function* () {
      if (first === undefined) return;
      yield first;
      yield* lines;
    })(),
  };
}

async function unzipped(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first = await iterator.next();
  const whole = (async function* () {
    if (first.done) return;
    yield first.value;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  })();
  if (first.done || !GZIP.every((byte, i) => first.value[i] === byte)) return whole;
  const { Readable } = await import('node:stream');
  const source: Readable = Readable.from(whole);
  const unzip = createGunzip();
  source.on('error', (error) => unzip.destroy(error));
  return source.pipe(unzip);
}
