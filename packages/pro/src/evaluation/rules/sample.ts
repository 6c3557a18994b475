/**
 * A number from 0 to 1 that follows from a text alone (FNV-1a, then mixed, so that ids of the same moment spread). Every
 * server chooses the same traces, and those of a lower rate are among those of a higher one.
 */
export function shareOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

export const isSampled = (traceId: string, rate: number): boolean => shareOf(traceId) < rate;
