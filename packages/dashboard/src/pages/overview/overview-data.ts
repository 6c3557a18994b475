import { useMemo } from 'react';
import type { Output } from '../../data/client.ts';
import { isFailure } from '../../data/events.ts';
import { useOperation } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { type Range, stretchOf, type TimeSpan } from './ranges.ts';

const MINUTE_MS = 60_000;
const REFETCH_MS = 10_000;
/** Enough to see who did what; more is counted by the series. */
const MAX_OUTCOMES = 200;

export type OverviewOutcome = Output<'outcomes.list'>['outcomes'][number];
export type Listed = Output<'entries.list'>['entries'][number];

/** What the parts of the page share: the stretch of time, and the questions that more than one of them asks. */
export function useOverview(range: Range) {
  const minute = Math.floor(useNow(MINUTE_MS / 4) / MINUTE_MS);
  const stretch: TimeSpan = useMemo(() => stretchOf(range, minute * MINUTE_MS), [range, minute]);
  const { since, unit } = stretch;
  const today = useMemo(() => new Date(minute * MINUTE_MS).setHours(0, 0, 0, 0), [minute]);
  const often = { refetchMs: REFETCH_MS };
  const outcomes = useOperation('outcomes.list', { since, limit: MAX_OUTCOMES }, often);
  const ofToday = useOperation(
    'outcomes.list',
    { since: new Date(today).toISOString(), limit: MAX_OUTCOMES },
    { ...often, enabled: range === '1h' },
  );
  return {
    stretch,
    stats: useOperation('stats.read', {}, often),
    series: useOperation('series.read', { unit, since }, often),
    outcomes,
    /** Of the whole day, where less than a day is shown. */
    movedBy: range === '1h' ? ofToday : outcomes,
    staleReads: useOperation('stale_reads.list', { since, limit: 100 }, often),
    agents: useOperation('agents.list', { limit: 1000 }, often),
  };
}

export type Overview = ReturnType<typeof useOverview>;

/** How many events of these types the series has. */
export function totalOf(series: Output<'series.read'> | undefined, types: readonly string[]): number {
  const counts = series?.points.flatMap((point) => types.map((type) => point.counts[type] ?? 0)) ?? [];
  return counts.reduce((sum, n) => sum + n, 0);
}

export type Movement = {
  entity_path: string;
  key: string;
  before: number;
  after: number;
  /** The words of the newest outcome that moved it. */
  why: string;
  agent: string;
};

/** By entry, where its confidence stood before the first of these outcomes and where after the last; the newest first. */
export function movementsOf(outcomes: readonly OverviewOutcome[]): Movement[] {
  const moved = new Map<string, Movement>();
  for (const { entries, agent_id } of outcomes)
    for (const { entity_path, key, applied, confidence_before, confidence_after, why } of [...entries].reverse()) {
      if (!applied || confidence_before === null || confidence_after === null) continue;
      const id = JSON.stringify([entity_path, key]);
      const newer = moved.get(id);
      if (newer) newer.before = confidence_before;
      else
        moved.set(id, { entity_path, key, before: confidence_before, after: confidence_after, why, agent: agent_id });
    }
  return [...moved.values()].filter(({ before, after }) => Math.abs(before - after) >= 0.005);
}

export const failuresOf = (outcomes: readonly OverviewOutcome[]): number =>
  outcomes.filter(({ outcome_type }) => isFailure(outcome_type)).length;
