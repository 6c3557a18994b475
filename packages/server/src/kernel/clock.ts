/** The source of all times, so that tests can set it. Milliseconds since 1970, UTC. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };

let last = { ms: 0, iso: new Date(0).toISOString() };

/** Caches the last result: all writes of a transaction have the same time. */
export function toIso(ms: number): string {
  if (ms !== last.ms) last = { ms, iso: new Date(ms).toISOString() };
  return last.iso;
}
export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));
export const fromIso = (text: string): number => Date.parse(text);
