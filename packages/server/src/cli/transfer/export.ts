import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Fault } from '@mem-service/contract';
import type { ExitCode } from '../failure.ts';
import type { OwnParts } from '../own/command.ts';
import { openProgress } from '../progress.ts';
import { connected } from './connection.ts';

type Options = { out: string | undefined; gzip: boolean };
type Told = { records: number; seq: number };

/** A file has its name only when it is whole. */
export async function exportAccount(parts: OwnParts, { out, gzip }: Options): Promise<ExitCode> {
  return connected<ExitCode>(parts, async (connection) => {
    const told: Told = { records: 0, seq: 0 };
    const source = Readable.from(chunksOf(connection.lines('transfer.export', {}), told));
    const part = out === undefined ? undefined : `${out}.part`;
    const target = part === undefined ? standardOutput() : createWriteStream(part, { mode: 0o600 });
    try {
      if (gzip) await pipeline(source, createGzip(), target);
      else await pipeline(source, target);
      if (out !== undefined && part !== undefined) await rename(part, out);
    } catch (error) {
      if (part !== undefined) await rm(part, { force: true });
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') return 0;
      throw error;
    }
    if (out !== undefined) parts.terminal.err(`exported ${told.records} records, up to seq ${told.seq}, to ${out}\n`);
    return 0;
  });
}

/** Not closed at the end: others may have something to say. */
const standardOutput = () =>
  new Writable({
    write(chunk, _encoding, done) {
      process.stdout.write(chunk, done);
    },
  });

const CHUNK_CHARS = 64 * 1024;

async function* chunksOf(lines: AsyncIterable<string>, told: Told): AsyncGenerator<string> {
  const progress = openProgress('exporting');
  let counts: Record<string, number> | undefined;
  let total = 0;
  let chunk = '';
  for await (const line of lines) {
    if (counts === undefined) {
      const header = JSON.parse(line) as { seq: number; counts: Record<string, number> };
      counts = { ...header.counts };
      told.seq = header.seq;
      total = Object.values(counts).reduce((sum, n) => sum + n, 0);
    } else progress.show(++told.records, total);
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_CHARS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
  progress.end();
  if (told.records !== total)
    throw new Fault('internal', `the export broke off after ${told.records} of ${total} records`);
}
