const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/i;

/** A time as all answers have it, in UTC with milliseconds; null where it is none. Without an offset it is taken for UTC. */
export function toUtc(given: unknown): string | null {
  const match = typeof given === 'string' ? ISO.exec(given.trim()) : null;
  if (match === null) return null;
  const [text, offset] = match;
  const ms = Date.parse(offset === undefined ? `${text}Z` : text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
