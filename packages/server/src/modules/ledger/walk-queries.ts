import type { Glob } from '@mem-service/contract';
import { andAll, fragment, joinSql, type Query, type Sql, sql } from '../../db/index.ts';
import {
  type EntryView,
  type ErasedEntries,
  loggedIn,
  scopeConditions,
  type Viewer,
  visibleTo,
} from '../../kernel/index.ts';
import { newestLineOf, newestLinesIn, newestLinesOf } from '../entries/index.ts';
import { DEMOTED, JUDGED } from './queries.ts';

/**
 * The positions of lines, from the newest about some entries back to the first. `newest` selects the newest ones; each line
 * refers to the previous one about the same entry.
 */
const linesFrom = (account_id: string, newest: Sql): Sql =>
  sql`WITH RECURSIVE lines (seq, no) AS (
        ${newest}
        UNION ALL
        SELECT earlier.before_seq, earlier.before_no FROM lines JOIN evidence AS earlier
          ON earlier.account_id = ${account_id} AND earlier.seq = lines.seq AND earlier.no = lines.no
          WHERE earlier.before_seq IS NOT NULL)
      SELECT lines.seq, lines.no FROM lines`;

/** The positions of all lines about the entries with these numbers. */
export const linesOfEntries = (account_id: string, ids: Sql): Sql =>
  linesFrom(account_id, newestLinesOf(account_id, ids));

/** The positions of all lines about the entries of a view, in any state. */
export const linesIn = (view: EntryView, part: { paths?: readonly Glob[] | undefined }): Sql =>
  linesFrom(view.account_id, newestLinesIn(view, part));

/** Returns every outcome that has one of these entries as a cause. */
export async function listOutcomesOfEntries(
  query: Query,
  { account_id, branch, erasedIds }: ErasedEntries,
): Promise<number[]> {
  const rows = await query.all<{ seq: number }>(
    sql`SELECT DISTINCT evidence.seq FROM (${linesOfEntries(account_id, erasedIds)}) AS about
        JOIN evidence ON evidence.account_id = ${account_id} AND evidence.seq = about.seq AND evidence.no = about.no
        WHERE evidence.branch = ${branch} AND evidence.entry_id IS NOT NULL ORDER BY evidence.seq`,
  );
  return rows.map(({ seq }) => seq);
}

/** The limit for one entry or name. A literal, so that SQLite need not re-plan the statement. */
export const MOST_OUTCOMES = 500;
const MOST = fragment(String(MOST_OUTCOMES + 1));

const seen = ({ agent_id }: EntryView, table: string): Sql => {
  const visible_to = fragment(`${table}.visible_to`);
  return sql`(${visible_to} = '' OR ${visible_to} = ${agent_id})`;
};

/** Whether an outcome wrote a line: a consolidation or a verdict did not. */
const byOutcome = (table: string): Sql => fragment(`${table}.model NOT IN ('${DEMOTED}', '${JUDGED}')`);

/** So many lines about an entry that no outcome wrote are followed. */
const MOST_BESIDE = fragment(String(10 * MOST_OUTCOMES));

/** Follows the lines about an entry from the newest back, until enough of outcomes are visible to the agent. */
function seqsOfEntry(view: EntryView, entry_id: number): Sql {
  const { account_id } = view;
  const isShown = sql`line.entry_id = ${entry_id} AND ${byOutcome('line')} AND ${loggedIn(view, 'line')} AND ${seen(view, 'line')}`;
  const shown = sql`CASE WHEN ${isShown} THEN 1 ELSE 0 END`;
  const beside = sql`CASE WHEN ${byOutcome('line')} THEN 0 ELSE 1 END`;
  const ofLine = sql`line.account_id = ${account_id} AND line.seq`;
  return sql`WITH RECURSIVE lines (seq, before_seq, before_no, shown, n, beside) AS (
      SELECT line.seq, line.before_seq, line.before_no, ${shown}, 0, ${beside} FROM (${newestLineOf({ account_id, entry_id })}) AS newest
        JOIN evidence AS line ON ${ofLine} = newest.seq AND line.no = newest.no
      UNION ALL
      SELECT line.seq, line.before_seq, line.before_no, ${shown}, lines.n + lines.shown, lines.beside + ${beside}
        FROM lines JOIN evidence AS line ON ${ofLine} = lines.before_seq AND line.no = lines.before_no
        WHERE lines.n + lines.shown < ${MOST} AND lines.beside < ${MOST_BESIDE})
    SELECT seq FROM lines WHERE shown = 1`;
}

function seqsOfRef(view: EntryView, outcomeRef: string): Sql {
  return sql`SELECT seq FROM outcomes WHERE account_id = ${view.account_id} AND outcome_ref = ${outcomeRef}
      AND ${loggedIn(view)} AND ${seen(view, 'outcomes')} ORDER BY seq DESC LIMIT ${MOST}`;
}

export type PlacedOutcome = { place: number; seq: number };

/** Returns the newest outcomes caused by entries, or with a given reference; `place` is the position in the input list. */
export function listOutcomesOf(
  query: Query,
  view: EntryView,
  asked: readonly ({ entry_id: number } | { outcome_ref: string })[],
): Promise<PlacedOutcome[]> {
  const parts = asked.map((one, place) => {
    const seqs = 'entry_id' in one ? seqsOfEntry(view, one.entry_id) : seqsOfRef(view, one.outcome_ref);
    return sql`SELECT ${fragment(String(place))} AS place, seq FROM (${seqs}) AS newest`;
  });
  return query.all<PlacedOutcome>(joinSql(parts, ' UNION ALL '));
}

