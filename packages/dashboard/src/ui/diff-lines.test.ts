import { describe, expect, it } from 'vitest';
import { diffLines } from './diff-lines.ts';

const signs = { same: ' ', added: '+', removed: '-' };
const shown = (before: string, after: string) =>
  diffLines(before, after)?.map(({ kind, text }) => `${signs[kind]}${text}`);

describe('the difference of two texts', () => {
  it('marks what only one of them has', () => {
    expect(shown('a\nb\nc', 'a\nx\nc\nd')).toEqual([' a', '-b', '+x', ' c', '+d']);
  });

  it('numbers the lines of both', () => {
    expect(diffLines('a\nb', 'b')).toEqual([
      { kind: 'removed', text: 'a', before: 1 },
      { kind: 'same', text: 'b', before: 2, after: 1 },
    ]);
  });

  it('is nothing for equal texts', () => {
    expect(shown('a\nb', 'a\nb')).toEqual([' a', ' b']);
  });

  it('has no line for what is not there', () => {
    expect(shown('a\nb', '')).toEqual(['-a', '-b']);
    expect(shown('', 'a')).toEqual(['+a']);
  });

  it('gives up where both are very long and share nothing', () => {
    const long = (letter: string) => Array.from({ length: 3_000 }, (_, i) => `${letter}${i}`).join('\n');
    expect(diffLines(long('a'), long('b'))).toBeUndefined();
  });
});
