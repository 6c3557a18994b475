/** A file with a syntax error, and its position. */
export class MalformedText extends Error {
  override name = 'MalformedText';
  readonly at: number;

  constructor(text: string, at: number, problem: string) {
    const { line, column } = lineAndColumn(text, at);
    super(`line ${line}, column ${column}: ${problem}`);
    this.at = at;
  }
}

export function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) as string).length + 1 };
}

export type TextEdit = { start: number; end: number; text: string };

/** Edits refer to offsets of the original text and must not overlap; edits at the same offset are applied in order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: put } of [...edits].sort((a, b) => a.start - b.start)) {
    parts.push(text.slice(at, start), put);
    at = end;
  }
  return parts.join('') + text.slice(at);
}

export const lineEndOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
