import { numberOf } from './json-objects.ts';

const ZONED = /(?:Z|[+-]\d{2}:?\d{2})$/i;

/** Numbers from here on are milliseconds; as seconds they would be far in the future. */
const MILLISECONDS = 1e11;

/** Converts the times of other systems to ISO 8601 in UTC. Without an offset, UTC is assumed. */
export function toTime(stated: unknown): string | undefined {
  const given = numberOf(stated);
  if (typeof given === 'number' && Number.isFinite(given) && given > 0)
    return isoOf(given < MILLISECONDS ? given * 1000 : given);
  if (typeof given !== 'string' || given.trim() === '') return undefined;
  const text = given.trim().replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T');
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return isoOf(Date.parse(`${text}T00:00:00Z`));
  return isoOf(Date.parse(ZONED.test(text) ? text : `${text}Z`));
}

const DAY_MS = 86_400_000;

/** The end of something. A day without a time ends when the day ends. */
export function toExpiry(given: unknown): string | undefined {
  const at = toTime(given);
  if (at === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(String(given).trim())) return at;
  return isoOf(Date.parse(at) + DAY_MS);
}

function isoOf(ms: number): string | undefined {
  const date = new Date(ms);
  // Years with more than four digits are no times for the service.
  return Number.isNaN(date.getTime()) || !/^\d{4}-/.test(date.toISOString()) ? undefined : date.toISOString();
}
