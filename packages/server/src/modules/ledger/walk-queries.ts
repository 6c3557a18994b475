import { andAll, fragment, joinSql, type Query, type Sql, sql } from '../../db/index.ts';
import { type ErasedEntries, type Viewer, withinReach } from '../../kernel/index.ts';
import { newestLines } from '../entries/index.ts';

/**
 * The places of the lines about the entries of a condition. An entry knows the newest line, and each line the one before
 * it about the same entry.
 */
export const linesOf = (account_id: string, entries: Sql): Sql =>
  sql`WITH RECURSIVE lines (seq, no) AS (
        ${newestLines(account_id, entries)}
        UNION ALL
        SELECT earlier.before_seq, earlier.before_no FROM lines JOIN evidence AS earlier
          ON earlier.account_id = ${account_id} AND earlier.seq = lines.seq AND earlier.no = lines.no
          WHERE earlier.before_seq IS NOT NULL)
      SELECT lines.seq, lines.no FROM lines`;

/** The same of entries by their numbers. */
export const linesOfEntries = (account_id: string, ids: Sql): Sql =>
  linesOf(account_id, sql`entry_id IN (SELECT CAST(value AS BIGINT) FROM ${ids})`);

/** Every outcome that entries led to. */
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

export type LedgerScope = Viewer & { branch: string };

/** Of one entry or name: a bound written out, so that SQLite need not plan anew. */
export const MOST_OUTCOMES = 500;
const MOST = fragment(String(MOST_OUTCOMES + 1));

const seen = ({ agent_id }: LedgerScope, table: string): Sql => {
  const visible_to = fragment(`${table}.visible_to`);
  return sql`(${visible_to} = '' OR ${visible_to} = ${agent_id})`;
};

/** From the newest line about an entry back, until there are enough that the agent may see. */
function seqsOfEntry(scope: LedgerScope, entryId: number): Sql {
  const { account_id, branch } = scope;
  const shown = sql`CASE WHEN line.entry_id = ${entryId} AND line.branch = ${branch} AND ${seen(scope, 'line')} THEN 1 ELSE 0 END`;
  const ofLine = sql`line.account_id = ${account_id} AND line.seq`;
  return sql`WITH RECURSIVE lines (seq, before_seq, before_no, shown, n) AS (
      SELECT line.seq, line.before_seq, line.before_no, ${shown}, 0
        FROM (${newestLines(account_id, sql`entry_id = ${entryId}`)}) AS newest JOIN evidence AS line
        ON ${ofLine} = newest.line_seq AND line.no = newest.line_no
      UNION ALL
      SELECT line.seq, line.before_seq, line.before_no, ${shown}, lines.n + lines.shown FROM lines JOIN evidence AS line
        ON ${ofLine} = lines.before_seq AND line.no = lines.before_no WHERE lines.n + lines.shown < ${MOST})
    SELECT seq FROM lines WHERE shown = 1`;
}

function seqsOfRef(scope: LedgerScope, outcomeRef: string): Sql {
  const { account_id, branch } = scope;
  return sql`SELECT seq FROM outcomes WHERE account_id = ${account_id} AND outcome_ref = ${outcomeRef} AND branch = ${branch}
      AND ${seen(scope, 'outcomes')} ORDER BY seq DESC LIMIT ${MOST}`;
}

export type PlacedOutcome = { place: number; seq: number };

/** The newest outcomes that entries led to, or that bear a reference; `place` is the position in the list. */
export function listOutcomesOf(
  query: Query,
  scope: LedgerScope,
  asked: readonly ({ entry_id: number } | { outcome_ref: string })[],
): Promise<PlacedOutcome[]> {
  const parts = asked.map((one, place) => {
    const seqs = 'entry_id' in one ? seqsOfEntry(scope, one.entry_id) : seqsOfRef(scope, one.outcome_ref);
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

/** What outcomes have in the ledger, as far as an agent may know, without names that were no entries. */
export function listOutcomeLines(query: Query, scope: Viewer, seqs: Sql): Promise<OutcomeLine[]> {
  const { account_id, agent_id, reach } = scope;
  return query.all<OutcomeLine>(
    sql`SELECT outcomes.seq, outcome_ref, outcomes.outcome_type, outcomes.visible_to AS outcome_visible_to, committed_at,
          evidence.branch, evidence.entry_id, evidence.visible_to
        FROM outcomes JOIN evidence ON evidence.account_id = ${account_id} AND evidence.seq = outcomes.seq
        WHERE outcomes.account_id = ${account_id} AND outcomes.seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs})
          AND (evidence.entry_id IS NOT NULL OR evidence.entity_path IS NULL)
          AND (evidence.visible_to = '' OR evidence.visible_to = ${agent_id})${andAll(withinReach(reach, 'evidence.entity_path'))}
        ORDER BY outcomes.seq, evidence.no`,
  );
}
