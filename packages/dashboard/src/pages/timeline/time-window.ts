import type { Request } from '../../data/client.ts';
import { clockTime, day, minuteTime } from '../../texts/format.ts';

export const ZOOMS = ['minute', 'minutes', 'hour', 'day', 'week', 'month'] as const;
export type Zoom = (typeof ZOOMS)[number];
type WindowUnit = NonNullable<Request<'series.read'>['unit']>;

const MINUTE_MS = 60_000;
const TEN_SECONDS_MS = 10_000;
export const UNIT_MS: Record<WindowUnit, number> = {
  minute: MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 24 * 60 * MINUTE_MS,
};
const SPANS: Record<Zoom, { unit: WindowUnit; count: number }> = {
  minute: { unit: 'minute', count: 1 },
  minutes: { unit: 'minute', count: 10 },
  hour: { unit: 'minute', count: 60 },
  day: { unit: 'hour', count: 24 },
  week: { unit: 'hour', count: 168 },
  month: { unit: 'day', count: 30 },
};

/** The stretch of time that is shown, in whole minutes, hours or days. */
export type TimeWindow = { zoom: Zoom; unit: WindowUnit; count: number; from: number; to: number };

/** `at` is where it ends; empty: now. */
export function windowOf(zoom: Zoom, at: string, now: number): TimeWindow {
  const { unit, count } = SPANS[zoom];
  const step = UNIT_MS[unit];
  const given = at === '' ? Number.NaN : Date.parse(at);
  const to = Math.ceil((Number.isNaN(given) ? now : given) / step) * step;
  return { zoom, unit, count, from: to - count * step, to };
}

export const finerThan = (zoom: Zoom): Zoom => ZOOMS[Math.max(0, ZOOMS.indexOf(zoom) - 1)] as Zoom;

const LABELS = 6;

const labelOf = (zoom: Zoom, at: number): string => {
  if (zoom === 'minute') return clockTime(at);
  return zoom === 'week' || zoom === 'month' ? day(at) : minuteTime(at);
};

/** Places on the axis with a label, as shares of the width. */
export function axisOf({ from, to, unit, zoom }: TimeWindow): { share: number; label: string }[] {
  const step = zoom === 'minute' ? TEN_SECONDS_MS : UNIT_MS[unit] * Math.ceil((to - from) / UNIT_MS[unit] / LABELS);
  const places: { share: number; label: string }[] = [];
  for (let at = from; at < to; at += step)
    places.push({
      share: (at - from) / (to - from),
      label: labelOf(zoom, at),
    });
  return places;
}

/** The day too, where it is not today. */
export function momentOf(at: string | number, now = Date.now()): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return isToday ? clockTime(at) : `${day(at, now)} ${minuteTime(at)}`;
}
