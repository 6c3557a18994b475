import {
  andAll,
  emptySql,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Transaction,
  type Update,
} from '../../db/index.ts';
import {
  branchOf,
  type EntryView,
  type ErasedEntries,
  type Scope,
  scopeConditions,
  visibleTo,
} from '../../kernel/index.ts';
import { entriesIn } from '../entries/index.ts';

export type GoldenRow = {
  account_id: string;
  golden_id: string;
  /** Who asked. */
  agent_id: string;
  visible_to: string;
  branch: string;
  question: string;
  asked_with: string;
  /** The paths that were asked, as the caller gave them; null for all. */
  asked_path: string | null;
  /** 1 where what is below the path was asked too. */
  below: number;
  /** The entry that helped, in the version that helped. */
  entry_id: number;
  version: number;
  /** How many good outcomes confirm it. */
  times: number;
  first_at: number;
  last_at: number;
  /** The last outcome that confirms it. */
  outcome_seq: number;
  /** The part of a trace that has the question: it goes with it. */
  trace_seq: number;
  trace_no: number;
  /** Where the entry was when it was asked again: 0 where it was not found. */
  hit_rank: number | null;
  stale: number | null;
  hits: number | null;
  duplicates: number | null;
  replayed_at: number;
};

const columns = {
  account_id: 'text',
  golden_id: 'text',
  agent_id: 'text',
  visible_to: 'text',
  branch: 'text',
  question: 'text',
  asked_with: 'text',
  asked_path: 'text',
  below: 'int',
  entry_id: 'int',
  version: 'int',
  times: 'int',
  first_at: 'int',
  last_at: 'int',
  outcome_seq: 'int',
  trace_seq: 'int',
  trace_no: 'int',
  hit_rank: 'int',
  stale: 'int',
  hits: 'int',
  duplicates: 'int',
  replayed_at: 'int',
} as const;

export const insertGolden: Insert = {
  table: 'golden_queries',
  columns,
  suffix: `ON CONFLICT (account_id, golden_id) DO UPDATE SET
    times = golden_queries.times + excluded.times, last_at = excluded.last_at, version = excluded.version,
    outcome_seq = excluded.outcome_seq, trace_seq = excluded.trace_seq, trace_no = excluded.trace_no`,
};

const GOLDEN = fragment(
  Object.keys(columns)
    .map((name) => `golden_queries.${name}`)
    .join(', '),
);

/** What was asked, as globs: the second is the first but where what is below was asked too. */
const ASKED = [
  'golden_queries.asked_path',
  `(golden_queries.asked_path || CASE WHEN golden_queries.below = 1 THEN '/**' ELSE '' END)`,
];

/** A question that was given belongs to its entry; one that was asked, to all that was asked. */
const askedIn = (scope: Scope | undefined): Sql =>
  scope === undefined
    ? emptySql
    : sql` AND (golden_queries.asked_with = 'given' OR (true${andAll(
        ASKED.flatMap((column) => scopeConditions(scope, column)),
      )}))`;

/** Those that a view shows: the entry, the question and, for a key with a scope, the paths that were asked. */
const shownIn = (view: EntryView): Sql =>
  sql`golden_queries.account_id = ${view.account_id} AND golden_queries.branch = ${branchOf(view)}
    AND golden_queries.visible_to IN ('', ${view.agent_id})${askedIn(view.scope)}`;

/** More than an account keeps for everyone and for one agent. */
const MOST_SHOWN = 600;

/**
 * Those that a view may show, newest first; whether it shows their entries is left to the caller: a join would have
 * PostgreSQL read all entries of the account.
 */
export function listGolden(query: Query, view: EntryView, where: readonly Sql[] = []): Promise<GoldenRow[]> {
  return query.all<GoldenRow>(
    sql`SELECT ${GOLDEN} FROM golden_queries WHERE ${shownIn(view)}${andAll(where)}
        ORDER BY golden_queries.outcome_seq DESC, golden_queries.golden_id DESC LIMIT ${MOST_SHOWN}`,
  );
}

export const namesOneOf = (ids: Sql): Sql => sql`golden_queries.entry_id IN (SELECT CAST(value AS BIGINT) FROM ${ids})`;

export function getGolden(query: Query, accountId: string, goldenId: string): Promise<GoldenRow | undefined> {
  return query.get<GoldenRow>(
    sql`SELECT ${GOLDEN} FROM golden_queries WHERE account_id = ${accountId} AND golden_id = ${goldenId}`,
  );
}

export function deleteGolden(tx: Transaction, accountId: string, goldenIds: Sql): Promise<number> {
  return tx.run(
    sql`DELETE FROM golden_queries WHERE account_id = ${accountId} AND golden_id IN (SELECT value FROM ${goldenIds})`,
  );
}