export type OutcomeLine = {
  seq: number;
  outcome_ref: string;
  outcome_type: string;
  outcome_visible_to: string;
  committed_at: number;
  branch: string;
  entry_id: number | null;
  visible_to: string;
};

/** Returns the ledger lines of outcomes that an agent may see, without names that match no entry. */
export function listOutcomeLines(query: Query, view: EntryView, seqs: Sql): Promise<OutcomeLine[]> {
  const { account_id, agent_id, scope } = view;
  return query.all<OutcomeLine>(
    sql`SELECT outcomes.seq, outcome_ref, outcomes.outcome_type, outcomes.visible_to AS outcome_visible_to, committed_at,
          evidence.branch, evidence.entry_id, evidence.visible_to
        FROM outcomes JOIN evidence ON evidence.account_id = ${account_id} AND evidence.seq = outcomes.seq
        WHERE outcomes.account_id = ${account_id} AND outcomes.seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs})
          AND (evidence.entry_id IS NOT NULL OR evidence.entity_path IS NULL)
          AND (evidence.visible_to = '' OR evidence.visible_to = ${agent_id})${andAll(scopeConditions(scope, 'evidence.entity_path'))}
        ORDER BY outcomes.seq, evidence.no`,
  );
}

/** The entries that outcomes named as causes, without a visibility check. */
export async function listCausesOf(query: Query, accountId: string, seqs: Sql): Promise<number[]> {
  const rows = await query.all<{ entry_id: number }>(
    sql`SELECT DISTINCT entry_id FROM evidence WHERE account_id = ${accountId}
        AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs}) AND entry_id IS NOT NULL`,
  );
  return rows.map(({ entry_id }) => entry_id);
}

/** A line about an entry: which version its outcome or its attempt rested on, and what it did to the confidence. */
export type LineAbout = {
  seq: number;
  entry_id: number;
  version: number | null;
  success: number;
  confidence_before: number;
  confidence_after: number;
};

type LinesAsked = { ids: Sql; each: number; most: number };

/** So many lines of an entry are followed at most, of outcomes and of others. */
const LEAST_FOLLOWED = 1000;
const FOLLOWED_FOR_EACH = 10;

/** From the newest line about each of these entries back, until there are `each` of outcomes. */
function linesOfOutcomes(accountId: string, { ids, each }: LinesAsked): Sql {
  const n = sql`lines.n + CASE WHEN ${byOutcome('earlier')} THEN 1 ELSE 0 END`;
  return sql`WITH RECURSIVE lines (seq, no, n, followed) AS (
          SELECT newest.line_seq, newest.line_no, 0, 1 FROM (${newestLinesOf(accountId, ids)}) AS newest
          UNION ALL
          SELECT earlier.before_seq, earlier.before_no, ${n}, lines.followed + 1 FROM lines JOIN evidence AS earlier
            ON earlier.account_id = ${accountId} AND earlier.seq = lines.seq AND earlier.no = lines.no
            WHERE earlier.before_seq IS NOT NULL AND ${n} < ${each}
              AND lines.followed < ${Math.max(LEAST_FOLLOWED, FOLLOWED_FOR_EACH * each)})`;
}

/** The newest lines of outcomes about each of these entries, `each` at most of one; a line of a merge as the one that it repeats. */
export function listLinesAbout(query: Query, accountId: string, asked: LinesAsked): Promise<LineAbout[]> {
  return query.all<LineAbout>(
    sql`${linesOfOutcomes(accountId, asked)}
        SELECT coalesce(line.origin_seq, line.seq) AS seq, line.entry_id, coalesce(line.read_version, line.version) AS version,
          line.success, line.confidence_before, line.confidence_after
        FROM lines JOIN evidence AS line ON line.account_id = ${accountId} AND line.seq = lines.seq AND line.no = lines.no
        WHERE line.entry_id IS NOT NULL AND ${byOutcome('line')} LIMIT ${asked.most}`,
  );
}

/** The newest outcomes about each of these entries, `each` at most of one, newest first. */
export async function listNewestOutcomesOf(query: Query, accountId: string, asked: LinesAsked): Promise<number[]> {
  const rows = await query.all<{ seq: number }>(
    sql`${linesOfOutcomes(accountId, asked)}
        SELECT DISTINCT line.seq FROM lines JOIN evidence AS line
          ON line.account_id = ${accountId} AND line.seq = lines.seq AND line.no = lines.no
          WHERE ${byOutcome('line')} ORDER BY line.seq DESC LIMIT ${asked.most}`,
  );
  return rows.map(({ seq }) => seq);
}

/** A version that an outcome rested on, by a line of the ledger. */
export type VersionBehind = { seq: number; no: number; entry_id: number; branch: string; version: number };

export type LinesOfOutcomes = { seqs: Sql; after: readonly [seq: number, no: number]; limit: number };

/** The versions that outcomes rested on, line by line, as far as the reader may see the lines; replays are left out. */
export function listVersionsBehind(
  query: Query,
  { account_id, agent_id, scope }: Viewer,
  { seqs, after, limit }: LinesOfOutcomes,
): Promise<VersionBehind[]> {
  return query.all<VersionBehind>(
    sql`SELECT seq, no, entry_id, branch, coalesce(read_version, version) AS version FROM evidence
        WHERE account_id = ${account_id} AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs})
          AND (seq, no) > (${after[0]}, ${after[1]}) AND entry_id IS NOT NULL
          AND coalesce(read_version, version) IS NOT NULL AND coalesce(reason, '') <> 'replayed'
          AND ${visibleTo(agent_id)}${andAll(scopeConditions(scope))} ORDER BY seq, no LIMIT ${limit}`,
  );
}
