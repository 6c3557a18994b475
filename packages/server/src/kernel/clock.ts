import { isoOfMs } from '../iso-time.ts';

/** The source of all times, so that tests can set it. Milliseconds since 1970, UTC. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };

let last = { ms: 0, iso: isoOfMs(0) };

/** Writes of one transaction have one time: the last one is kept. */
export function toIso(ms: number): string {
  if (ms !== last.ms) last = { ms, iso: isoOfMs(ms) };
  return last.iso;
}
export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));
export const fromIso = (text: string): number => Date.parse(text);
