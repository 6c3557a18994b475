import type { EntryKey } from '@mem-service/contract';
import { type Output, shapes, stringify } from '@mem-service/contract';
import type { PreparedImport } from '../../import/index.ts';
import type { System } from '../../import/systems.ts';
import type { ServiceConnection } from '../connect.ts';
import { type ExitCode, fileProblem, problemOf, UsageError } from '../failure.ts';
import type { OwnParts } from '../own/command.ts';
import { openProgress } from '../progress.ts';
import { withConnection } from './connection.ts';
import { type ForeignImportReport, reportText } from './report.ts';

type ForeignImportOptions = {
  system: System;
  path: string;
  into: string;
  on_conflict: 'version' | 'skip';
  dry_run: boolean;
  json: boolean;
};

const MAX_ITEMS = 200;
const MAX_CHARS = 1024 * 1024;

/** Imports the files of another system next to existing entries. */
export async function importForeign(parts: OwnParts, options: ForeignImportOptions): Promise<ExitCode> {
  const { system, path, dry_run, json } = options;
  const into = shapes.entityPath.safeParse(options.into);
  if (!into.success) throw new UsageError(`--into: ${into.error.issues[0]?.message}`);
  const prepared = await read(system, { path, into: into.data });
  return withConnection<ExitCode>(parts, dry_run ? 'dry run' : 'write', async (connection, memory) => {
    const report: ForeignImportReport = {
      system,
      dry_run,
      memory,
      found: found(prepared),
      ...(await sendAll(connection, { ...prepared, count: prepared.entries.length }, { ...options, source: system })),
    };
    parts.terminal.out(json ? `${JSON.stringify(report)}\n` : reportText(report));
    return 0;
  });
}

async function read(system: System, at: { path: string; into: string }): Promise<PreparedImport> {
  const { readForeign, ForeignError } = await import('../../import/index.ts');
  try {
    return await readForeign(system, at);
  } catch (error) {
    const isOfTheFile = error instanceof ForeignError || (error as NodeJS.ErrnoException).code !== undefined;
    throw isOfTheFile ? fileProblem(error, at.path) : error;
  }
}

const found = ({ entries, links, repeated, similar, notes }: PreparedImport): ForeignImportReport['found'] => ({
  entries: new Set(entries.map(({ entity_path, key }) => `${entity_path}\n${key}`)).size,
  versions: entries.length,
  links: links.length,
  repeated,
  similar,
  notes,
});

type ImportTotals = Pick<ForeignImportReport, 'entries' | 'links' | 'conflicts' | 'too_large' | 'secrets' | 'warnings'>;

type SentEntries = {
  entries: Iterable<EntryKey> | AsyncIterable<EntryKey>;
  /** How many entries there are. */
  count: number;
  links: readonly unknown[];
};
type ImportSource = { source: string; on_conflict: 'version' | 'skip'; dry_run: boolean };

/** Sends entries in parts that fit into a request, then links. */
export async function sendAll(
  connection: ServiceConnection,
  { entries, links, count: total }: SentEntries,
  { source, on_conflict, dry_run }: ImportSource,
): Promise<ImportTotals> {
  const done: ImportTotals = {
    entries: { written: 0, unchanged: 0, skipped: 0, older: 0 },
    links: { written: 0, unchanged: 0, missing: 0 },
    conflicts: [],
    too_large: [],
    secrets: [],
    warnings: [],
  };
  const progress = openProgress(dry_run ? 'checking' : 'importing');
  let sent = 0;
  const send = async (part: { entries: readonly EntryKey[] } | { links: unknown[] }, count: number) => {
    const call = (given: object) => connection.call('entries.import', { source, on_conflict, dry_run, ...given });
    const text = 'links' in part ? await call(part) : await sendFitting(call, part.entries, done);
    add(done, JSON.parse(text) as Output<'entries.import'>);
    sent += count;
    progress.show(sent, total + links.length);
  };
  for await (const part of partsOf(entries)) await send({ entries: part }, part.length);
  // Links come last, because they refer to entries that must exist.
  for await (const part of partsOf(links)) await send({ links: part }, part.length);
  progress.end();
  return done;
}

/** Skips entries that the service refuses for their value, and sends the rest. */
async function sendFitting(call: (given: object) => Promise<string>, entries: readonly EntryKey[], done: ImportTotals) {
  for (let left = entries; ; ) {
    try {
      return await call({ entries: left });
    } catch (error) {
      const { code, entity_path, key } = problemOf(error);
      const refused = { value_too_large: done.too_large, looks_like_secret: done.secrets }[String(code)];
      if (!refused || typeof entity_path !== 'string' || typeof key !== 'string') throw error;
      const fitting = left.filter((entry) => entry.entity_path !== entity_path || entry.key !== key);
      if (fitting.length === left.length) throw error;
      refused.push({ entity_path, key });
      left = fitting;
    }
  }
}

function add(done: ImportTotals, answer: Output<'entries.import'>): void {
  for (const { entity_path, key, status, version } of answer.entries) {
    done.entries[status]++;
    const isConflict = status === 'skipped' || status === 'older' || (status === 'written' && version > 1);
    if (isConflict) done.conflicts.push({ entity_path, key, status, version });
  }
  for (const { entity_path, key, kinds } of answer.warnings) done.warnings.push({ entity_path, key, kinds });
  for (const { status } of answer.links) done.links[status]++;
}

/** Splits items into parts that fit into a request. */
async function* partsOf<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T[]> {
  let part: T[] = [];
  let chars = 0;
  for await (const item of items) {
    const size = stringify(item).length;
    if (part.length > 0 && (part.length === MAX_ITEMS || chars + size > MAX_CHARS)) {
      yield part;
      part = [];
      chars = 0;
    }
    part.push(item);
    chars += size;
  }
  if (part.length > 0) yield part;
}
