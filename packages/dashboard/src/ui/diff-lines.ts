export type DiffLine = { kind: 'same' | 'added' | 'removed'; text: string; before?: number; after?: number };

/** Above this the table of a comparison would be too large. */
const MAX_CELLS = 4_000_000;

/**
 * The lines of two texts, those that only one of them has marked. Lines with the same key are the same. Undefined where
 * they are too long.
 */
export function diffLines(before: string, after: string, keyOf = (line: string) => line): DiffLine[] | undefined {
  const a = linesOf(before);
  const b = linesOf(after);
  let start = 0;
  while (start < a.length && start < b.length && keyOf(a[start] as string) === keyOf(b[start] as string)) start++;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    keyOf(a[a.length - 1 - end] as string) === keyOf(b[b.length - 1 - end] as string)
  )
    end++;
  const middle = compare(a.slice(start, a.length - end), b.slice(start, b.length - end), keyOf);
  if (middle === undefined) return undefined;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return numbered([...b.slice(0, start).map(same), ...middle, ...b.slice(b.length - end).map(same)]);
}

/** What is not there, or deleted, has no lines. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

/** By the longest common subsequence. */
function compare(a: string[], b: string[], keyOf: (line: string) => string): DiffLine[] | undefined {
  const [keysOfA, keysOfB] = [a.map(keyOf), b.map(keyOf)];
  const width = b.length + 1;
  if ((a.length + 1) * width > MAX_CELLS) return undefined;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] as number;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = keysOfA[i] === keysOfB[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && keysOfA[i] === keysOfB[j]) {
      lines.push({ kind: 'same', text: b[j++] as string });
      i++;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'removed', text: a[i++] as string });
    } else lines.push({ kind: 'added', text: b[j++] as string });
  }
  return lines;
}

function numbered(lines: DiffLine[]): DiffLine[] {
  let before = 0;
  let after = 0;
  return lines.map((line) => ({
    ...line,
    ...(line.kind === 'added' ? {} : { before: ++before }),
    ...(line.kind === 'removed' ? {} : { after: ++after }),
  }));
}
