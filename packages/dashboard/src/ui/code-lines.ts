import type { DiffLine } from './diff-lines.ts';

/** What is drawn at once. An agent may store a line per byte; a page of so many elements would stand still. */
const MOST_LINES = 1_000;
const MOST_CHARS = 100_000;

/** How many lines, from the first on, are shown with so many steps of "Show more": one at least. */
export function countShown(lines: readonly string[], steps: number): number {
  let chars = 0;
  const most = Math.min(lines.length, MOST_LINES * steps);
  for (let i = 0; i < most; i++) {
    chars += (lines[i] as string).length;
    if (chars > MOST_CHARS * steps) return Math.max(1, i);
  }
  return most;
}

export type CodeToken = { at: number; text: string; kind: 'name' | 'string' | 'number' };

/** A text that does not end is one up to the end of the line: to look for its end again from each quote would take forever. */
const TOKENS = /("(?:[^"\\]+|\\.)*"?)(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/g;
/** A longer line is not written by people, and has too many tokens. */
const MOST_COLORED = 2_000;

/** The names, texts and numbers in a line of JSON; what is between them is left out. */
export function tokensOf(line: string): CodeToken[] {
  if (line.length > MOST_COLORED) return [];
  return [...line.matchAll(TOKENS)].map(({ index, 1: text, 2: colon, 3: other = '' }) => ({
    at: index,
    text: text ?? other,
    kind: text === undefined ? 'number' : colon === undefined ? 'string' : 'name',
  }));
}

export type ShownDiffLine = DiffLine | { kind: 'skipped'; count: number; text: '' };

const SHORT_LINES = 200;
const AROUND = 20;

/** Without the long stretches that are the same in both, so that a change far down is seen. */
export function withoutStretches(lines: readonly DiffLine[]): readonly ShownDiffLine[] {
  if (lines.length <= SHORT_LINES) return lines;
  const shown: ShownDiffLine[] = [];
  let start = 0;
  while (start < lines.length) {
    let end = start;
    while (end < lines.length && lines[end]?.kind === 'same') end++;
    const from = start === 0 ? 0 : start + AROUND;
    const to = end === lines.length ? end : end - AROUND;
    if (to - from > 1) {
      for (let i = start; i < from; i++) shown.push(lines[i] as DiffLine);
      shown.push({ kind: 'skipped', count: to - from, text: '' });
      start = to;
    }
    for (; start < end; start++) shown.push(lines[start] as DiffLine);
    for (; start < lines.length && lines[start]?.kind !== 'same'; start++) shown.push(lines[start] as DiffLine);
  }
  return shown;
}
