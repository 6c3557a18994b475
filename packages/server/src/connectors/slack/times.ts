import { isoOfMs } from '../../iso-time.ts';

/** Microseconds since 1970. Slack's times have six decimals, and as text they are the ids of messages. */
export type Micros = number;

const SLACK_TIME = /^(\d{1,10})\.(\d{1,6})$/;
/** In the year 2255: later ones are no exact numbers any more. */
const LAST_SECOND = 9_000_000_000;

export function microsOf(ts: unknown): Micros | undefined {
  const parts = typeof ts === 'string' ? SLACK_TIME.exec(ts) : null;
  if (!parts) return undefined;
  const [, seconds = '', fraction = ''] = parts;
  return Number(seconds) > LAST_SECOND ? undefined : Number(seconds) * 1e6 + Number(fraction.padEnd(6, '0'));
}

export const microsOfSeconds = (seconds: unknown): Micros | undefined =>
  typeof seconds === 'number' && seconds > 0 && seconds <= LAST_SECOND ? Math.round(seconds * 1e6) : undefined;

/** A time of milliseconds, and the rest as the rank within the millisecond. */
export const stampOf = (time: Micros | undefined): { occurred_at?: string; rank?: number } =>
  time === undefined ? {} : { occurred_at: isoOfMs(time / 1000), rank: time % 1000 };

/** With all six decimals, so that two messages of the same millisecond keep their order. */
export const isoOf = (time: Micros): string =>
  `${isoOfMs(time / 1000).slice(0, -1)}${String(time % 1000).padStart(3, '0')}Z`;
