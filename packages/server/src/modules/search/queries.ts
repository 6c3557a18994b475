import type { Glob } from '@mem-service/contract';
import { andAll, type Engine, emptySql, fragment, joinSql, type Query, type Sql, sql } from '../../db/index.ts';
import { type EntryView, isNewestOfOneBranch } from '../../kernel/index.ts';
import {
  type EntryKey,
  type EntryRow,
  entriesAt,
  entriesIn,
  entryColumns,
  entryKeysIn,
  shownIn,
} from '../entries/index.ts';

const ENTRY_KEYS = fragment(
  Object.keys(entryColumns)
    .filter((name) => name !== 'document')
    .join(', '),
);

/** The columns of an entry that an answer needs or a page may be sorted by, without its document. */
export type FoundKey = Pick<
  EntryRow,
  | 'confidence'
  | 'standing'
  | 'recall_count'
  | 'entry_id'
  | 'version'
  | 'seq'
  | 'memory_type'
  | 'written_at'
  | 'shared'
  | 'is_artifact'
  | 'deleted'
>;
const FOUND_KEYS = fragment(
  'confidence, standing, recall_count, entry_id, version, seq, memory_type, written_at, shared, is_artifact, deleted',
);
const FOUND = sql`document, document_bytes, ${FOUND_KEYS}`;

export type SizedKey = FoundKey & { document_bytes: number };
/** A long document is null: it is loaded if it is shown. */
export type FoundRow = SizedKey & { document: string | null };

/** Documents of up to so many bytes, and the sizes of all. */
const shortDocuments = (most: number): Sql =>
  sql`CASE WHEN octet_length(document) <= ${most} THEN document END AS document, octet_length(document) AS document_bytes`;

/** Entries at some paths, or everywhere where `paths` is undefined, that pass the caller's filters. */
export type SearchCandidates = { paths: readonly Glob[] | undefined; filters: readonly Sql[] };

/** A condition: entries with a pattern reference. */
export function hasPatternRef(engine: Engine, ref: string): Sql {
  const refs =
    engine === 'sqlite'
      ? sql`json_each(pattern_refs)`
      : sql`jsonb_array_elements_text(CAST(pattern_refs AS jsonb)) AS refs(value)`;
  return sql`pattern_refs <> '[]' AND EXISTS (SELECT 1 FROM ${refs} WHERE value = ${ref})`;
}

/** Returns those of the entries with these `seq` that pass the filters. */
export function getEntriesBySeq(
  query: Query,
  view: EntryView,
  { seqs, paths, filters, short }: SearchCandidates & { seqs: readonly number[]; short: number },
): Promise<FoundRow[]> {
  return query.all<FoundRow>(
    sql`SELECT ${FOUND_KEYS}, ${shortDocuments(short)} FROM ${entriesAt(view, seqs, { paths })}${andAll(filters)}`,
  );
}

/** What outcomes have made of an entry. */
export type TestedKey = Pick<EntryRow, 'seq' | 'confidence' | 'standing'>;

/** Returns those of the entries with these `seq`, seen or not, that an outcome has tested. */
export function getTestedBySeq(query: Query, view: EntryView, seqs: readonly number[]): Promise<TestedKey[]> {
  const all = entriesAt({ ...view, scope: undefined }, seqs, { including: 'all' });
  return query.all<TestedKey>(sql`SELECT seq, confidence, standing FROM ${all} AND standing IS NOT NULL`);
}

/** How many of the entries with these `seq` the view shows. */
export async function countAt(query: Query, view: EntryView, seqs: readonly number[]): Promise<number> {
  const row = await query.get<{ n: number }>(sql`SELECT count(*) AS n FROM ${entriesAt(view, seqs)}`);
  return row?.n ?? 0;
}

/** Whether no more than so many entries, in whatever state, are in these ranges of paths. */
export async function hasFewIn(
  query: Query,
  view: EntryView,
  { ranges, most }: { ranges: readonly (readonly Sql[])[]; most: number },
): Promise<boolean> {
  if (ranges.length === 0) return true;
  const all = entriesIn({ ...view, scope: undefined }, { including: 'all' });
  const parts = ranges.map(
    (range) => sql`SELECT * FROM (SELECT 1 AS beyond FROM ${all} WHERE true${andAll(range)}
          ORDER BY entity_path, key LIMIT ${most + 1}) AS part`,
  );
  const row = await query.get(
    sql`SELECT beyond FROM (${joinSql(parts, ' UNION ALL ')}) AS parts LIMIT 1 OFFSET ${most}`,
  );
  return row === undefined;
}

