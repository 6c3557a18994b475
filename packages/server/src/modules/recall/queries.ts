import type { Glob } from '@mem-service/contract';
import {
  andAll,
  type Find,
  fragment,
  type Insert,
  joinSql,
  type Query,
  type Sql,
  sql,
  type Transaction,
} from '../../db/index.ts';
import { type EntryView, isNewestOfOneBranch } from '../../kernel/index.ts';
import { entriesAt, entriesIn, entryKeysIn } from '../entries/index.ts';
import type { VectorSums } from './vector-sums.ts';

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
    vector: 'text',
  },
};

/** A stored vector, and where the index of its bits has it. */
export type IndexedVector = {
  entry_id: number;
  part: number;
  branch: string;
  embedder: number;
  cluster: number;
  owner: number;
  vector: string;
};

/** Entries, `ids` as the dialect makes `numbers`. Without an embedder, the vectors of all. */
export type VectorsOfEntries = { ids: Sql; embedder?: number | undefined };

const ofEntries = (accountId: string, { ids, embedder }: VectorsOfEntries): Sql =>
  sql`account_id = ${accountId} AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${ids})${andAll(
    embedder === undefined ? [] : [sql`embedder = ${embedder}`],
  )}`;

/** Vectors that are about to be deleted, by their key after the last one. */
export function listIndexed(
  tx: Transaction,
  accountId: string,
  { after, most, ...of }: VectorsOfEntries & { after: IndexedVector | undefined; most: number },
): Promise<IndexedVector[]> {
  const beyond = after ? [sql`(entry_id, embedder, part) > (${after.entry_id}, ${after.embedder}, ${after.part})`] : [];
  return tx.all<IndexedVector>(
    sql`SELECT entry_id, part, branch, embedder, cluster, owner, vector FROM entry_vectors
        WHERE ${ofEntries(accountId, of)}${andAll(beyond)} ORDER BY entry_id, embedder, part LIMIT ${most}`,
  );
}

export function deleteVectors(tx: Transaction, accountId: string, of: VectorsOfEntries): Promise<number> {
  return tx.run(sql`DELETE FROM entry_vectors WHERE ${ofEntries(accountId, of)}`);
}

const BLOCK_KEY = {
  account_id: 'text',
  branch: 'text',
  embedder: 'int',
  owner: 'int',
  cluster: 'int',
  block: 'int',
} as const;

export const findBlocks: Find = { table: 'vector_blocks', select: 'records', by: BLOCK_KEY };

const changeBlocks = (records: string): Insert => ({
  table: 'vector_blocks',
  columns: { ...BLOCK_KEY, records: 'text' },
  suffix: `ON CONFLICT (account_id, branch, embedder, owner, cluster, block) DO UPDATE SET records = ${records}`,
});

export const replaceBlocks: Insert = changeBlocks('excluded.records');
export const appendBlocks: Insert = changeBlocks('vector_blocks.records || excluded.records');

const SUMS_KEY = { account_id: 'text', branch: 'text', embedder: 'int', owner: 'int' } as const;

export const findSums: Find = { table: 'vector_sums', select: 'vectors, sums', by: SUMS_KEY };

export const upsertSums: Insert = {
  table: 'vector_sums',
  columns: { ...SUMS_KEY, vectors: 'int', sums: 'text' },
  suffix:
    'ON CONFLICT (account_id, branch, embedder, owner) DO UPDATE SET vectors = excluded.vectors, sums = excluded.sums',
};

/** The vectors of one embedder that an agent may compare: `owner` is a number made of its name. */
export type VectorScope = { view: EntryView; embedder: number; owner: number };

const SHARED_OWNER = 0;

/** Whose vectors these are, and on which branch: each has clusters and a sum of its own. */
export type VectorOwner = { branch: string; owner: number };
export type OwnerSums = VectorSums & VectorOwner;

/** Of the owners that have vectors. */
export async function readSums(query: Query, { view, embedder, owner }: VectorScope): Promise<OwnerSums[]> {
  const owners = view.lineage.flatMap(({ branch }) => [SHARED_OWNER, owner].map((of) => ({ branch, owner: of })));
  const keys = owners.map((of) => [view.account_id, of.branch, embedder, of.owner]);
  const found = await query.findMany<VectorSums>(findSums, keys);
  return owners.flatMap((of, at) => {
    const sums = found[at];
    return sums && sums.vectors > 0 ? [{ ...of, ...sums }] : [];
  });
}

export type OwnedClusters = VectorOwner & { embedder: number; clusters: readonly number[]; most: number };

