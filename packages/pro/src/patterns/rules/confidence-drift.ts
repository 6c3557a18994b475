import { findingAt, type PatternFinding, rounded } from './finding.ts';
import { DAY_MS, type LookedEntry, type PathFacts, RECENT_DAYS, type ScanTerms } from './path-facts.ts';

const LEAST_DROP = 0.2;
const LEAST_FAILURES = 3;
/** What made good this share of its fall has recovered. */
const RECOVERED_SHARE = 0.5;
/** What is below it is as good as refuted. */
const LOST = 0.3;

type Drift = { entry: LookedEntry; drop: number; seq: number; trace_ids: string[] };

/**
 * Confidence in what is written now fell by 0.2 or more within 30 days, by three outcomes at least and not by one, and half of
 * that is not made good. A new version begins from the start.
 */
export function confidenceDrift(path: PathFacts, { at }: ScanTerms): PatternFinding | undefined {
  const since = at - RECENT_DAYS * DAY_MS;
  const drifts = path.entries.flatMap((entry) => driftOf(entry, since) ?? []).sort((a, b) => b.drop - a.drop);
  const [most] = drifts;
  if (!most) return undefined;
  const lowest = Math.min(...drifts.map(({ entry }) => entry.confidence));
  return findingAt({
    pattern_type: 'confidence_drift',
    severity: lowest < LOST ? 'warning' : 'info',
    weight: most.drop,
    entity_path: path.entity_path,
    evidence_seq: Math.max(...drifts.map(({ seq }) => seq)),
    figures: { entries: drifts.length, drop: rounded(most.drop), lowest: rounded(lowest), days: RECENT_DAYS },
    entries: drifts.map(({ entry }) => entry),
    trace_ids: most.trace_ids,
  });
}

function driftOf(entry: LookedEntry, since: number): Drift | undefined {
  const lines = entry.lines.filter(({ version, at }) => version === entry.version && at >= since);
  const [newest] = lines;
  const oldest = lines.at(-1);
  if (!newest || !oldest) return undefined;
  const failed = lines.filter((line) => line.failed && line.confidence_after < line.confidence_before);
  if (new Set(failed.map(({ seq }) => seq)).size < LEAST_FAILURES) return undefined;
  const lowest = Math.min(...lines.map(({ confidence_after }) => confidence_after));
  const before = oldest.confidence_before;
  const drop = before - newest.confidence_after;
  const madeGood = newest.confidence_after - lowest;
  if (drop < LEAST_DROP || madeGood >= (before - lowest) * RECOVERED_SHARE) return undefined;
  const trace_ids = failed.flatMap(({ trace_id }) => trace_id ?? []);
  return { entry, drop, seq: failed[0]?.seq ?? newest.seq, trace_ids };
}
