import { andAll, type Engine, fragment, type Query, type Sql, sql } from '../../db/index.ts';
import { type EntryRow, entryColumns } from '../entries/index.ts';

const ENTRY = fragment(Object.keys(entryColumns).join(', '));

/** As much of an entry as an answer is made of, and what a page may be sorted by. */
export type FoundRow = Pick<
  EntryRow,
  | 'document'
  | 'confidence'
  | 'standing'
  | 'recall_count'
  | 'entry_id'
  | 'version'
  | 'seq'
  | 'memory_type'
  | 'written_at'
  | 'shared'
>;
const FOUND = fragment(
  'document, confidence, standing, recall_count, entry_id, version, seq, memory_type, written_at, shared',
);

export type Candidates = { account_id: string; branch: string; filters: readonly Sql[] };

/** Entries that carry a pattern reference. */
export function carries(engine: Engine, ref: string): Sql {
  const refs =
    engine === 'sqlite'
      ? 'json_each(pattern_refs)'
      : 'jsonb_array_elements_text(CAST(pattern_refs AS jsonb)) AS refs(value)';
  return sql`pattern_refs <> '[]' AND EXISTS (SELECT 1 FROM ${fragment(refs)} WHERE value = ${ref})`;
}

/** Those of the entries at these places in the log that pass the filters. */
export function getEntriesBySeq(query: Query, seqs: Sql, within: Candidates): Promise<FoundRow[]> {
  return query.all<FoundRow>(
    sql`SELECT ${FOUND} FROM entries WHERE account_id = ${within.account_id} AND branch = ${within.branch}
        AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs})${andAll(within.filters)}`,
  );
}

export type SortColumn = 'confidence' | 'seq' | 'version';
export type FilterPage = { scan: number; sort: SortColumn; limit: number; ordered: 'path' | 'recent' };

/** The best by a column among as many entries as a search may look at. */
export function listByFilter(
  query: Query,
  within: Candidates & { where: readonly Sql[] },
  page: FilterPage,
): Promise<FoundRow[]> {
  const first = fragment(page.ordered === 'path' ? 'entity_path, key' : 'seq DESC');
  return query.all<FoundRow>(
    sql`SELECT ${FOUND} FROM (SELECT ${ENTRY} FROM entries WHERE account_id = ${within.account_id} AND branch = ${within.branch}
          ${andAll(within.where)} ORDER BY ${first} LIMIT ${page.scan}) AS looked_at
        WHERE true${andAll(within.filters)} ORDER BY ${fragment(page.sort)} DESC, seq DESC LIMIT ${page.limit}`,
  );
}

/** Is there an entry beyond what a search may look at? */
export async function reachesBeyond(
  query: Query,
  within: Candidates & { where: readonly Sql[] },
  page: FilterPage,
): Promise<boolean> {
  const row = await query.get(
    sql`SELECT 1 AS beyond FROM entries WHERE account_id = ${within.account_id} AND branch = ${within.branch}
        ${andAll(within.where)} LIMIT 1 OFFSET ${page.scan}`,
  );
  return row !== undefined;
}
