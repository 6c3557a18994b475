import { attachRaw, type EntryKey } from '@mem-service/contract';
import { isSender } from '../../kernel/authorize-sender.ts';
import { type ExitCode, UsageError } from '../failure.ts';
import type { OwnParts } from '../own/command.ts';
import { withConnection } from './connection.ts';
import { sendAll } from './foreign.ts';
import { type EntriesHeader, incomplete } from './header.ts';
import { type ForeignImportReport, reportText } from './report.ts';

type EntriesImportOptions = {
  header: EntriesHeader;
  lines: AsyncIterable<string>;
  on_conflict: 'version' | 'skip';
  dry_run: boolean;
  json: boolean;
};

/** Imports the entries of a branch next to existing ones. */
export async function importEntries(parts: OwnParts, options: EntriesImportOptions): Promise<ExitCode> {
  const { header, lines, on_conflict, dry_run, json } = options;
  if (header.version !== 1) throw new UsageError(`the file is of version ${header.version} of the format, not 1`);
  return withConnection<ExitCode>(parts, dry_run ? 'dry run' : 'write', async (connection, memory) => {
    const read: ReadEntries = { count: 0, ofSenders: 0 };
    const sent = { entries: entriesOf(lines, read), count: header.counts.entry, links: [] };
    const totals = await sendAll(connection, sent, { source: 'mem', on_conflict, dry_run });
    if (read.count !== header.counts.entry) throw incomplete(read.count, header);
    const notes = read.ofSenders > 0 ? [`of events from outside, imported in your name: ${read.ofSenders}`] : [];
    const found = { entries: read.count, versions: read.count, links: 0, repeated: 0, similar: [], notes };
    const report: ForeignImportReport = { system: `mem export of ${header.branch}`, dry_run, memory, found, ...totals };
    parts.terminal.out(json ? `${JSON.stringify(report)}\n` : reportText(report));
    return 0;
  });
}

type ReadEntries = { count: number; ofSenders: number };

const RAW = [['value']] as const;

async function* entriesOf(lines: AsyncIterable<string>, read: ReadEntries): AsyncGenerator<EntryKey> {
  let no = 0;
  for await (const line of lines) {
    if (++no === 1 || line === '') continue;
    const { record, ...entry } = parseEntry(line, no);
    if (record !== 'entry') throw new UsageError(`line ${no} is no entry`);
    read.count++;
    // Nobody writes in the name of a sender of events.
    const isOfSender = typeof entry.agent_id === 'string' && isSender(entry.agent_id);
    if (isOfSender) read.ofSenders++;
    yield isOfSender ? { ...entry, agent_id: undefined } : entry;
  }
}

type EntryLine = EntryKey & { record?: unknown; agent_id?: unknown };

function parseEntry(line: string, no: number): EntryLine {
  try {
    const parsed = JSON.parse(line) as EntryLine;
    attachRaw(line, parsed, RAW);
    return parsed;
  } catch (error) {
    throw new UsageError(`line ${no} is not JSON: ${(error as Error).message}`);
  }
}
