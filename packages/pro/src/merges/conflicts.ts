import { ADMINS, bytesOfTexts, EVERYONE, Fault, pause, storeMore, type Work } from '@mem-service/server/module';
import { type ConflictRow, deleteConflicts, insertConflicts, listAllConflicts } from './conflict-queries.ts';
import { MAX_WAITING_MERGES } from './limits.ts';
import { nameText } from './load.ts';
import type { PlannedEntry } from './plan.ts';
import * as queries from './queries.ts';

/** How many conflicts an answer names. */
const MAX_NAMED = 20;

export const namedConflicts = (open: readonly PlannedEntry[]) =>
  open
    .filter(({ isSeen }) => isSeen)
    .slice(0, MAX_NAMED)
    .map(({ at, merged }) => ({ ...at, reason: merged.kind === 'conflict' ? merged.reason : '' }));

export function conflictsFault({ merge_id }: queries.MergeRow, open: readonly PlannedEntry[]): Fault {
  const hidden = open.filter(({ isSeen }) => !isSeen).length;
  const what = open.length === 1 ? 'is a conflict' : `are ${open.length} conflicts`;
  const message = `there ${what} to resolve before the merge ${merge_id}`;
  return new Fault('merge_conflicts', message, {
    merge_id,
    conflicts: open.length,
    hidden,
    conflicting: namedConflicts(open),
  });
}

type StoredConflicts = {
  row: queries.MergeRow;
  open: readonly PlannedEntry[];
  waiting: queries.MergeRow | undefined;
};

/** Keeps a merge with its conflicts until they are resolved. What was resolved before and still counts stays so. */
export async function storeConflicts(work: Work, { row, open, waiting }: StoredConflicts): Promise<void> {
  const { tx, account_id } = work;
  const before = waiting ? await listAllConflicts(tx, waiting) : [];
  if (!waiting && (await queries.hasMerges(tx, account_id, { status: 'conflicts', count: MAX_WAITING_MERGES })))
    throw new Fault('conflict', `${MAX_WAITING_MERGES} merges wait for their conflicts to be resolved: finish some`, {
      max_waiting_merges: MAX_WAITING_MERGES,
    });
  if (waiting) {
    await deleteConflicts(tx, waiting);
    await queries.deleteMerge(tx, account_id, waiting.merge_id);
  }
  const resolved = before.filter(({ take }) => take !== null);
  const numbers = new Map(before.map((one) => [nameText(one), one.no]));
  let next = before.reduce((most, { no }) => Math.max(most, no + 1), 0);
  const found: ConflictRow[] = [];
  for (const planned of open) {
    found.push(toRow(row, planned, numbers.get(nameText(planned.at)) ?? next++));
    await pause();
  }
  const openNames = new Set(found.map(nameText));
  const kept = resolved.filter((one) => !openNames.has(nameText(one)));
  const bytes = (rows: readonly ConflictRow[], message: string) =>
    bytesOfTexts([message, ...rows.map(({ value }) => value)]);
  storeMore(work, bytes(kept, row.message) - (waiting ? bytes(before, waiting.message) : 0));
  work.send(tx.insertMany(queries.insertMerge, [{ ...row, created_at: waiting?.created_at ?? row.created_at }]));
  await inParts([...found, ...kept], (rows) => tx.insertMany(insertConflicts, rows));
}

/** Rows that are stored before other requests get a turn. */
const ROWS_PER_PART = 500;

export async function inParts<T>(rows: readonly T[], store: (rows: T[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_PER_PART) {
    await store(rows.slice(from, from + ROWS_PER_PART));
    await pause();
  }
}

function toRow({ account_id, merge_id }: queries.MergeRow, planned: PlannedEntry, no: number): ConflictRow {
  const { at, rows, merged } = planned;
  if (merged.kind !== 'conflict') throw new Error('only a conflict is stored as one');
  const { base, source, target } = rows;
  return {
    ...{ account_id, merge_id, no, ...at, reason: merged.reason },
    fields: JSON.stringify(merged.fields.slice(0, MAX_FIELDS)),
    base_entry: base?.entry_id ?? null,
    base_version: base?.version ?? null,
    source_entry: source?.entry_id ?? null,
    source_version: source?.version ?? null,
    target_entry: target?.entry_id ?? null,
    target_version: target?.version ?? null,
    visible_to: seenBy(rows),
    ...{ take: null, value: null, resolved_by: null, resolved_at: null },
  };
}

/** Who may see every side of a conflict: everyone, the author of what is private in it, or nobody where there are two. */
function seenBy({ base, source, target }: PlannedEntry['rows']): string {
  const authors = new Set([source, target, base].flatMap((row) => (row?.shared === 0 ? [row.agent_id] : [])));
  const [author = EVERYONE] = authors;
  return authors.size > 1 ? ADMINS : author;
}

/** Pointers that a conflict names; a value may have a thousand members and more. */
const MAX_FIELDS = 100;
