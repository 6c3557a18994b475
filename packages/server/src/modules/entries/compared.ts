import type { EntryKey } from '@mem-service/contract';
import { type Dialect, type Find, fragment, type Query, type Sql, sql } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import type { VersionNumber } from './by-number.ts';
import { entryKeysNamed } from './relation-by-name.ts';
import type { EntryRow, VersionRow } from './rows.ts';
import type { NewestLine } from './standings.ts';

/** An entry of a view without its document, with the size of it. */
export type ComparedRow = Omit<EntryRow, 'document'> & NewestLine & { document_bytes: number };

const COMPARED = fragment(
  [
    ...['account_id', 'entry_id', 'branch', 'entity_path', 'key', 'version', 'seq', 'deleted', 'shared', 'agent_id'],
    ...['written_at', 'ttl_at', 'confidence', 'content_hash', 'integrity_chain', 'memory_type', 'is_artifact'],
    ...['pattern_refs', 'standing', 'standing_no', 'recall_count', 'line_seq', 'line_no', 'document_bytes'],
  ].join(', '),
);

/** The entries of a view with these names, also deleted and invisible ones, without their documents. */
export function findComparedIn(query: Query, view: EntryView, names: readonly EntryKey[]): Promise<ComparedRow[]> {
  return query.all<ComparedRow>(sql`SELECT ${COMPARED} FROM ${entryKeysNamed(view, names)}`);
}

/** A version with the confidence that it was written with. */
export type VersionText = Pick<VersionRow, 'document' | 'confidence' | 'deleted' | 'seq'>;

const versionTexts: Find = {
  table: 'versions',
  select: 'document, confidence, deleted, seq',
  by: { account_id: 'text', entry_id: 'int', version: 'int' },
};

/** One result per number, in order; undefined where the version was erased. */
export function findVersionTexts(
  query: Query,
  accountId: string,
  numbers: readonly VersionNumber[],
): Promise<(VersionText | undefined)[]> {
  return query.findMany<VersionText>(
    versionTexts,
    numbers.map(({ entry_id, version }) => [accountId, entry_id, version]),
  );
}

export type CommittedName = EntryKey & { commit_id: string; branch: string; seq: number };

/** The entries that commits wrote, without a visibility check, in the order of the log. */
export function listCommittedNames(
  query: Query,
  dialect: Dialect,
  { account_id, commit_ids, most }: { account_id: string; commit_ids: readonly string[]; most: number },
): Promise<CommittedName[]> {
  const joined: Sql = {
    text:
      dialect.leftJoin('versions', 'versions.account_id = ? AND versions.commit_id = texts.value') +
      dialect.leftJoin('entries', 'entries.account_id = ? AND entries.entry_id = versions.entry_id'),
    values: [account_id, account_id],
  };
  return query.all<CommittedName>(
    sql`SELECT versions.commit_id, entries.branch, entries.entity_path, entries.key, versions.seq
        FROM ${dialect.texts(commit_ids)}${joined} WHERE entries.entry_id IS NOT NULL ORDER BY versions.seq LIMIT ${most}`,
  );
}
