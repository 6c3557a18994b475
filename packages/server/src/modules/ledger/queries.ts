import { andAll, type FirstRows, fragment, type Insert, type Query, type Sql, sql } from '../../db/index.ts';
import { type LedgerPosition, type Scope, scopeConditions, type Viewer, visibleTo } from '../../kernel/index.ts';

export type OutcomeRow = {
  account_id: string;
  /** The `seq` of its event. */
  seq: number;
  outcome_id: string;
  outcome_ref: string;
  outcome_type: string;
  agent_id: string;
  session: string;
  branch: string;
  causal_confidence: number;
  is_evidence: number;
  trace_id: string | null;
  visible_to: string;
  committed_at: number;
  /** JSON of the fields that are only shown. */
  document: string;
};

/** A ledger line: what one step of an outcome changed in one entry. */
export type EvidenceRow = {
  account_id: string;
  seq: number;
  no: number;
  entry_id: number | null;
  branch: string;
  entity_path: string | null;
  key: string | null;
  visible_to: string;
  version: number | null;
  read_version: number | null;
  written_by: string | null;
  agent_id: string;
  attempt: number | null;
  outcome_type: string;
  success: number;
  model: string;
  causal_confidence: number;
  n_causal: number;
  applied: number;
  reason: string | null;
  surprise: number | null;
  weight: number | null;
  confidence_before: number | null;
  confidence_after: number | null;
  evidence_success: number | null;
  evidence_failure: number | null;
  evidence_status: string | null;
  at: number;
  /** The line of another branch that this one repeats: a merge brought it along. */
  origin_seq: number | null;
  origin_no: number | null;
  /** The trace, the judge and its version, where a verdict wrote the line. */
  trace_seq: number | null;
  judge_id: string | null;
  judge_version: number | null;
  /** The previous line about the same entry. */
  before_seq: number | null;
  before_no: number | null;
};

export const insertOutcomes: Insert = {
  table: 'outcomes',
  columns: {
    account_id: 'text',
    seq: 'int',
    outcome_id: 'text',
    outcome_ref: 'text',
    outcome_type: 'text',
    agent_id: 'text',
    session: 'text',
    branch: 'text',
    causal_confidence: 'real',
    is_evidence: 'int',
    trace_id: 'text',
    visible_to: 'text',
    committed_at: 'int',
    document: 'text',
  },
};

export const evidenceColumns = {
  account_id: 'text',
  seq: 'int',
  no: 'int',
  entry_id: 'int',
  branch: 'text',
  entity_path: 'text',
  key: 'text',
  visible_to: 'text',
  version: 'int',
  read_version: 'int',
  written_by: 'text',
  agent_id: 'text',
  attempt: 'int',
  outcome_type: 'text',
  success: 'int',
  model: 'text',
  causal_confidence: 'real',
  n_causal: 'int',
  applied: 'int',
  reason: 'text',
  surprise: 'real',
  weight: 'real',
  confidence_before: 'real',
  confidence_after: 'real',
  evidence_success: 'real',
  evidence_failure: 'real',
  evidence_status: 'text',
  at: 'int',
  origin_seq: 'int',
  origin_no: 'int',
  trace_seq: 'int',
  judge_id: 'text',
  judge_version: 'int',
} as const;

export const insertEvidence: Insert = {
  table: 'evidence',
  columns: { ...evidenceColumns, before_seq: 'int', before_no: 'int' },
};

const OUTCOME: Sql = { text: Object.keys(insertOutcomes.columns).join(', '), values: [] };
const EVIDENCE: Sql = { text: Object.keys(insertEvidence.columns).join(', '), values: [] };

export type Retried = {
  account_id: string;
  agent_id: string;
  session: string;
  outcome_ref: string;
  outcome_type: string;
  branch: string;
};

/** Finds an earlier commit of the same outcome in the same session. */
export function findCommitted(
  query: Query,
  retried: Retried & { scope: Scope | undefined },
): Promise<OutcomeRow | undefined> {
  return query.get<OutcomeRow>(
    sql`SELECT ${OUTCOME} FROM outcomes WHERE account_id = ${retried.account_id} AND outcome_ref = ${retried.outcome_ref}
        AND agent_id = ${retried.agent_id} AND session = ${retried.session} AND outcome_type = ${retried.outcome_type}
        AND branch = ${retried.branch}${andAll(ledWithin(retried, 'outcomes'))} ORDER BY seq DESC LIMIT 1`,
  );
}

