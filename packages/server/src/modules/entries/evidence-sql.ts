import { type Engine, type Query, sql } from '../../db/index.ts';
import { type EvidenceStatus, evidenceRank } from './rules/evidence.ts';

const VALIDATED = evidenceRank('validated');
const CONTESTED = evidenceRank('contested');
const DISCREDITED = evidenceRank('discredited');

/** The rank of an entry's evidence from its stored standing, by the rules of `evidenceStatus`; null where it is untested. */
export function evidenceRankSql(engine: Engine, { standing, confidence }: { standing: string; confidence: string }) {
  const member = (name: string) =>
    engine === 'sqlite'
      ? `json_extract(${standing}, '$.${name}')`
      : `CAST(CAST(${standing} AS json) ->> '${name}' AS DOUBLE PRECISION)`;
  const [success, failure] = [member('success_count'), member('failure_count')];
  const [for_it, against_it] = [member('evidence_success'), member('evidence_failure')];
  return `CAST(CASE WHEN ${standing} IS NULL THEN NULL
    WHEN ${member('discredited_at')} IS NOT NULL THEN ${DISCREDITED}
    WHEN ${success} + ${failure} = 0 AND ${member('outcome_count')} = 0 THEN NULL
    WHEN ${success} + ${failure} = 0 THEN CASE WHEN ${confidence} >= 0.5 THEN ${VALIDATED} ELSE ${CONTESTED} END
    WHEN ${failure} = 0 THEN ${VALIDATED}
    WHEN (1.0 + ${for_it}) / (2.0 + ${for_it} + ${against_it}) >= 0.7 AND ${member('outcome_count')} >= 2 THEN ${VALIDATED}
    WHEN ${success} >= 4 AND ${failure} <= 1 THEN ${VALIDATED}
    ELSE ${CONTESTED} END AS BIGINT)`;
}

/** A condition on rows of the relation with standings. */
export const hasEvidence = (status: EvidenceStatus) =>
  status === 'untested' ? sql`evidence_rank IS NULL` : sql`evidence_rank = ${evidenceRank(status)}`;

/** The numbers of the entries of an account whose evidence is so, on any branch and without a visibility check. */
export async function listNumbersWithEvidence(
  query: Query,
  { account_id, status, limit }: { account_id: string; status: EvidenceStatus; limit: number },
): Promise<number[]> {
  const rows = await query.all<{ entry_id: number }>(
    sql`SELECT entry_id FROM standings WHERE account_id = ${account_id} AND evidence_rank IS NOT NULL
        AND evidence_rank = ${evidenceRank(status)} ORDER BY entry_id LIMIT ${limit}`,
  );
  return rows.map(({ entry_id }) => entry_id);
}
