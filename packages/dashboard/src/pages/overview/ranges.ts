import type { Request } from '../../data/client.ts';
import { clockTime, day, minuteTime } from '../../texts/format.ts';

export const RANGES = ['1h', '24h', '7d', '30d'] as const;
export type Range = (typeof RANGES)[number];
export type ChartUnit = NonNullable<Request<'series.read'>['unit']>;

const MINUTE_MS = 60_000;
const UNIT_MS: Record<ChartUnit, number> = { minute: MINUTE_MS, hour: 60 * MINUTE_MS, day: 24 * 60 * MINUTE_MS };
const SPANS: Record<Range, { unit: ChartUnit; count: number }> = {
  '1h': { unit: 'minute', count: 60 },
  '24h': { unit: 'hour', count: 24 },
  '7d': { unit: 'hour', count: 168 },
  '30d': { unit: 'day', count: 30 },
};

export type TimeSpan = {
  unit: ChartUnit /** The first moments of its minutes, hours or days, oldest first. */;
  starts: number[];
  since: string;
};

/** The minutes, hours or days that end with the current one. They begin as the service's do, by UTC. */
export function stretchOf(range: Range, now: number): TimeSpan {
  const { unit, count } = SPANS[range];
  const step = UNIT_MS[unit];
  const last = Math.floor(now / step) * step;
  const starts = Array.from({ length: count }, (_, i) => last - (count - 1 - i) * step);
  return { unit, starts, since: new Date(starts[0] ?? last).toISOString() };
}

/** A day where a midnight or a whole day begins, else the time. */
export const shortLabel = (start: number, range: Range): string =>
  range === '7d' || range === '30d' ? day(start) : minuteTime(start);

export function longLabel(start: number, unit: ChartUnit): string {
  if (unit === 'minute') return clockTime(start).slice(0, 5);
  return unit === 'day' ? day(start) : `${day(start)} ${minuteTime(start)}`;
}

/** Whether a start is worth a label: full ten minutes, every third hour, each midnight, every fifth day. */
export function isRound(start: number, range: Range): boolean {
  const date = new Date(start);
  if (range === '1h') return date.getMinutes() % 10 === 0;
  if (range === '24h') return date.getHours() % 3 === 0;
  return range === '7d' ? date.getHours() === 0 : date.getDate() % 5 === 0;
}