/** The reference of an agent's own outcome. */
export function getOutcomeRef(query: Query, viewer: Viewer, seq: number): Promise<{ outcome_ref: string } | undefined> {
  return query.get(
    sql`SELECT outcome_ref FROM outcomes WHERE account_id = ${viewer.account_id} AND seq = ${seq}
        AND agent_id = ${viewer.agent_id}${andAll(ledWithin(viewer, 'outcomes'))}`,
  );
}

/** Returns the ledger lines of outcomes that an agent may see. */
export function listEvidence(query: Query, viewer: Viewer, seqs: Sql): Promise<EvidenceRow[]> {
  return query.all<EvidenceRow>(
    sql`SELECT ${EVIDENCE} FROM evidence WHERE account_id = ${viewer.account_id}
        AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs}) AND entity_path IS NOT NULL
        AND ${visibleTo(viewer.agent_id)}${andAll(scopeConditions(viewer.scope))} ORDER BY seq, no`,
  );
}

/**
 * A condition for a scoped viewer: outcomes with a cause in scope, or without causes. An erased cause counts as a cause. It
 * is no EXISTS, which PostgreSQL may answer by reading the lines of the whole account.
 */
export function ledWithin({ account_id, agent_id, scope }: Viewer, table: 'outcomes' | 'looked_at'): Sql[] {
  if (scope === undefined) return [];
  const lines = sql`SELECT 1 FROM evidence WHERE evidence.account_id = ${account_id} AND evidence.seq = ${fragment(table)}.seq`;
  return [
    sql`((${lines} LIMIT 1) IS NULL OR (${lines} AND evidence.entity_path IS NOT NULL
      AND (evidence.visible_to = '' OR evidence.visible_to = ${agent_id})${andAll(scopeConditions(scope, 'evidence.entity_path'))}
      LIMIT 1) IS NOT NULL)`,
  ];
}

export type OutcomePage = {
  where: readonly Sql[];
  filters: readonly Sql[];
  scan: number;
  limit: number;
  bytes: number;
};

/** Newest first. With a filter that no index serves, scans at most `scan` outcomes. */
export function listOutcomes(query: Query, viewer: Viewer, page: OutcomePage): Promise<FirstRows<OutcomeRow>> {
  const limit = { columns: ['document'], bytes: page.bytes };
  const base = sql`SELECT ${OUTCOME} FROM outcomes WHERE account_id = ${viewer.account_id}
      AND ${visibleTo(viewer.agent_id)}${andAll(page.where)} ORDER BY seq DESC`;
  if (page.filters.length === 0) return query.first<OutcomeRow>(sql`${base} LIMIT ${page.limit}`, limit);
  return query.first<OutcomeRow>(
    sql`SELECT * FROM (${base} LIMIT ${page.scan}) AS looked_at WHERE true${andAll(page.filters)}
        ORDER BY seq DESC LIMIT ${page.limit}`,
    limit,
  );
}

export type SeenOutcome = Pick<
  OutcomeRow,
  'seq' | 'outcome_ref' | 'outcome_type' | 'agent_id' | 'trace_id' | 'committed_at'
>;

/** Those of these outcomes that a viewer may see, newest first. */
export function listOutcomesAt(query: Query, viewer: Viewer, seqs: Sql): Promise<SeenOutcome[]> {
  return query.all<SeenOutcome>(
    sql`SELECT seq, outcome_ref, outcome_type, agent_id, trace_id, committed_at FROM outcomes
        WHERE account_id = ${viewer.account_id} AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs})
          AND ${visibleTo(viewer.agent_id)}${andAll(ledWithin(viewer, 'outcomes'))} ORDER BY seq DESC`,
  );
}

/** Counts the ledger lines of outcomes, without a visibility check. */
export function countLines(query: Query, accountId: string, seqs: Sql): Promise<{ seq: number; n: number }[]> {
  return query.all(
    sql`SELECT seq, count(*) AS n FROM evidence WHERE account_id = ${accountId}
        AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs}) GROUP BY seq`,
  );
}

/** How many causes of outcomes lie at each path, as far as a viewer may see, the most first. */
export function countCausePaths(
  query: Query,
  viewer: Viewer,
  { seqs, limit }: { seqs: Sql; limit: number },
): Promise<{ seq: number; entity_path: string; n: number }[]> {
  return query.all(
    sql`SELECT seq, entity_path, count(*) AS n FROM evidence WHERE account_id = ${viewer.account_id}
        AND seq IN (SELECT CAST(value AS BIGINT) FROM ${seqs}) AND entity_path IS NOT NULL
        AND ${visibleTo(viewer.agent_id)}${andAll(scopeConditions(viewer.scope))}
        GROUP BY seq, entity_path ORDER BY n DESC, seq DESC, entity_path LIMIT ${limit}`,
  );
}

