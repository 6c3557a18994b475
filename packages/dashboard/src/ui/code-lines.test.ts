import { describe, expect, it } from 'vitest';
import { countShown, tokensOf, withoutStretches } from './code-lines.ts';
import { diffLines } from './diff-lines.ts';

const lines = (n: number, name = 'line') => Array.from({ length: n }, (_, i) => `${name} ${i}`);

describe('a text with very many lines', () => {
  it('is shown from its start, more of it with each step', () => {
    const blank = Array.from({ length: 500_000 }, () => '');
    expect([1, 2, 3].map((steps) => countShown(blank, steps))).toEqual([1_000, 2_000, 3_000]);
    expect(countShown(lines(20), 1)).toBe(20);
  });

  it('has a bound of characters too, but shows one line at least', () => {
    const long = Array.from({ length: 10 }, () => 'x'.repeat(40_000));
    expect(countShown(long, 1)).toBe(2);
    expect(countShown(['x'.repeat(1_000_000), 'y'], 1)).toBe(1);
  });
});

describe('the colours of a line', () => {
  it('tell names, texts and numbers apart', () => {
    expect(tokensOf('  "a": ["b\\"", -1.5e3, null]')).toEqual([
      { at: 2, text: '"a"', kind: 'name' },
      { at: 8, text: '"b\\""', kind: 'string' },
      { at: 15, text: '-1.5e3', kind: 'number' },
      { at: 23, text: 'null', kind: 'number' },
    ]);
  });

  it('are found in one go where quotes never end', () => {
    for (const text of [`"${'\\"'.repeat(900)}`, `"${'a\\"'.repeat(600)}\\`]) {
      const tokens = tokensOf(text);
      expect(tokens).toHaveLength(1);
      expect(tokens[0]?.text.length).toBeGreaterThan(1_700);
    }
    expect(tokensOf('1 '.repeat(500_000))).toEqual([]);
  });
});

describe('a difference of long texts', () => {
  it('leaves out the stretches that are the same, and shows a change far down', () => {
    const before = lines(100_000);
    const after = before.with(70_000, 'another');
    const shown = withoutStretches(diffLines(before.join('\n'), after.join('\n')) ?? []);
    expect(shown).toHaveLength(44);
    expect(shown[0]).toEqual({ kind: 'skipped', count: 69_980, text: '' });
    expect(shown[21]).toMatchObject({ kind: 'removed', text: 'line 70000', before: 70_001 });
    expect(shown[22]).toMatchObject({ kind: 'added', text: 'another' });
    expect(shown.at(-1)).toMatchObject({ kind: 'skipped', count: 29_979 });
  });

  it('leaves nothing out of short ones, or between changes that are near', () => {
    const short = diffLines(lines(150).join('\n'), lines(150).with(0, 'x').join('\n')) ?? [];
    expect(withoutStretches(short)).toBe(short);
    const before = lines(300);
    const near = before.map((line, i) => (i % 30 === 0 ? 'x' : line));
    const all = diffLines(before.join('\n'), near.join('\n')) ?? [];
    expect(withoutStretches(all).filter(({ kind }) => kind === 'skipped')).toEqual([
      { kind: 'skipped', count: 9, text: '' },
    ]);
  });
});