export type Withdrawal = { account_id: string; agent_id: string; seqs: Sql };

/** Takes back what outcomes confirmed that were revised since. */
export async function withdrawGolden(tx: Transaction, { account_id, agent_id, seqs }: Withdrawal): Promise<void> {
  const confirmed = sql`account_id = ${account_id} AND agent_id = ${agent_id}
    AND outcome_seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs})`;
  await tx.run(sql`DELETE FROM golden_queries WHERE ${confirmed} AND times <= 1`);
  await tx.run(sql`UPDATE golden_queries SET times = times - 1 WHERE ${confirmed}`);
}

/** Whether there is any of an agent. */
export async function hasGolden(query: Query, accountId: string, agentId: string): Promise<boolean> {
  const row = await query.get(
    sql`SELECT golden_id FROM golden_queries WHERE account_id = ${accountId} AND agent_id = ${agentId}
        AND ${visibleTo(agentId)} LIMIT 1`,
  );
  return row !== undefined;
}

/** More than an account has of one kind. */
const ALL = 100_000;

/**
 * Deletes the oldest beyond so many, of those that everyone or one agent may see, and of these the agent's with the most: no
 * agent pushes out what others have.
 */
export function deleteOldest(
  tx: Transaction,
  { account_id, visible_to, kept }: { account_id: string; visible_to: string; kept: number },
): Promise<number> {
  return tx.run(
    sql`DELETE FROM golden_queries WHERE account_id = ${account_id} AND golden_id IN (
          SELECT golden_id FROM (SELECT golden_id, outcome_seq,
              row_number() OVER (PARTITION BY agent_id ORDER BY outcome_seq DESC, golden_id DESC) AS place
            FROM golden_queries WHERE account_id = ${account_id} AND visible_to = ${visible_to}) AS placed
          ORDER BY place, outcome_seq DESC, golden_id DESC LIMIT ${ALL} OFFSET ${kept})`,
  );
}

/** Those of erased entries, and those that were asked about their paths. */
const ofErased = ({ account_id, agent_id, erasedIds, paths, names }: ErasedEntries): readonly Sql[] => [
  sql`account_id = ${account_id} AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${erasedIds})`,
  sql`account_id = ${account_id} AND golden_id IN (SELECT golden_id FROM (SELECT golden_id, agent_id,
        asked_path AS entity_path FROM golden_queries WHERE account_id = ${account_id} AND asked_path IS NOT NULL
        ) AS golden_queries WHERE (agent_id = ${agent_id} OR ${names('golden_queries', 'path')})${andAll(paths)})`,
];

export async function eraseGolden(tx: Transaction, erased: ErasedEntries): Promise<void> {
  for (const where of ofErased(erased)) await tx.run(sql`DELETE FROM golden_queries WHERE ${where}`);
}

export type DueGolden = Pick<GoldenRow, 'account_id' | 'golden_id' | 'replayed_at'>;

/** Over all accounts: those that were not asked again since a time, the longest ago first. */
export function listDue(query: Query, { before, limit }: { before: number; limit: number }): Promise<DueGolden[]> {
  return query.all<DueGolden>(
    sql`SELECT account_id, golden_id, replayed_at FROM golden_queries WHERE replayed_at < ${before}
        ORDER BY replayed_at LIMIT ${limit}`,
  );
}

export function findGolden(query: Query, accountId: string, goldenIds: readonly string[]) {
  return query.findMany<GoldenRow>(
    { table: 'golden_queries', select: Object.keys(columns).join(', '), by: { account_id: 'text', golden_id: 'text' } },
    goldenIds.map((id) => [accountId, id]),
  );
}

export const updateReplayed: Update = {
  table: 'golden_queries',
  set: { hit_rank: 'int', stale: 'int', hits: 'int', duplicates: 'int', replayed_at: 'int' },
  by: { account_id: 'text', golden_id: 'text' },
};

/** The newest that everyone may see: what is fitted to them is seen by everyone. */
export function listShared(query: Query, accountId: string, limit: number): Promise<GoldenRow[]> {
  return query.all<GoldenRow>(
    sql`SELECT ${GOLDEN} FROM golden_queries WHERE account_id = ${accountId} AND visible_to = ''
        ORDER BY outcome_seq DESC, golden_id DESC LIMIT ${limit}`,
  );
}

export type AnswerRow = { version: number; content_hash: string; confidence: number; standing: string | null };

/** The entry of a golden query, as a view shows it. */
export function getAnswer(query: Query, view: EntryView, entryId: number): Promise<AnswerRow | undefined> {
  return query.get<AnswerRow>(
    sql`SELECT version, content_hash, confidence, standing FROM ${entriesIn(view, { standings: true })}
        WHERE entry_id = ${entryId}`,
  );
}
