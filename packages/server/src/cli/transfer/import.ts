import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Fault, type Output } from '@mem-service/contract';
import { describeLocation } from '@mem-service/mcp/location';
import type { ServiceConnection } from '../connect.ts';
import { type ExitCode, problemOf, UsageError } from '../failure.ts';
import type { Stdin } from '../input.ts';
import type { OwnParts } from '../own/command.ts';
import { openProgress, type Progress } from '../progress.ts';
import { clean } from '../render/index.ts';
import { withConnection } from './connection.ts';
import { type EntriesHeader, type ImportHeader, incomplete, totalOf } from './header.ts';
import { linesOf, peek } from './lines.ts';

type AccountImportOptions = { path: string; on_conflict: 'version' | 'skip'; dry_run: boolean; json: boolean };
type ImportStatus = Output<'transfer.status'>;

const MAX_LINES = 1000;
const MAX_CHARS = 1024 * 1024;

/** Imports a whole export: all lines are uploaded, then applied at once. Entries of a branch go in beside others. */
export async function importExport(parts: OwnParts, options: AccountImportOptions): Promise<ExitCode> {
  const { path, dry_run, json } = options;
  const { lines, header } = await checkedLines(path, parts.terminal.stdin);
  if (isOfBranch(header)) {
    const { importEntries } = await import('./entries.ts');
    return importEntries(parts, { ...options, header, lines });
  }
  return withConnection<ExitCode>(parts, dry_run ? 'dry run' : 'write', async (connection, memory) => {
    const status = await ask<ImportStatus>(connection, 'transfer.status', {});
    if (!status.is_empty)
      throw new Fault('conflict', `an export goes into an empty account; this one is at seq ${status.seq}`);
    const progress = openProgress(dry_run ? 'checking' : 'importing');
    const sent = await send(connection, lines, { status, dry_run, progress });
    progress.end();
    if (!dry_run) await finish(connection, sent.header);
    const report = { dry_run, memory, resumed_at: status.received, records: sent.records, seq: sent.header.seq };
    const did = dry_run ? 'can be imported' : 'imported';
    parts.terminal.out(
      json
        ? `${JSON.stringify(report)}\n`
        : `${did}: ${sent.records} records, up to seq ${sent.header.seq}\nmemory: ${clean(describeLocation(memory))}\n`,
    );
    return 0;
  });
}

type CheckedLines = { header: ImportHeader | EntriesHeader; lines: AsyncIterable<string> };

const isOfBranch = (header: ImportHeader | EntriesHeader): header is EntriesHeader => header.format === 'mem-entries';

/** A file that is no whole export is refused before memory is opened, or created. Standard input is read only once. */
async function checkedLines(path: string, stdin: Stdin): Promise<CheckedLines> {
  const { first, all } = await peek(linesOf(path, stdin));
  if (first === undefined) throw new UsageError('the file is empty');
  const header = headerOf(first);
  if (path === '-') return { header, lines: all };
  let count = 0;
  for await (const line of all) if (line !== '') count++;
  if (count - 1 !== totalOf(header)) throw incomplete(count - 1, header);
  return { header, lines: linesOf(path, stdin) };
}

export async function discardImport(parts: OwnParts, json: boolean): Promise<ExitCode> {
  return withConnection<ExitCode>(parts, 'read', async (connection) => {
    const text = await connection.call('transfer.discard', {});
    const { discarded } = JSON.parse(text) as Output<'transfer.discard'>;
    parts.terminal.out(json ? `${text}\n` : `discarded ${discarded} lines\n`);
    return 0;
  });
}

async function ask<T>(
  connection: ServiceConnection,
  name: Parameters<ServiceConnection['call']>[0],
  input: Record<string, unknown>,
) {
  return JSON.parse(await connection.call(name, input)) as T;
}

type SendOptions = { status: ImportStatus; dry_run: boolean; progress: Progress };
type SentLines = { records: number; header: ImportHeader };

async function send(connection: ServiceConnection, lines: AsyncIterable<string>, how: SendOptions): Promise<SentLines> {
  const { status, dry_run, progress } = how;
  const known = dry_run ? 0 : status.received;
  let header: ImportHeader | undefined;
  let part: string[] = [];
  let chars = 0;
  let count = 0;
  const flush = async () => {
    if (part.length > 0) await sendLines(connection, { from: count - part.length, lines: part, dry_run });
    progress.show(count, (header ? totalOf(header) : 0) + 1);
    part = [];
    chars = 0;
  };
  for await (const line of lines) {
    if (line === '') continue;
    if (count === 0) header = headerOf(line);
    if (count === 0 && known > 0 && !isDeepStrictEqual(header, status.header)) throw otherImport(status);
    count++;
    if (count === known) checkSame(line, status);
    if (count <= known) continue;
    part.push(line);
    chars += line.length;
    if (part.length === MAX_LINES || chars > MAX_CHARS) await flush();
  }
  await flush();
  if (!header) throw new UsageError('the file is empty');
  if (count < known) throw otherImport(status);
  // A truncated file is detected before the service is asked to apply it.
  const records = count - 1;
  if (records !== totalOf(header)) {
    if (!dry_run) await connection.call('transfer.discard', {});
    throw incomplete(records, header);
  }
  return { records, header };
}

/** The service validates the header; here it only gives the number of records. */
function headerOf(line: string): ImportHeader {
  try {
    const header = JSON.parse(line) as ImportHeader;
    if (header.record === 'header' && typeof header.counts === 'object') return header;
  } catch {}
  throw new UsageError(
    'line 1 is not the header of an export, and the file is of no other system that is known: see mem help import',
  );
}

const otherImport = ({ received }: ImportStatus) =>
  new Fault(
    'conflict',
    `another import is under way (${received} lines): go on with its file, or mem import --discard`,
  );

/** Lines uploaded earlier are not sent again, provided they came from this file. */
function checkSame(line: string, status: ImportStatus): void {
  if (createHash('sha256').update(line).digest('hex') !== status.last_line_hash) throw otherImport(status);
}

/** An invalid line aborts the import, and nothing of it is kept. */
async function sendLines(
  connection: ServiceConnection,
  input: { from: number; lines: string[]; dry_run: boolean },
): Promise<void> {
  try {
    await connection.call('transfer.add', input);
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code !== 'invalid_input') throw error;
    if (!input.dry_run) await connection.call('transfer.discard', {});
    const answer = (problem.errors ?? []).map(({ message }) => message);
    throw new Fault('invalid_input', answer.length > 0 ? answer.join('\n') : problem.detail);
  }
}

const POLL_MS = 1000;
const PATIENCE_MS = 30 * 60_000;

/** Applying may outlast the connection: on a lost connection, the status is polled. */
async function finish(connection: ServiceConnection, header: ImportHeader): Promise<void> {
  try {
    await connection.call('transfer.finish', {});
  } catch (error) {
    const { status } = problemOf(error);
    if (status !== 0 && status < 500 && status !== 409) throw error;
    for (const started = performance.now(); performance.now() - started < PATIENCE_MS; await sleep(POLL_MS)) {
      const now = await ask<ImportStatus>(connection, 'transfer.status', {});
      if (now.received === 0 && now.seq === header.seq) return;
      if (status === 409 || now.received === 0) throw error;
    }
    throw error;
  }
}