/** The vectors in bits of some clusters of one owner, each with its cluster. */
export function listOwnedBlocks(query: Query, view: EntryView, of: OwnedClusters): Promise<VectorBlock[]> {
  const { branch, embedder, owner, clusters, most } = of;
  return query.all<VectorBlock>(
    sql`SELECT cluster, records FROM vector_blocks WHERE account_id = ${view.account_id} AND branch = ${branch}
          AND embedder = ${embedder} AND owner = ${owner}
          AND cluster IN (SELECT CAST(value AS INTEGER) FROM ${view.dialect.numbers(clusters)}) LIMIT ${most}`,
  );
}

/** Vectors in bits, of one cluster. */
export type VectorBlock = { cluster: number; records: string };

/** A vector of the newest version that was followed; a later version has another `seq`. */
export type StoredVector = { entry_id: number; seq: number; vector: string };

const vectorsOf = ({ view: { dialect, account_id }, embedder, owner }: VectorScope, ids: readonly number[]): Sql => {
  const join: Sql = {
    text: dialect.leftJoin(
      'entry_vectors',
      'entry_vectors.account_id = ? AND entry_vectors.entry_id = numbers.value AND entry_vectors.embedder = ?',
    ),
    values: [account_id, embedder],
  };
  return sql`FROM ${dialect.numbers(ids)}${join} WHERE entry_vectors.owner IN (${SHARED_OWNER}, ${owner})`;
};

/** The vectors of entries, in bytes. */
export function listVectors(query: Query, scope: VectorScope, ids: readonly number[]): Promise<StoredVector[]> {
  return query.all<StoredVector>(
    sql`SELECT entry_vectors.entry_id, entry_vectors.seq, entry_vectors.vector ${vectorsOf(scope, ids)}
        ORDER BY entry_vectors.entry_id, entry_vectors.part`,
  );
}

/** The entries of a view for statements that need no documents. */
const keysIn = (view: EntryView, part: { paths?: readonly Glob[] | undefined; standings: boolean }): Sql =>
  (isNewestOfOneBranch(view) ? entriesIn : entryKeysIn)(view, part);

/** Vectors of one length that follow each other, and the `seq` of the version that each was made of. */
export type JoinedVectors = { seqs: readonly number[]; vectors: string };

export const NO_VECTORS: JoinedVectors = { seqs: [], vectors: '' };

/** The vectors of entries, in bytes, in any order. One row, since many small ones take longer to hand over. */
export async function readVectors(query: Query, scope: VectorScope, ids: readonly number[]): Promise<JoinedVectors> {
  const [seqs, vectors] = [
    joined(scope.view, 'entry_vectors.seq', ','),
    joined(scope.view, 'entry_vectors.vector', ''),
  ];
  const row = await query.get<{ seqs: string | null; vectors: string | null }>(
    sql`SELECT ${seqs} AS seqs, ${vectors} AS vectors ${vectorsOf(scope, ids)}`,
  );
  return { seqs: numbersIn(row?.seqs), vectors: row?.vectors ?? '' };
}

/** An aggregate: the values of a column as one text, in the order of the rows. */
const joined = ({ dialect }: EntryView, column: string, between: string): Sql =>
  fragment(
    dialect.engine === 'sqlite'
      ? `group_concat(${column}, '${between}')`
      : `string_agg(CAST(${column} AS text), '${between}')`,
  );

/** How many entries were looked at, and the numbers of those that pass the filters. */
export type FewEntries = { looked: number; ids: readonly number[]; seqs: readonly number[] };

/** Entries of a view at some paths, `most` at most. One row, since many small ones take longer to hand over. */
export async function readFew(
  query: Query,
  view: EntryView,
  { paths, filters, most }: { paths: readonly Glob[] | undefined; filters: readonly Sql[]; most: number },
): Promise<FewEntries> {
  const order = fragment(paths === undefined && view.scope === undefined ? 'seq DESC' : 'entity_path, key');
  const row = await query.get<{ looked: number; ids: string | null; seqs: string | null }>(
    sql`SELECT count(*) AS looked, ${joined(view, 'entry_id', ',')} AS ids, ${joined(view, 'seq', ',')} AS seqs
        FROM (SELECT CASE WHEN passes THEN entry_id END AS entry_id, CASE WHEN passes THEN seq END AS seq
          FROM (SELECT entry_id, seq, true${andAll(filters)} AS passes
            FROM (SELECT * FROM ${keysIn(view, { paths, standings: filters.length > 0 })} ORDER BY ${order} LIMIT ${most}) AS looked_at
          ) AS filtered) AS few`,
  );
  return { looked: row?.looked ?? 0, ids: numbersIn(row?.ids), seqs: numbersIn(row?.seqs) };
}

