import { findingAt, type PatternFinding, rounded } from './finding.ts';
import { DAY_MS, HOT_DAYS, type LookedEntry, type PathFacts, type ScanTerms } from './path-facts.ts';

const LEAST_WRITES = 20;
/** As many times as in a week before. */
const LEAST_FACTOR = 4;
/** So many agents that write there may be in each other's way. */
const MANY_AGENTS = 3;

/**
 * At least 20 versions were written at a path within a week, and four times as many as in a week before. What is no older than
 * two weeks is new, and not hot.
 */
export function hotEntity(path: PathFacts, { at, hot_seq }: ScanTerms): PatternFinding | undefined {
  const since = at - HOT_DAYS * DAY_MS;
  const written = path.entries.map((entry) => ({ entry, writes: writesSince(entry, { since, at }) }));
  const writes = sum(written.map((one) => one.writes));
  const created = Math.min(...path.entries.map(({ created_at }) => created_at));
  const weeksBefore = (since - created) / (7 * DAY_MS);
  if (writes < LEAST_WRITES || weeksBefore < 1) return undefined;
  const before = sum(written.map(({ entry, writes: recent }) => Math.max(0, entry.version - recent)));
  const weekly = before / weeksBefore;
  if (writes < LEAST_FACTOR * Math.max(1, weekly)) return undefined;
  const recent = path.entries.flatMap(({ versions, agent_id, written_at }) => [
    { agent_id, written_at },
    ...versions.map((one) => ({ agent_id: one.agent_id, written_at: one.written_at })),
  ]);
  const agents = [...new Set(recent.filter((one) => one.written_at >= since).map(({ agent_id }) => agent_id))];
  return findingAt({
    pattern_type: 'hot_entity',
    severity: agents.length >= MANY_AGENTS ? 'warning' : 'info',
    weight: writes / Math.max(1, weekly),
    entity_path: path.entity_path,
    // Comes back when a whole week after the resolution is as hot.
    evidence_seq: hot_seq - 1,
    figures: { writes: Math.round(writes), weekly_before: rounded(weekly), agents: agents.length, days: HOT_DAYS },
    entries: written.sort((a, b) => b.writes - a.writes).flatMap((one) => (one.writes > 0 ? [one.entry] : [])),
    agents,
  });
}

/** Where more was written than is known, it is taken to have gone on at the same rate. */
function writesSince(
  { version, versions, written_at }: LookedEntry,
  { since, at }: { since: number; at: number },
): number {
  if (written_at < since) return 0;
  const recent = versions.filter((one) => one.written_at >= since);
  if (versions.length === 0) return 1;
  const oldest = versions.at(-1);
  const isCut = oldest !== undefined && oldest.written_at >= since && oldest.version > 1;
  if (!isCut) return recent.length;
  const span = Math.max(at - oldest.written_at, DAY_MS / 24);
  return Math.min(version, (recent.length * HOT_DAYS * DAY_MS) / span);
}

const sum = (figures: readonly number[]): number => figures.reduce((a, b) => a + b, 0);
