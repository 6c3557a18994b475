import type { Glob } from '@mem-service/contract';
import { andAll, type Engine, fragment, type Query, type Sql, sql } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { type EntryRow, entriesIn, entryColumns, shownIn } from '../entries/index.ts';

const ENTRY = fragment(Object.keys(entryColumns).join(', '));

/** The columns of an entry that an answer needs or a page may be sorted by. */
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

/** Entries at some paths, or everywhere where `paths` is undefined, that pass the caller's filters. */
export type SearchCandidates = { paths: readonly Glob[] | undefined; filters: readonly Sql[] };

/** A condition: entries with a pattern reference. */
export function hasPatternRef(engine: Engine, ref: string): Sql {
  const refs =
    engine === 'sqlite'
      ? 'json_each(pattern_refs)'
      : 'jsonb_array_elements_text(CAST(pattern_refs AS jsonb)) AS refs(value)';
  return sql`pattern_refs <> '[]' AND EXISTS (SELECT 1 FROM ${fragment(refs)} WHERE value = ${ref})`;
}

/** Returns those of the entries with these `seq` that pass the filters. */
export function getEntriesBySeq(
  query: Query,
  view: EntryView,
  { seqs, paths, filters }: SearchCandidates & { seqs: Sql },
): Promise<FoundRow[]> {
  return query.all<FoundRow>(
    sql`SELECT ${FOUND} FROM ${entriesIn(view, { paths })}
        WHERE seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs})${andAll(filters)}`,
  );
}

/** Returns entries that pass the filters, newest first. */
export function listNewest(
  query: Query,
  view: EntryView,
  { paths, filters, limit }: SearchCandidates & { limit: number },
): Promise<FoundRow[]> {
  return query.all<FoundRow>(
    sql`SELECT ${FOUND} FROM ${entriesIn(view, { paths })} WHERE true${andAll(filters)} ORDER BY seq DESC LIMIT ${limit}`,
  );
}

export type SortColumn = 'confidence' | 'seq' | 'version';
export type FilterPage = SearchCandidates & {
  scan: number;
  sort: SortColumn;
  limit: number;
  ordered: 'path' | 'recent';
};

const lookedAt = (view: EntryView, { paths }: FilterPage): Sql => entriesIn(view, { including: 'all', paths });

/** The best by a column, among the entries that a search may scan. */
export function listByFilter(query: Query, view: EntryView, page: FilterPage): Promise<FoundRow[]> {
  const first = fragment(page.ordered === 'path' ? 'entity_path, key' : 'seq DESC');
  return query.all<FoundRow>(
    sql`SELECT ${FOUND} FROM (SELECT ${ENTRY} FROM ${lookedAt(view, page)} ORDER BY ${first} LIMIT ${page.scan}) AS looked_at
        WHERE ${shownIn(view)}${andAll(page.filters)} ORDER BY ${fragment(page.sort)} DESC, seq DESC LIMIT ${page.limit}`,
  );
}

/** Whether there are more entries than a search may scan. */
export async function hasMoreToScan(query: Query, view: EntryView, page: FilterPage): Promise<boolean> {
  const row = await query.get(sql`SELECT 1 AS beyond FROM ${lookedAt(view, page)} LIMIT 1 OFFSET ${page.scan}`);
  return row !== undefined;
}
