import { fragment, type Sql, sql } from '../../db/index.ts';
import type { Services } from '../../kernel/index.ts';
import type { EntryRow } from './rows.ts';
import { effectiveConfidence, LONGEVITY } from './rules/decay.ts';
import { type Standing, UNTOUCHED } from './standing.ts';

export type FadingEntry = Pick<EntryRow, 'confidence' | 'memory_type' | 'written_at' | 'recall_count' | 'standing'>;

/** The confidence of an entry after decay. */
export function fadedConfidence({ settings }: Services, row: FadingEntry, now: number): number {
  const { half_life_days } = settings;
  if (half_life_days === null) return row.confidence;
  const standing = row.standing === null ? UNTOUCHED : (JSON.parse(row.standing) as Standing);
  const outcome_count = standing.outcome_count + (standing.verdicts?.line_count ?? 0);
  const { confidence, memory_type, written_at, recall_count } = row;
  return effectiveConfidence(
    { confidence, memory_type, written_at, recall_count, outcome_count },
    { half_life_days, now },
  );
}

/** The decayed confidence as a member of the answer; empty where decay is off. */
export function fadedMember(services: Services, row: FadingEntry, now: number): string {
  if (services.settings.half_life_days === null) return '';
  return `,"effective_confidence":${fadedConfidence(services, row, now)}`;
}

const LONGEVITY_SQL = fragment(
  `CASE memory_type ${Object.entries(LONGEVITY)
    .map(([type, factor]) => `WHEN '${type}' THEN ${factor.toFixed(1)}`)
    .join(' ')} ELSE 1.0 END`,
);

/** The decayed confidence as SQL, for filters: the same formula as `effectiveConfidence`. */
function effectiveSql({ settings }: Services, now: number): Sql {
  const { half_life_days } = settings;
  if (half_life_days === null) return fragment('confidence');
  return sql`(confidence * power(0.5, CAST(CASE WHEN written_at < ${now} THEN ${now} - written_at ELSE 0 END AS DOUBLE PRECISION)
    / 86400000.0 / (CAST(${half_life_days} AS DOUBLE PRECISION) * ${LONGEVITY_SQL} * (1.0 + ln(1.0 + recall_count))
    * CASE WHEN standing_no > 0 THEN 2.0 ELSE 1.0 END)))`;
}

export type ConfidenceRange = { min_confidence?: number | undefined; max_confidence?: number | undefined };

/** Conditions for entries whose decayed confidence lies within a range. */
export function confidenceWithin(services: Services, range: ConfidenceRange, now: number): Sql[] {
  const { min_confidence: min, max_confidence: max } = range;
  const effective = () => effectiveSql(services, now);
  return [
    ...(min === undefined ? [] : [sql`${effective()} >= ${min}`]),
    ...(max === undefined ? [] : [sql`${effective()} <= ${max}`]),
  ];
}