const numbersIn = (text: string | null | undefined): number[] => text?.split(',').map(Number) ?? [];

export type TailEntry = { entry_id: number; seq: number; version: number };
export type TailWindow = { paths: readonly Glob[] | undefined; filters: readonly Sql[]; after: number; most: number };

/** Entries of a view that have no vector of their state there where vectors are made up to a `seq`, newest first. */
export function listTail(query: Query, view: EntryView, { paths, filters, after, most }: TailWindow) {
  const isTail = isNewestOfOneBranch(view) ? sql`seq > ${after}` : isChangedAfter(view, { after, most });
  return query.all<TailEntry>(
    sql`SELECT entry_id, seq, version FROM ${keysIn(view, { paths, standings: true })}
        WHERE ${isTail}${andAll(filters)} ORDER BY seq DESC LIMIT ${most}`,
  );
}

/** A condition: the entry was written after a `seq`, or changed since the view, which then shows what it was before. */
function isChangedAfter(view: EntryView, { after, most }: Pick<TailWindow, 'after' | 'most'>): Sql {
  const changed = view.lineage.map(({ branch, up_to_seq }) => {
    const newest = { ...view, lineage: [{ branch, up_to_seq: null }], scope: undefined };
    const known = up_to_seq ?? Number.MAX_SAFE_INTEGER;
    return sql`SELECT entry_id FROM (SELECT entry_id FROM ${entriesIn(newest, { including: 'all' })}
      WHERE seq > ${Math.min(after, known)} AND entry_id <= ${known} ORDER BY seq LIMIT ${most}) AS changed`;
  });
  return sql`entry_id IN (${joinSql(changed, ' UNION ALL ')})`;
}

/** The `seq` of an entry, and of those that its author wrote just before and after it. */
export type WrittenAround = { agent_id: string; seq: number; before: readonly number[]; after: readonly number[] };

type AroundRow = { agent_id: string; seq: number; before: string | null; after: string | null };

/** What the authors of entries wrote before and after them, of what the view shows: up to two on each side, nearest first. */
export async function listAround(query: Query, view: EntryView, seqs: readonly number[]): Promise<WrittenAround[]> {
  if (!isNewestOfOneBranch(view)) return listAroundInWhole(query, view, seqs);
  const rows = await query.all<AroundRow>(
    sql`SELECT agent_id, seq, ${nextTo(view, 'before')} AS before, ${nextTo(view, 'after')} AS after
        FROM (SELECT agent_id, seq FROM ${entriesAt(view, seqs)}) AS found`,
  );
  return rows.map(({ agent_id, seq, before, after }) => ({
    ...{ agent_id, seq },
    before: numbersIn(before).sort((a, b) => b - a),
    after: numbersIn(after).sort((a, b) => a - b),
  }));
}

type WindowRow = { agent_id: string; seq: number } & Record<WindowPlace, number | null>;
type WindowPlace = 'before' | 'before_that' | 'after' | 'after_that';

/** The same in one pass over the view: that of an earlier state has no index to look up one by one. */
async function listAroundInWhole(query: Query, view: EntryView, seqs: readonly number[]): Promise<WrittenAround[]> {
  const rows = await query.all<WindowRow>(
    sql`SELECT agent_id, seq, before, before_that, after, after_that FROM (SELECT agent_id, seq,
            lag(seq) OVER by_author AS before, lag(seq, 2) OVER by_author AS before_that,
            lead(seq) OVER by_author AS after, lead(seq, 2) OVER by_author AS after_that
          FROM ${entryKeysIn(view)} WINDOW by_author AS (PARTITION BY agent_id ORDER BY seq)) AS written
        WHERE seq IN (SELECT CAST(value AS BIGINT) FROM ${view.dialect.numbers(seqs)})`,
  );
  const known = (found: (number | null)[]): number[] => found.filter((one) => one !== null);
  return rows.map(({ agent_id, seq, before, before_that, after, after_that }) => ({
    ...{ agent_id, seq, before: known([before, before_that]), after: known([after, after_that]) },
  }));
}

/** The two nearest `seq` of the same author on one side. */
function nextTo(view: EntryView, side: 'before' | 'after'): Sql {
  const [is, order] = side === 'before' ? ['<', 'DESC'] : ['>', 'ASC'];
  const near = sql`SELECT entries.seq FROM ${entriesIn(view)} WHERE entries.agent_id = found.agent_id
    AND entries.seq ${fragment(is)} found.seq ORDER BY entries.seq ${fragment(order)} LIMIT 2`;
  return sql`(SELECT ${joined(view, 'near.seq', ',')} FROM (${near}) AS near)`;
}