/** The name of the entry that so many others come before, in the order of names. */
export function getNameAfter(
  query: Query,
  view: EntryView,
  { range, count }: { range: readonly Sql[]; count: number },
): Promise<EntryKey | undefined> {
  const all = entriesIn({ ...view, scope: undefined }, { including: 'all' });
  return query.get<EntryKey>(
    sql`SELECT entity_path, key FROM ${all} WHERE true${andAll(range)} ORDER BY entity_path, key LIMIT 1 OFFSET ${count}`,
  );
}

/** Returns entries that pass the filters, newest first, with the sizes of their documents. */
export function listNewestKeys(
  query: Query,
  view: EntryView,
  { paths, filters, limit }: SearchCandidates & { limit: number },
): Promise<SizedKey[]> {
  return query.all<SizedKey>(
    sql`SELECT ${FOUND_KEYS}, document_bytes FROM ${entryKeysIn(view, { paths, standings: true })}
        WHERE true${andAll(filters)} ORDER BY seq DESC LIMIT ${limit}`,
  );
}

const NUMBERS = ['outcome_count', 'success_count', 'failure_count', 'evidence_success', 'evidence_failure'] as const;
type StandingNumber = (typeof NUMBERS)[number] | 'discredited_at';

/** `evidenceRank` of an entry in SQL; a test holds both against each other. */
export function evidenceRankIn(engine: Engine): Sql {
  const of = (name: StandingNumber) =>
    engine === 'sqlite'
      ? `json_extract(standing, '$.${name}')`
      : `CAST(CAST(standing AS jsonb) ->> '${name}' AS double precision)`;
  const [outcomes, successes, failures, succeeded, failed] = NUMBERS.map(of);
  return fragment(`CASE WHEN standing IS NULL THEN 2 WHEN ${of('discredited_at')} IS NOT NULL THEN 0
    WHEN ${successes} + ${failures} = 0 THEN CASE WHEN ${outcomes} = 0 THEN 2 WHEN confidence >= 0.5 THEN 3 ELSE 1 END
    WHEN ${failures} = 0 THEN 3
    WHEN (1 + ${succeeded}) / (2 + ${succeeded} + ${failed}) >= 0.7 AND ${outcomes} >= 2 THEN 3
    WHEN ${successes} >= 4 AND ${failures} <= 1 THEN 3 ELSE 1 END`);
}

export type SortColumn = 'confidence' | 'seq' | 'version';
export type FilterPage = SearchCandidates & {
  scan: number;
  sort: SortColumn;
  limit: number;
  ordered: 'path' | 'recent';
  /** Longer documents are left out. */
  short: number;
};

const lookedAt = (view: EntryView, { paths }: FilterPage, standings: boolean): Sql =>
  (isNewestOfOneBranch(view) ? entriesIn : entryKeysIn)(view, { including: 'all', paths, standings });

/** The best by a column, among the entries that a search may scan. */
export function listByFilter(query: Query, view: EntryView, page: FilterPage): Promise<FoundRow[]> {
  const first = fragment(page.ordered === 'path' ? 'entity_path, key' : 'seq DESC');
  const evidence = page.sort === 'confidence' ? sql`${evidenceRankIn(view.dialect.engine)} DESC, ` : emptySql;
  const best = sql`${evidence}${fragment(page.sort)} DESC, seq DESC`;
  const documents = isNewestOfOneBranch(view) ? shortDocuments(page.short) : NO_DOCUMENT;
  return query.all<FoundRow>(
    sql`SELECT ${FOUND} FROM (SELECT ${ENTRY_KEYS}, ${documents} FROM ${lookedAt(view, page, true)}
          ORDER BY ${first} LIMIT ${page.scan}) AS looked_at
        WHERE ${shownIn(view)}${andAll(page.filters)} ORDER BY ${best} LIMIT ${page.limit}`,
  );
}

/** Of a view that has the sizes of documents alone. */
const NO_DOCUMENT = fragment('CAST(NULL AS TEXT) AS document, document_bytes');

/** Whether there are more entries than a search may scan. */
export async function hasMoreToScan(query: Query, view: EntryView, page: FilterPage): Promise<boolean> {
  const row = await query.get(sql`SELECT 1 AS beyond FROM ${lookedAt(view, page, false)} LIMIT 1 OFFSET ${page.scan}`);
  return row !== undefined;
}
