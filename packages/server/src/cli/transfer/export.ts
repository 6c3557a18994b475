import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Fault } from '@mem-service/contract';
import type { ExitCode } from '../failure.ts';
import type { OwnParts } from '../own/command.ts';
import { openProgress } from '../progress.ts';
import { clean } from '../render/text.ts';
import { withConnection } from './connection.ts';

type ExportOptions = { branch: string | undefined; out: string | undefined; gzip: boolean };
type ExportProgress = { records: number; seq: number };

/** The file gets its name only when it is complete. */
export async function exportAccount(parts: OwnParts, { branch, out, gzip }: ExportOptions): Promise<ExitCode> {
  return withConnection<ExitCode>(parts, 'read', async (connection) => {
    const written: ExportProgress = { records: 0, seq: 0 };
    const source = Readable.from(
      chunksOf(connection.lines('transfer.export', branch === undefined ? {} : { branch }), written),
    );
    if (!(await writeTo(out, source, { gzip }))) return 0;
    const what = branch === undefined ? 'records' : `entries of ${clean(branch)}`;
    if (out !== undefined)
      parts.terminal.err(`exported ${written.records} ${what}, up to seq ${written.seq}, to ${clean(out)}\n`);
    return 0;
  });
}

/** Writes into a file, which gets its name at the end, or to standard output. Returns false where nobody reads that any more. */
export async function writeTo(
  out: string | undefined,
  source: Readable,
  { gzip }: { gzip: boolean },
): Promise<boolean> {
  const part = out === undefined ? undefined : `${out}.part`;
  const target = part === undefined ? standardOutput() : createWriteStream(part, { mode: 0o600 });
  try {
    if (gzip) await pipeline(source, createGzip(), target);
    else await pipeline(source, target);
    if (out !== undefined && part !== undefined) await rename(part, out);
    return true;
  } catch (error) {
    if (part !== undefined) await rm(part, { force: true });
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return false;
    throw error;
  }
}

/** Standard output is not closed at the end, because other code may still print. */
const standardOutput = () =>
  new Writable({
    write(chunk, _encoding, done) {
      process.stdout.write(chunk, done);
    },
  });

const CHUNK_CHARS = 64 * 1024;

async function* chunksOf(lines: AsyncIterable<string>, written: ExportProgress): AsyncGenerator<string> {
  const progress = openProgress('exporting');
  let counts: Record<string, number> | undefined;
  let total = 0;
  let chunk = '';
  for await (const line of lines) {
    if (counts === undefined) {
      const header = JSON.parse(line) as { seq: number; counts: Record<string, number> };
      counts = { ...header.counts };
      written.seq = header.seq;
      total = Object.values(counts).reduce((sum, n) => sum + n, 0);
    } else progress.show(++written.records, total);
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_CHARS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
  progress.end();
  if (written.records !== total)
    throw new Fault('internal', `the export broke off after ${written.records} of ${total} records`);
}
