/** A part of a text that must not be kept: from `start` up to `end`. */
export type Secret = { start: number; end: number; kind: string };

/** Finds secrets in a text, in time that grows with its length and no faster. */
export type Detector = (text: string) => Secret[];

export const MARKER = /\[REDACTED:[a-z_]+\]/;
export const ONE_MARKER = /^\[REDACTED:[a-z_]+\]$/;

/** What stands where a secret stood. */
export function markerOf(kind: string): string {
  return `[REDACTED:${kind}]`;
}

/** In the order of the text. Overlapping finds become one, named by the earlier detector: those are the more exact ones. */
export function mergeSecrets(finds: readonly Secret[][]): Secret[] {
  const ranked = finds.flatMap((secrets, rank) => secrets.map(({ start, end, kind }) => ({ start, end, kind, rank })));
  ranked.sort((a, b) => a.start - b.start);
  const merged: typeof ranked = [];
  for (const secret of ranked) {
    const last = merged.at(-1);
    if (last === undefined || secret.start >= last.end) merged.push(secret);
    else {
      last.end = Math.max(last.end, secret.end);
      if (secret.rank < last.rank) Object.assign(last, { kind: secret.kind, rank: secret.rank });
    }
  }
  return merged;
}

/** All matches of a global pattern that never matches nothing. `matchAll` copies the pattern, which costs more than most scans. */
export function findMatches(text: string, pattern: RegExp): RegExpExecArray[] {
  const matches: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) matches.push(match);
  return matches;
}
