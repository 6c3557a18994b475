import type { Request } from '../../data/client.ts';
import { MAINTENANCE_TYPES } from '../../data/events.ts';
import { type Range, stretchOf } from './ranges.ts';

export const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Nobody may have looked for some days. */
const DAYS = 7;
/** Enough to see who did what; more is counted by the series. */
const MAX_OUTCOMES = 200;
/** Of the entries that outcomes moved, few were written again. */
const MAX_WRITTEN = 200;
/** What needs a person shows so many of each kind. */
export const EACH = 4;

export const INCIDENTS = ['p1_incident', 'p2_incident', 'critical_failure'] as const;

type Inputs = {
  series: Request<'series.read'> & { since: string };
  outcomes: Request<'outcomes.list'>;
  staleReads: Request<'stale_reads.list'>;
};

const earlier = (a: string, b: string): string => (a < b ? a : b);

/** The day a week ago. */
export const weekBefore = (now: number): string => new Date(now - DAYS * DAY_MS).toISOString().slice(0, 10);

/** What the parts of the page share is asked once, for the longest time that one of them shows. */
export function inputsOf(range: Range, now: number): Inputs {
  const { unit, since } = stretchOf(range, now);
  const today = new Date(new Date(now).setHours(0, 0, 0, 0)).toISOString();
  return {
    series: { unit, since },
    outcomes: { since: range === '1h' ? earlier(since, today) : since, limit: MAX_OUTCOMES },
    staleReads: { since: earlier(since, weekBefore(now)), limit: 100 },
  };
}

export const AGENTS: Request<'agents.list'> = { limit: 1000 };
export const CONTESTED: Request<'entries.list'> = {
  evidence_status: 'contested',
  sort: 'recent',
  fields: 'meta',
  limit: EACH,
};
/** The newest entries that were written since then, as they stand now. */
export const writtenSince = (since: string): Request<'entries.list'> => ({
  since,
  sort: 'recent',
  fields: 'meta',
  limit: MAX_WRITTEN,
});
export const FAILING: Request<'incidents.list'> = { status: 'open', limit: EACH };
export const ALERTS: Request<'alerts.list'> = { status: 'raised', limit: EACH };
export const REVIEWS: Request<'pull_requests.list'> = { status: 'open', limit: EACH };

export const incidentsOf = (outcome_type: (typeof INCIDENTS)[number], since: string): Request<'outcomes.list'> => ({
  outcome_type,
  since,
  limit: EACH,
});

export type EventTypes = Pick<Request<'log.list'>, 'types' | 'exclude_types'>;

/** Of one type, or without what the service does by itself. */
export const typesOf = (type: string): EventTypes =>
  type === '' ? { exclude_types: [...MAINTENANCE_TYPES] } : { types: [type] };

/** The events after a place in the log. */
export const eventsInput = (after: number | string, types: EventTypes): Request<'log.list'> => ({
  after,
  limit: 1000,
  ...types,
});

/** The newest events are looked for in steps back through the log that become longer. */
export const STEPS: readonly [number, ...number[]] = [60, 1_000, ...Array.from({ length: 10 }, () => 10_000)];

/** Where the first step begins. */
export const firstStep = (known: number): number => Math.max(0, known - STEPS[0]);
