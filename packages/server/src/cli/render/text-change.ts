import { isTerminal, oneLine, paint, type Screen } from './text.ts';

/** Unchanged lines and characters that a terminal shows around a change. Elsewhere all are shown. */
const CONTEXT_LINES = 2;
const CONTEXT_CHARACTERS = 40;
/** Shorter ones are shown whole. */
const SHORT = 80;
/** Texts with more are compared as a whole, apart from how they begin and end. */
const MAX_COMPARED = 1_000_000;

type PatchSign = '-' | '+' | ' ';
type MarkedLine = readonly [mark: PatchSign, line: string];

/** What differs between two texts of several lines, line by line as in a patch. Undefined is no text. */
export function textChange(before: string | undefined, after: string | undefined, screen: Screen): string[] {
  const [old, now] = [before, after].map((text) => text?.split('\n') ?? []) as [string[], string[]];
  return withoutMost(compareLines(old, now), screen).map(([mark, line]) => {
    const text = `${mark} ${oneLine(line)}`;
    if (mark === ' ') return paint(screen, 'dim', text);
    return paint(screen, mark === '-' ? 'red' : 'green', text);
  });
}

function compareLines(old: readonly string[], now: readonly string[]): MarkedLine[] {
  const top = commonStart(old, now);
  const bottom = commonStart(old.slice(top).reverse(), now.slice(top).reverse());
  const unchanged = (lines: readonly string[]) => lines.map((line): MarkedLine => [' ', line]);
  return [
    ...unchanged(old.slice(0, top)),
    ...between(old.slice(top, old.length - bottom), now.slice(top, now.length - bottom)),
    ...unchanged(old.slice(old.length - bottom)),
  ];
}

function commonStart(a: ArrayLike<string>, b: ArrayLike<string>): number {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return same;
}

/** By the longest sequence of lines that both have. */
function between(old: readonly string[], now: readonly string[]): MarkedLine[] {
  const removed = (lines: readonly string[]) => lines.map((line): MarkedLine => ['-', line]);
  const added = (lines: readonly string[]) => lines.map((line): MarkedLine => ['+', line]);
  if (old.length * now.length > MAX_COMPARED) return [...removed(old), ...added(now)];
  const width = now.length + 1;
  const longest = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      longest[i * width + j] =
        old[i] === now[j]
          ? (longest[(i + 1) * width + j + 1] as number) + 1
          : Math.max(longest[(i + 1) * width + j] as number, longest[i * width + j + 1] as number);
  const lines: MarkedLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      lines.push([' ', old[i] as string]);
      i++;
      j++;
    } else if ((longest[(i + 1) * width + j] as number) >= (longest[i * width + j + 1] as number))
      lines.push(['-', old[i++] as string]);
    else lines.push(['+', now[j++] as string]);
  }
  return [...lines, ...removed(old.slice(i)), ...added(now.slice(j))];
}

/** On a terminal, a long run of unchanged lines is only counted. */
function withoutMost(lines: readonly MarkedLine[], screen: Screen): MarkedLine[] {
  if (!isTerminal(screen)) return [...lines];
  const shown: MarkedLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const next = lines.findIndex(([mark], i) => i >= at && mark !== ' ');
    const end = next < 0 ? lines.length : next;
    shown.push(...counted(lines.slice(at, end), { isFirst: at === 0, isLast: end === lines.length }));
    const change = lines.findIndex(([mark], i) => i >= end && mark === ' ');
    at = change < 0 ? lines.length : change;
    shown.push(...lines.slice(end, at));
  }
  return shown;
}

function counted(run: readonly MarkedLine[], { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): MarkedLine[] {
  const [head, tail] = [isFirst ? 0 : CONTEXT_LINES, isLast ? 0 : CONTEXT_LINES];
  const hidden = run.length - head - tail;
  if (hidden < 2) return [...run];
  const end = run.length - tail;
  return [...run.slice(0, head), [' ', `… ${hidden} lines as before`], ...run.slice(end)];
}

/** Two texts of one line; on a terminal, of a long part that they share only what is next to the change. */
export function sharedCut(before: string, after: string, screen: Screen): [string, string] {
  if (!isTerminal(screen)) return [before, after];
  const [old, now] = [[...before], [...after]];
  const top = commonStart(old, now);
  const bottom = commonStart(old.slice(top).reverse(), now.slice(top).reverse());
  const cutShared = (text: string[]): string => {
    const end = text.length - bottom;
    const start = top > SHORT ? ['…', ...text.slice(top - CONTEXT_CHARACTERS, top)] : text.slice(0, top);
    const rest = bottom > SHORT ? [...text.slice(end, end + CONTEXT_CHARACTERS), '…'] : text.slice(end);
    return [...start, ...text.slice(top, end), ...rest].join('');
  };
  return [cutShared(old), cutShared(now)];
}
