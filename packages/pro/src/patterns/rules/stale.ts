import { findingAt, type PatternFinding } from './finding.ts';
import { DAY_MS, type LookedEntry, type PathFacts, type ScanTerms, touchedAt } from './path-facts.ts';

const LEAST_CLUSTER = 5;
/** What was read less often nobody relies on. */
const LEAST_RECALLS = 3;
const MUCH_READ = 10;
/** So many other entries of the path have to be newer before it counts as having moved on. */
const LEAST_NEWER = 3;

const isOld = (time: number, { at, stale_days }: ScanTerms): boolean => time < at - stale_days * DAY_MS;

/** Five entries or more, none of which was written or confirmed lately. Whether somebody still reads there is asked then. */
export const mayBeStaleCluster = (path: PathFacts, terms: ScanTerms): boolean =>
  path.count >= LEAST_CLUSTER && isOld(path.touched_at, terms);

/** Sessions of this time that failed with what they had read there. */
export const failedLately = (path: PathFacts, terms: ScanTerms): string[] =>
  path.entries.flatMap(({ lines }) =>
    lines.flatMap(({ failed, at, trace_id }) => (failed && !isOld(at, terms) && trace_id !== null ? [trace_id] : [])),
  );

/** Sessions, or agents where no outcome has sealed theirs. */
type RecentReaders = { trace_ids: readonly string[]; agents: readonly string[] };

/** A path that is out of date as a whole, and that sessions still read. */
export function staleCluster(path: PathFacts, terms: ScanTerms, { trace_ids, agents }: RecentReaders): PatternFinding {
  const days = Math.floor((terms.at - path.touched_at) / DAY_MS);
  return findingAt({
    pattern_type: 'stale_cluster',
    severity: 'warning',
    weight: path.count,
    entity_path: path.entity_path,
    evidence_seq: path.newest_seq,
    figures: { entries: path.count, days_untouched: days, recent_readers: Math.max(trace_ids.length, agents.length) },
    entries: path.entries.toSorted(mostRead),
    ...{ trace_ids, agents },
  });
}

/**
 * Entries that are read but were neither written nor confirmed lately, at a path where at least three others were written since:
 * what they say may be overtaken.
 */
export function staleKnowledge(path: PathFacts, terms: ScanTerms): PatternFinding | undefined {
  const newer = path.entries.filter(({ written_at }) => !isOld(written_at, terms));
  if (newer.length < LEAST_NEWER) return undefined;
  const old = path.entries.filter((entry) => entry.recall_count >= LEAST_RECALLS && isOld(touchedAt(entry), terms));
  if (old.length === 0) return undefined;
  const sorted = old.toSorted(mostRead);
  const recalls = sorted[0]?.recall_count ?? 0;
  return findingAt({
    pattern_type: 'stale_knowledge',
    severity: recalls >= MUCH_READ ? 'warning' : 'info',
    weight: recalls,
    entity_path: path.entity_path,
    evidence_seq: Math.max(...old.map(({ seq }) => seq)),
    figures: { entries: old.length, newer_entries: newer.length, most_recalls: recalls, stale_days: terms.stale_days },
    entries: sorted,
  });
}

const mostRead = (a: LookedEntry, b: LookedEntry): number => b.recall_count - a.recall_count || a.entry_id - b.entry_id;
