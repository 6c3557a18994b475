const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/i;

/**
 * A time in UTC with milliseconds, as in all answers; null where it is invalid. A time without an offset is taken as UTC.
 */
export function toUtc(given: unknown): string | null {
  const match = typeof given === 'string' ? ISO.exec(given.trim()) : null;
  if (match === null) return null;
  const [text, offset] = match;
  const ms = Date.parse(offset === undefined ? `${text}Z` : text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
