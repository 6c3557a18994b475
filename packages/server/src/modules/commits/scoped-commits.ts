import { hash } from 'node:crypto';
import type { Query } from '../../db/index.ts';
import type { EntryView, ReadContext } from '../../kernel/index.ts';
import { listVersionsOfCommit, listVersionsOfCommits } from '../entries/index.ts';
import * as queries from './queries.ts';

export type CommitEntry = { entity_path: string; key: string; version: number; content_hash: string };

export const treeHashOf = (hashes: readonly string[]): string => hash('sha256', [...hashes].sort().join('\n'), 'hex');

/** The previous commit that the caller may see. */
export async function parentOf(query: Query, view: EntryView, row: queries.CommitRow): Promise<string | null> {
  if (view.scope === undefined) return row.parent_id;
  const ofBranch = { ...view, lineage: [{ branch: row.branch, up_to_seq: null }] };
  const { rows } = await queries.listCommits(query, ofBranch, { before: row.seq, limit: 1 });
  return rows[0]?.commit_id ?? null;
}

export type ScopedCommit = { row: queries.CommitRow; entries: CommitEntry[]; isPartial: boolean };

/** A commit as far as the caller may see it, with its entries. */
export async function readCommit({ read, view, dialect }: ReadContext, row: queries.CommitRow): Promise<ScopedCommit> {
  if (view.scope === undefined) {
    const entries = await listVersionsOfCommit(read, view, row.commit_id);
    return { row, entries, isPartial: false };
  }
  const [entries, parent_id] = await Promise.all([
    listVersionsOfCommits(read, view, dialect.texts([row.commit_id])),
    parentOf(read, view, row),
  ]);
  return narrow(row, entries, parent_id);
}

/**
 * Commits of a list, newest first, as far as the caller may see them. The parent of a commit is the next one of its branch
 * in the list; only that of the last commit of a branch has to be looked up.
 */
export async function narrowCommits(
  { read, view, dialect }: ReadContext,
  rows: readonly queries.CommitRow[],
): Promise<queries.CommitRow[]> {
  if (view.scope === undefined) return [...rows];
  const written = await listVersionsOfCommits(read, view, dialect.texts(rows.map(({ commit_id }) => commit_id)));
  const byCommit = new Map<string, CommitEntry[]>(rows.map(({ commit_id }) => [commit_id, []]));
  for (const version of written) byCommit.get(version.commit_id)?.push(version);
  const narrowed: queries.CommitRow[] = [];
  const next = new Map<string, string>();
  for (const row of rows.toReversed()) {
    const parent_id = next.get(row.branch) ?? (await parentOf(read, view, row));
    next.set(row.branch, row.commit_id);
    narrowed.unshift(narrow(row, byCommit.get(row.commit_id) ?? [], parent_id).row);
  }
  return narrowed;
}

/**
 * Of a commit that also wrote elsewhere, a scoped key sees only the part in scope; the message about the whole is left out.
 */
function narrow(row: queries.CommitRow, written: readonly CommitEntry[], parent_id: string | null): ScopedCommit {
  const entries = written.map(({ entity_path, key, version, content_hash }) => ({
    entity_path,
    key,
    version,
    content_hash,
  }));
  const isNarrowed = entries.length < row.entry_count;
  const tree_hash = treeHashOf(entries.map((one) => one.content_hash));
  const seen = isNarrowed ? { message: '', entry_count: entries.length, tree_hash } : {};
  return { row: { ...row, parent_id, ...seen }, entries, isPartial: isNarrowed };
}
