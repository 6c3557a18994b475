import { andAll, emptySql, fragment, joinSql, type Query, type Sql, sql } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { includedIn, pathsOf } from './relation.ts';

/** Places in the log after one and up to another. */
type MergedSpan = { after: number; up_to: number };

type ChangedSpan = {
  branch: string;
  after: number;
  until: number | null;
  limit: number;
  /** The branches that it inherits from. */
  from: readonly string[];
  /** Merges that brought to this branch what another had. */
  brought?: { from: string; windows: readonly MergedSpan[] } | undefined;
};

const LOOKED_AT = fragment(
  'entry_id, version, seq, entity_path, key, shared, agent_id, deleted, content_hash, written_at, memory_type, pattern_refs, confidence, ttl_at',
);

/**
 * How many entries of a branch itself were written after a `seq`, tombstones among them. Of the first `limit` of them,
 * `looked_at`, those that the view shows are counted. A version that was only taken over, to be judged here, is none.
 */
export async function countChanged(
  query: Query,
  view: EntryView,
  { branch, after, until, limit, from, brought }: ChangedSpan,
): Promise<{ count: number; looked_at: number }> {
  const end = until === null ? emptySql : sql` AND seq <= ${until}`;
  const changed = [
    ...from.map((one) => isNoCopyOf(view, one)),
    ...(brought === undefined || brought.windows.length === 0 ? [] : [wasNotBrought(view, { after, ...brought })]),
  ];
  const shown = sql`${includedIn(view, 'visible')}${andAll([...pathsOf(view, undefined), ...changed])}`;
  const found = await query.get<{ count: number; looked_at: number }>(
    sql`SELECT count(*) AS looked_at, coalesce(sum(CASE WHEN ${shown} THEN 1 ELSE 0 END), 0) AS count
        FROM (SELECT ${LOOKED_AT} FROM entries
          WHERE account_id = ${view.account_id} AND branch = ${branch} AND seq > ${after}${end}
          ORDER BY seq LIMIT ${limit}) AS head`,
  );
  return found ?? { count: 0, looked_at: 0 };
}

/** The entry of the same name on another branch: one look-up for each head, whatever PostgreSQL expects of the tables. */
const sameNameOn = ({ account_id, dialect }: EntryView, branch: string): Sql =>
  dialect.engine === 'sqlite'
    ? sql`entries`
    : sql`(SELECT * FROM entries AS x WHERE x.account_id = (SELECT CAST(${account_id} AS text))
          AND (x.branch, x.entity_path, x.key) >= (${branch}, head.entity_path, head.key)
        ORDER BY x.account_id, x.branch, x.entity_path, x.key LIMIT 1)`;

/** A copy has the number, author, time and content of what it was taken over from, and is the first version here. */
function isNoCopyOf(view: EntryView, branch: string): Sql {
  const { account_id, dialect } = view;
  const on = 'versions.account_id = ? AND versions.entry_id = origin.entry_id AND versions.version = head.version';
  const joined: Sql = { text: dialect.leftJoin('versions', on), values: [account_id] };
  return sql`NOT (head.seq = head.entry_id AND EXISTS (SELECT 1 FROM ${sameNameOn(view, branch)} AS origin${joined}
    WHERE origin.account_id = ${account_id} AND origin.branch = ${branch} AND origin.entity_path = head.entity_path
      AND origin.key = head.key AND versions.seq < head.seq AND versions.content_hash = head.content_hash
      AND versions.written_at = head.written_at AND versions.agent_id = head.agent_id))`;
}

const within = (seq: Sql, windows: readonly MergedSpan[]): Sql =>
  sql`(${joinSql(
    windows.map(({ after, up_to }) => sql`(${seq} > ${after} AND ${seq} <= ${up_to})`),
    ' OR ',
  )})`;

/**
 * What a merge wrote over a version from before `after`, or over what it had brought itself, is what the other branch had. Over any
 * other version it may be a result of both: then the other branch has it only if it has the same now. The offsets keep PostgreSQL
 * from joining whole tables.
 */
function wasNotBrought(
  view: EntryView,
  { after, from, windows }: { after: number; from: string; windows: readonly MergedSpan[] },
): Sql {
  const { account_id } = view;
  return sql`NOT (${within(fragment('head.seq'), windows)} AND (
    NOT EXISTS (SELECT 1 FROM versions AS replaced WHERE replaced.account_id = ${account_id}
      AND replaced.entry_id = head.entry_id AND replaced.version = head.version - 1 AND replaced.seq > ${after}
      AND NOT ${within(fragment('replaced.seq'), windows)} LIMIT 1 OFFSET 0)
    OR EXISTS (SELECT 1 FROM ${sameNameOn(view, from)} AS other
      WHERE other.account_id = ${account_id} AND other.branch = ${from} AND other.entity_path = head.entity_path
        AND other.key = head.key AND other.deleted = head.deleted AND other.shared = head.shared
        AND other.content_hash = head.content_hash AND other.memory_type = head.memory_type
        AND other.pattern_refs = head.pattern_refs AND other.confidence = head.confidence
        AND coalesce(other.ttl_at, 0) = coalesce(head.ttl_at, 0) LIMIT 1 OFFSET 0)))`;
}