/** Returns the last outcome of a scan, when more follow it. */
export function endOfScan(query: Query, viewer: Viewer, page: OutcomePage): Promise<{ seq: number } | undefined> {
  return query.get<{ seq: number }>(
    sql`SELECT seq FROM outcomes WHERE account_id = ${viewer.account_id} AND ${visibleTo(viewer.agent_id)}${andAll(page.where)}
        ORDER BY seq DESC LIMIT 1 OFFSET ${page.scan - 1}`,
  );
}

/** A filter: outcomes with a cause at these paths that the agent may see. */
export function hasCauseAt({ account_id, agent_id }: Viewer, paths: readonly Sql[]): Sql {
  return sql`(SELECT 1 FROM evidence WHERE evidence.account_id = ${account_id} AND evidence.seq = looked_at.seq
      AND evidence.entity_path IS NOT NULL
      AND (evidence.visible_to = '' OR evidence.visible_to = ${agent_id})${andAll(paths)} LIMIT 1) IS NOT NULL`;
}

/**
 * `stated_confidence`: the causal confidence of the outcome; that of the line is what counted for the entry. A line of a
 * consolidation or a verdict has no outcome.
 */
export type LedgerRow = EvidenceRow & {
  outcome_ref: string | null;
  outcome_visible_to: string;
  stated_confidence: number;
};

/** The model of a line that no outcome wrote: its entry was demoted, with no effect on what outcomes say. */
export const DEMOTED = 'consolidation';

/**
 * The model of a line that a verdict wrote. `evidence_success` and `evidence_failure` are what the verdicts on its trace say together from
 * then on, for and against the value.
 */
export const JUDGED = 'verdict';

/** Whether a line changed the confidence in its entry. */
export const hasCounted = ({ applied, model }: Pick<EvidenceRow, 'applied' | 'model'>): boolean =>
  applied === 1 || model === DEMOTED || model === JUDGED;

export type LedgerPage = { from: LedgerPosition; since: number; limit: number };

/** Lines about an entry, from one of them back to a `seq`, newest first. */
export function listLedger(query: Query, account_id: string, { from, since, limit }: LedgerPage): Promise<LedgerRow[]> {
  const columns = fragment(
    Object.keys(insertEvidence.columns)
      .map((name) => `e.${name}`)
      .join(', '),
  );
  return query.all<LedgerRow>(
    sql`WITH RECURSIVE lines (seq, no, n) AS (
          SELECT CAST(${from.seq} AS BIGINT), CAST(${from.no} AS BIGINT), 1
          UNION ALL
          SELECT before_seq, before_no, n + 1 FROM lines JOIN evidence ON evidence.account_id = ${account_id}
            AND evidence.seq = lines.seq AND evidence.no = lines.no
            WHERE before_seq > ${since} AND n < ${limit})
        SELECT ${columns}, o.outcome_ref, coalesce(o.visible_to, '') AS outcome_visible_to,
          coalesce(o.causal_confidence, e.causal_confidence) AS stated_confidence FROM lines
        JOIN evidence AS e ON e.account_id = ${account_id} AND e.seq = lines.seq AND e.no = lines.no
        LEFT JOIN outcomes AS o ON o.account_id = ${account_id} AND o.seq = coalesce(e.origin_seq, e.seq) ORDER BY e.seq DESC, e.no DESC`,
  );
}

/** The entries that outcomes judged after a `seq`, up to another. */
export function listJudged(
  query: Query,
  accountId: string,
  { after, upTo, most }: { after: number; upTo: number; most: number },
): Promise<{ seq: number; entry_id: number }[]> {
  return query.all(
    sql`SELECT seq, entry_id FROM evidence WHERE account_id = ${accountId} AND seq > ${after} AND seq <= ${upTo}
          AND applied = 1 AND entry_id IS NOT NULL ORDER BY seq, no LIMIT ${most}`,
  );
}

export type BranchLines = { branch: string; after: number; up_to: number | null; most: number };

/** The names of entries that lines of a branch other than `main` are about, after a `seq` and up to another. */
export function listJudgedNames(
  query: Query,
  accountId: string,
  { branch, after, up_to, most }: BranchLines,
): Promise<{ entity_path: string; key: string }[]> {
  const end = up_to === null ? [] : [sql`seq <= ${up_to}`];
  return query.all(
    sql`SELECT DISTINCT entity_path, key FROM evidence WHERE account_id = ${accountId} AND branch = ${branch}
          AND branch <> 'main' AND seq > ${after}${andAll(end)} AND (applied = 1 OR model = ${JUDGED}) AND entity_path IS NOT NULL
          AND entry_id IS NOT NULL LIMIT ${most}`,
  );
}
