const MINUTE_MS = 60_000;

export const UNIT_MS = { minute: MINUTE_MS, hour: 60 * MINUTE_MS, day: 24 * 60 * MINUTE_MS } as const;
export type SeriesUnit = keyof typeof UNIT_MS;
const units = Object.keys(UNIT_MS) as SeriesUnit[];

/** The first moment of the stretch that a time lies in. */
export const startOf = (unit: SeriesUnit, time: number): number => time - (time % UNIT_MS[unit]);

/** The first moment after the stretch that ends at or after a time. */
export const endOf = (unit: SeriesUnit, time: number): number => startOf(unit, time + UNIT_MS[unit] - 1);

/** What the counts of an event depend on. */
export type CountedEvent = {
  branch: string;
  event_type: string;
  agent_id: string;
  visible_to: string;
  /** The key that alone may know of it, or nothing. */
  held_by: string;
  /** Whether the agent did it. */
  is_own: boolean;
  /** Whether it is an outcome that failed. */
  is_failure: boolean;
  created_at: number;
};

/**
 * How many events of a type there were in a stretch of time; `agent_id` is empty for those of all agents. `by_others`: how
 * many of them the agent did not do, so that it was active where there are more. `failures`: how many are failed outcomes.
 */
export type EventCount = Omit<CountedEvent, 'created_at' | 'is_own' | 'is_failure'> & {
  unit: SeriesUnit;
  at: number;
  n: number;
  by_others: number;
  failures: number;
};

/** Adds up events, for all agents and for each of them, by hour and day, and by minute from a time on. */
export function countsOf(events: readonly CountedEvent[], { minutes_since }: { minutes_since: number }): EventCount[] {
  const counts = new Map<string, EventCount>();
  for (const event of events) {
    const { created_at, branch, visible_to, event_type, held_by } = event;
    for (const unit of units) {
      const at = startOf(unit, created_at);
      if (unit === 'minute' && at < minutes_since) continue;
      for (const agent_id of ['', event.agent_id]) {
        const name = [unit, at, branch, agent_id, visible_to, event_type, held_by].join('\n');
        const none = { n: 0, by_others: 0, failures: 0 };
        const row = counts.get(name) ?? { branch, unit, agent_id, visible_to, at, event_type, held_by, ...none };
        counts.set(name, row);
        row.n++;
        if (!event.is_own) row.by_others++;
        if (event.is_failure) row.failures++;
      }
    }
  }
  return [...counts.values()];
}

export type TypeCount = { at: number; event_type: string; n: number; failures?: number };
type SeriesPoint = { at: number; total: number; counts: Record<string, number>; failed_outcomes: number };

/** The points of a series, in the order of time, from counts of several sources. */
export function pointsOf(counts: readonly TypeCount[]): SeriesPoint[] {
  const points = new Map<number, SeriesPoint>();
  for (const { at, event_type, n, failures = 0 } of counts) {
    const point = points.get(at) ?? { at, total: 0, counts: {}, failed_outcomes: 0 };
    points.set(at, point);
    point.total += n;
    point.failed_outcomes += failures;
    point.counts[event_type] = (point.counts[event_type] ?? 0) + n;
  }
  return [...points.values()].sort((a, b) => a.at - b.at);
}
