import type { Glob } from '@mem-service/contract';
import { andAll, fragment, type Insert, joinSql, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';
import { branchOf, type EntryView } from '../../kernel/index.ts';
import { entriesAt, entriesIn } from '../entries/index.ts';

export const insertVectors: Insert = {
  table: 'entry_vectors',
  columns: {
    account_id: 'text',
    entry_id: 'int',
    part: 'int',
    branch: 'text',
    seq: 'int',
    embedder: 'int',
    cluster: 'int',
    owner: 'int',
    code: 'text',
    vector: 'text',
  },
};

/** `ids` as the dialect makes `numbers`. Without an embedder, the vectors of all. */
export function deleteVectors(
  tx: Transaction,
  accountId: string,
  { ids, embedder }: { ids: Sql; embedder?: number },
): Promise<number> {
  const ofOne = embedder === undefined ? [] : [sql`embedder = ${embedder}`];
  return tx.run(
    sql`DELETE FROM entry_vectors WHERE account_id = ${accountId}
          AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${ids})${andAll(ofOne)}`,
  );
}

/** The vectors of one embedder that an agent may compare: `owner` is a number made of its name. */
export type VectorScope = { view: EntryView; embedder: number; owner: number };

/** The vectors in bits of some clusters, as one text, and how many there are. */
export async function readCodes(
  query: Query,
  { view, embedder, owner }: VectorScope,
  { clusters, most }: { clusters: readonly number[] | undefined; most: number },
): Promise<string> {
  const joined = fragment(view.dialect.engine === 'sqlite' ? `group_concat(code, '')` : `string_agg(code, '')`);
  const within =
    clusters === undefined
      ? []
      : [
          sql`cluster IN (${joinSql(
            clusters.map((cluster) => sql`${cluster}`),
            ', ',
          )})`,
        ];
  const row = await query.get<{ codes: string | null }>(
    sql`SELECT ${joined} AS codes FROM (SELECT code FROM entry_vectors WHERE account_id = ${view.account_id}
          AND branch = ${branchOf(view)} AND embedder = ${embedder}${andAll(within)} AND owner IN (0, ${owner})
        LIMIT ${most}) AS codes`,
  );
  return row?.codes ?? '';
}

/** A vector of the newest version that was followed; a later version has another `seq`. */
export type StoredVector = { entry_id: number; seq: number; vector: string };

/** The vectors of entries, in bytes. */
export function listVectors(
  query: Query,
  { view, embedder, owner }: VectorScope,
  ids: readonly number[],
): Promise<StoredVector[]> {
  const { dialect, account_id } = view;
  const join: Sql = {
    text: dialect.leftJoin(
      'entry_vectors',
      'entry_vectors.account_id = ? AND entry_vectors.entry_id = numbers.value AND entry_vectors.embedder = ?',
    ),
    values: [account_id, embedder],
  };
  return query.all<StoredVector>(
    sql`SELECT entry_vectors.entry_id, entry_vectors.seq, entry_vectors.vector FROM ${dialect.numbers(ids)}${join}
        WHERE entry_vectors.owner IN (0, ${owner}) ORDER BY entry_vectors.entry_id, entry_vectors.part`,
  );
}

export type NumberedEntry = { entry_id: number; seq: number };
type FilteredEntry = NumberedEntry & { passes: number };

/** Entries of a view at some paths, `most` at most, and whether each passes the filters. */
export function listFew(
  query: Query,
  view: EntryView,
  { paths, filters, most }: { paths: readonly Glob[] | undefined; filters: readonly Sql[]; most: number },
): Promise<FilteredEntry[]> {
  const order = fragment(paths === undefined && view.scope === undefined ? 'seq DESC' : 'entity_path, key');
  return query.all<FilteredEntry>(
    sql`SELECT entry_id, seq, CASE WHEN true${andAll(filters)} THEN 1 ELSE 0 END AS passes
        FROM (SELECT * FROM ${entriesIn(view, { paths, standings: true })} ORDER BY ${order} LIMIT ${most}) AS looked_at`,
  );
}

export type TailEntry = NumberedEntry & { version: number };
export type TailWindow = { paths: readonly Glob[] | undefined; filters: readonly Sql[]; after: number; most: number };

/** Entries of a view that were written after a `seq`, newest first. */
export function listNewestAfter(query: Query, view: EntryView, tail: TailWindow): Promise<TailEntry[]> {
  const { paths, filters, after, most } = tail;
  return query.all<TailEntry>(
    sql`SELECT entry_id, seq, version FROM ${entriesIn(view, { paths, standings: true })}
        WHERE seq > ${after}${andAll(filters)} ORDER BY seq DESC LIMIT ${most}`,
  );
}

/** The `seq` of an entry, and of those that its author wrote just before and after it. */
export type WrittenAround = {
  agent_id: string;
  seq: number;
  before: number | null;
  before_that: number | null;
  after: number | null;
  after_that: number | null;
};

/** What the authors of entries wrote before and after them, of what the view shows. */
export function listAround(query: Query, view: EntryView, seqs: readonly number[]): Promise<WrittenAround[]> {
  const near = sql`SELECT agent_id, seq, ${nextTo(view, 'before', 'found.seq')} AS before,
      ${nextTo(view, 'after', 'found.seq')} AS after
    FROM (SELECT agent_id, seq FROM ${entriesAt(view, seqs)}) AS found`;
  return query.all<WrittenAround>(
    sql`SELECT agent_id, seq, before, ${nextTo(view, 'before', 'found.before')} AS before_that,
          after, ${nextTo(view, 'after', 'found.after')} AS after_that FROM (${near}) AS found`,
  );
}

/** The nearest `seq` of the same author on one side of another. */
function nextTo(view: EntryView, side: 'before' | 'after', seq: string): Sql {
  const [is, order] = side === 'before' ? ['<', 'DESC'] : ['>', 'ASC'];
  return sql`(SELECT entries.seq FROM ${entriesIn(view)} WHERE entries.agent_id = found.agent_id
    AND entries.seq ${fragment(`${is} ${seq}`)} ORDER BY entries.seq ${fragment(order)} LIMIT 1)`;
}
