import { useMemo } from 'react';
import type { Output } from '../../data/client.ts';
import { isFailure } from '../../data/events.ts';
import { useOperation } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { useRefreshAtOnce } from '../../data/use-refresh.ts';
import { AGENTS, inputsOf, MINUTE_MS } from './questions.ts';
import { type Range, stretchOf, type TimeSpan } from './ranges.ts';

const REFETCH_MS = 10_000;
const often = { refetchMs: REFETCH_MS };
/** Under many events: as often as somebody can read figures, and the browser has time left for the list. */
const BETWEEN_MS = 1_000;
const SHARED = ['stats.read', 'series.read', 'outcomes.list', 'stale_reads.list', 'agents.list'] as const;

export type OverviewOutcome = Output<'outcomes.list'>['outcomes'][number];
export type Listed = Output<'entries.list'>['entries'][number];

type Committed = { committed_at: string };

/** Of a page with the newest first: what a question for a later time would have found. */
const laterPart = <T extends Committed>(rows: readonly T[], has_more: boolean, since: string) => {
  const later = rows.filter(({ committed_at }) => committed_at >= since);
  return { rows: later, has_more: has_more && later.length === rows.length };
};

/** What the parts of the page share: the stretch of time, and the questions that more than one of them asks. */
export function useOverview(range: Range) {
  useRefreshAtOnce(SHARED, BETWEEN_MS);
  const minute = Math.floor(useNow(MINUTE_MS / 4) / MINUTE_MS);
  const stretch: TimeSpan = useMemo(() => stretchOf(range, minute * MINUTE_MS), [range, minute]);
  const inputs = useMemo(() => inputsOf(range, minute * MINUTE_MS), [range, minute]);
  const { since } = stretch;
  const listed = useOperation('outcomes.list', inputs.outcomes, often);
  const outcomes = useMemo(() => {
    if (!listed.data) return undefined;
    const { rows, has_more } = laterPart(listed.data.outcomes, listed.data.has_more, since);
    return { outcomes: rows, has_more };
  }, [listed.data, since]);
  const allStale = useOperation('stale_reads.list', inputs.staleReads, often);
  const staleReads = useMemo(() => {
    if (!allStale.data) return undefined;
    const { rows, has_more } = laterPart(allStale.data.stale_reads, allStale.data.has_more, since);
    return { stale_reads: rows, has_more };
  }, [allStale.data, since]);
  return {
    stretch,
    stats: useOperation('stats.read', {}, often),
    series: useOperation('series.read', inputs.series, often),
    outcomes: { data: outcomes },
    /** Of the whole day, where less than a day is shown. */
    movedBy: listed,
    movedSince: inputs.outcomes.since ?? since,
    staleReads: { data: staleReads },
    /** Of a week at least. */
    allStale,
    agents: useOperation('agents.list', AGENTS, often),
  };
}

export type Overview = ReturnType<typeof useOverview>;

/** How many events of these types the series has. */
export function totalOf(series: Output<'series.read'> | undefined, types: readonly string[]): number {
  const counts = series?.points.flatMap((point) => types.map((type) => point.counts[type] ?? 0)) ?? [];
  return counts.reduce((sum, n) => sum + n, 0);
}

type MovementStep = {
  outcome_type: string;
  before: number;
  after: number;
  /** The words of the service. */
  why: string;
  agent: string;
};

export type Movement = {
  entity_path: string;
  key: string;
  before: number;
  after: number;
  /** The version that it moved; null where the service does not say. */
  version: number | null;
  /** The newest outcome that moved it. */
  last: MovementStep;
};

const isSame = (a: number, b: number): boolean => Math.abs(a - b) < 0.005;

type MovedVersion = Pick<Movement, 'entity_path' | 'key' | 'version'>;
type VersionStep = MovementStep & MovedVersion;

/** By entry, where its confidence stood before the first of these outcomes and where after the last; the newest first. */
export function movementsOf(outcomes: readonly OverviewOutcome[]): Movement[] {
  const byEntry = new Map<string, VersionStep[]>();
  for (const { entries, agent_id: agent } of outcomes)
    for (const entry of [...entries].reverse()) {
      const { entity_path, key, version, outcome_type, applied, confidence_before, confidence_after, why } = entry;
      if (!applied || confidence_before === null || confidence_after === null) continue;
      const numbers = { before: confidence_before, after: confidence_after };
      const step = { entity_path, key, version, outcome_type, ...numbers, why, agent };
      byEntry.set(idOf(entry), [...(byEntry.get(idOf(entry)) ?? []), step]);
    }
  return [...byEntry.values()].flatMap(movementOf).filter(({ before, after }) => !isSame(before, after));
}

/** What became of an older version is over where a newer one began with a confidence of its own. `steps`: newest first. */
function movementOf(steps: readonly VersionStep[]): Movement[] {
  const [last] = steps;
  if (!last) return [];
  const isOver = ({ version, after }: VersionStep, i: number) => {
    const next = steps[i - 1];
    return next !== undefined && next.version !== version && !isSame(after, next.before);
  };
  const over = steps.findIndex(isOver);
  const first = steps.at(over === -1 ? -1 : over - 1) ?? last;
  const { entity_path, key, version, after } = last;
  return [{ entity_path, key, version, before: first.before, after, last }];
}

const idOf = ({ entity_path, key }: { entity_path: string; key: string }): string => JSON.stringify([entity_path, key]);

export type PastMovement = Movement & {
  /** How the entry stands now, where a newer version with another confidence has replaced what was moved. */
  now?: { version: number; confidence: number };
};

/** The same with what became of the entries since, those that still stand so first, and of them those that moved most. */
export function withNewer(movements: readonly Movement[], written: readonly Listed[]): PastMovement[] {
  const current = new Map(written.map((entry) => [idOf(entry), entry]));
  const known = movements.map((movement): PastMovement => {
    const entry = current.get(idOf(movement));
    if (!entry || movement.version === null || entry.version <= movement.version) return movement;
    // A claim that is only restated keeps what outcomes have taught.
    if (isSame(entry.confidence, movement.after)) return movement;
    return { ...movement, now: { version: entry.version, confidence: entry.confidence } };
  });
  const sizeOf = ({ before, after }: Movement) => Math.abs(after - before);
  return known.sort((a, b) => Number(a.now !== undefined) - Number(b.now !== undefined) || sizeOf(b) - sizeOf(a));
}

type OutcomeCounts = { total: number; failed: number; is_part: boolean };

/** How outcomes ended, by the series. For a key with a scope it counts none of them, but the list shows those that it may see. */
export function outcomeCounts(
  series: Output<'series.read'> | undefined,
  listed: Overview['outcomes']['data'],
): OutcomeCounts {
  const total = totalOf(series, ['outcome']);
  if (!listed || total >= listed.outcomes.length) {
    const failed = (series?.points ?? []).reduce((sum, { failed_outcomes }) => sum + failed_outcomes, 0);
    return { total, failed, is_part: false };
  }
  const failed = listed.outcomes.filter(({ outcome_type }) => isFailure(outcome_type)).length;
  return { total: listed.outcomes.length, failed, is_part: listed.has_more };
}
