import { findingAt, type PatternFinding } from './finding.ts';
import {
  DAY_MS,
  type LookedEntry,
  type OutcomeLineFacts,
  type PathFacts,
  RECENT_DAYS,
  type ScanTerms,
} from './path-facts.ts';

/** Fewer failures among the outcomes of a path are what happens everywhere. */
const LEAST_SHARE = 0.5;
/** From so many on it is critical, and from this many failures that were critical themselves. */
const CRITICAL_FAILURES = 5;
const CRITICAL_OF_CRITICAL = 2;

/**
 * At least `incident_threshold` different outcomes of the last 30 days that rested on entries of a path failed, half of all
 * that were looked at; and one of them rested on what is written there now. One outcome counts once, however many entries it rested on.
 */
export function recurringFailure(path: PathFacts, { at, incident_threshold }: ScanTerms): PatternFinding | undefined {
  const since = at - RECENT_DAYS * DAY_MS;
  const outcomes = new Map<number, OutcomeLineFacts>();
  const failing: { entry: LookedEntry; failures: number }[] = [];
  let isUnchanged = false;
  for (const entry of path.entries) {
    const lines = entry.lines.filter((line) => line.at >= since);
    for (const line of lines) outcomes.set(line.seq, line);
    const failed = lines.filter((line) => line.failed);
    if (failed.length > 0) failing.push({ entry, failures: failed.length });
    isUnchanged ||= failed.some(({ version }) => version === entry.version);
  }
  const failed = [...outcomes.values()].filter((one) => one.failed).sort((a, b) => b.seq - a.seq);
  const [newest] = failed;
  if (!newest || !isUnchanged || failed.length < incident_threshold) return undefined;
  if (failed.length / outcomes.size < LEAST_SHARE) return undefined;
  const critical = failed.filter((one) => one.critical).length;
  const isCritical = failed.length >= CRITICAL_FAILURES || critical >= CRITICAL_OF_CRITICAL;
  return findingAt({
    pattern_type: 'recurring_failure',
    severity: isCritical ? 'critical' : 'warning',
    weight: failed.length,
    entity_path: path.entity_path,
    evidence_seq: newest.seq,
    figures: { failures: failed.length, outcomes: outcomes.size, critical_failures: critical, days: RECENT_DAYS },
    entries: failing.sort((a, b) => b.failures - a.failures).map(({ entry }) => entry),
    trace_ids: failed.flatMap(({ trace_id }) => trace_id ?? []),
  });
}
