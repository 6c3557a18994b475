import { type Find, fragment, type Query, sql } from '../../db/index.ts';
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

type EntryName = Pick<EntryRow, 'entity_path' | 'key'>;

/** The entries of a view with these names, also deleted and invisible ones, without their documents. */
export function findComparedIn(query: Query, view: EntryView, names: readonly EntryName[]): Promise<ComparedRow[]> {
  return query.all<ComparedRow>(sql`SELECT ${COMPARED} FROM ${entryKeysNamed(view, names)}`);
}

/** A version with the confidence that it was written with. */
export type VersionText = Pick<VersionRow, 'document' | 'confidence'>;

const versionTexts: Find = {
  table: 'versions',
  select: 'document, confidence',
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
