import { hash } from 'node:crypto';
import type { Query } from '../../db/index.ts';
import { type EntryView, type ReadContext, reaches } from '../../kernel/index.ts';
import { type CommittedVersion, listVersionsOfCommit } from '../entries/index.ts';
import * as queries from './queries.ts';

export type CommitEntry = { entity_path: string; key: string; version: number; content_hash: string };

export const treeHashOf = (hashes: readonly string[]): string => hash('sha256', [...hashes].sort().join('\n'), 'hex');

function fromVersion({ document, version, content_hash }: CommittedVersion): CommitEntry {
  const { entity_path, key } = JSON.parse(document) as CommitEntry;
  return { entity_path, key, version, content_hash };
}

/** The commit before it, as far as the caller may know. */
export async function parentOf(query: Query, view: EntryView, row: queries.CommitRow): Promise<string | null> {
  if (view.scope === undefined) return row.parent_id;
  const ofBranch = { ...view, lineage: [{ branch: row.branch, up_to_seq: null }] };
  return (await queries.listCommits(query, ofBranch, { before: row.seq, limit: 1 }))[0]?.commit_id ?? null;
}

export type Narrowed = { row: queries.CommitRow; entries: CommitEntry[]; isNarrowed: boolean };

/**
 * Commits as the caller may know them. Of one that wrote elsewhere too, a key that is kept to a part sees what it wrote
 * there, as if that were all; what was said of the whole is left out.
 */
export async function narrowed(
  context: ReadContext,
  rows: readonly queries.CommitRow[],
  wanted: 'rows' | 'entries',
): Promise<Narrowed[]> {
  const { read, view } = context;
  const { scope } = view;
  const versionsOf = async ({ commit_id }: queries.CommitRow) =>
    (await listVersionsOfCommit(read, view, commit_id)).map(fromVersion);
  if (scope === undefined)
    return Promise.all(
      rows.map(async (row) => ({
        row,
        entries: wanted === 'entries' ? await versionsOf(row) : [],
        isNarrowed: false,
      })),
    );
  return Promise.all(
    rows.map(async (row) => {
      const all = await versionsOf(row);
      const entries = all.filter(({ entity_path }) => reaches(scope, entity_path));
      const parent_id = await parentOf(read, view, row);
      const isNarrowed = entries.length < row.entry_count;
      const seen = {
        message: '',
        entry_count: entries.length,
        tree_hash: treeHashOf(entries.map((one) => one.content_hash)),
      };
      return { row: { ...row, parent_id, ...(isNarrowed ? seen : {}) }, entries, isNarrowed };
    }),
  );
}
