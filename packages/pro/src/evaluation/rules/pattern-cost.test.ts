import { describe, expect, it } from 'vitest';
import { patternCost } from './pattern-cost.ts';

const stepsOver = (pattern: string, length: number) => (length + 1) * patternCost(pattern).over(length).steps;

describe('The steps of a regular expression', () => {
  it.each([
    ['refund', 100, 2_000],
    ['sk-[a-z0-9]{20,}', 100, 20_000],
    ['\\berror\\b|\\bfailed\\b', 1_000, 50_000],
    ['[^\\]]*x', 100, 50_000],
    ['(?:sorry|unable (?:to|for))s?', 1_000, 60_000],
  ])('of %s are few', (pattern, length, most) => {
    expect(stepsOver(pattern, length)).toBeLessThan(most);
  });

  it.each([
    `${'a?'.repeat(30)}${'a'.repeat(30)}`,
    '.*.*.*x',
    `${'[ab]{0,9}'.repeat(8)}c`,
    `(a|a)${'(?:a|a)'.repeat(30)}b`,
    `[^]${'a?'.repeat(30)}[b]`,
    '(a+)+b',
    `${'(?:ab?)?'.repeat(20)}c`,
    '(?=.*a)b',
    '(.)\\1',
    '(?:ab)*c',
  ])('of %s are too many to be sure', (pattern) => {
    expect(stepsOver(pattern, 1_000)).toBeGreaterThan(1_000_000);
  });

  it.each([
    'sorry|unable to',
    'https?://(?:www\\.)?[\\w.-]+(?:/\\S*)?',
    '\\d{1,2}[/-]\\d{1,2}[/-]\\d{2,4}',
    '(?<year>\\d{4})-\\k<year>',
    '(?=.*[A-Z])(?=.*\\d)(?!.*\\s)\\p{L}{8,}',
    '(?<=\\$)\\u{1F600}|\\x41|\\cA|\\u0041',
    '(a+)+b',
    '\\p{L}+',
    '\\p{L}+\\s\\p{L}+',
    '(?<!\\p{L})x(?!\\p{L})',
    '[\u{1f600}\u{1f923}]\\s*[\\u{1f600}-\\u{1f64f}]',
  ])('is prepared at once where few ways lead through it: %s', (pattern) => {
    expect(new RegExp(pattern, 'u').test('')).toBe(false);
    expect(patternCost(pattern).branches).toBeLessThan(1_000);
  });

  it.each([
    `${'a?'.repeat(30)}b`,
    `${'(?:a|b)?'.repeat(12)}[ab]`,
    `${'(?:a|b){0,3}'.repeat(6)}[ab]`,
    `${'(?:a|b|)'.repeat(12)}ab`,
    `(?=${'\\w{0,3}'.repeat(12)})`,
    `${'\\p{L}'.repeat(4)}x`,
    '\\P{L}{3}[^\\p{L}]{2}x',
    '\\p{L}\\p{L}\\p{L}\\p{L}{3,}x',
    `(?:${'[\\p{L}\\p{N}]'.repeat(4)})+`,
    `[${charactersOfUnits(40)}]`.repeat(4),
    `[${escapesOfUnits(40)}]`.repeat(4),
  ])('takes long to prepare where many ways lead through it: %s', (pattern) => {
    expect(patternCost(pattern).branches).toBeGreaterThan(4_096);
  });

  it.each(['^\\p{Lu}\\p{Ll}+(?: \\p{Lu}\\p{Ll}+)?$', '[\\p{L}\\p{N}_.-]+@[\\p{L}\\p{N}-]+\\.\\p{L}{2,}'])(
    'is prepared in some milliseconds where it has a few classes of letters: %s',
    (pattern) => {
      expect(new RegExp(pattern, 'u').test('')).toBe(false);
      expect(patternCost(pattern).branches).toBeLessThanOrEqual(4_096);
    },
  );

  it.each([
    ['a*b', 'a'],
    ['a*a*b', 'a'],
    ['a{3}a?b', 'a'],
    ['[ab]+c', 'ab'],
  ])('are no fewer than those of a plain matcher: %s', (pattern, letters) => {
    for (const length of [0, 1, 7, 40]) {
      const text = letters.repeat(length).slice(0, length);
      expect(stepsOver(pattern, length)).toBeGreaterThanOrEqual(stepsTaken(pattern, text));
    }
  });
});

/** Characters of two code units each, of which the first differ. */
function charactersOfUnits(count: number): string {
  return String.fromCodePoint(...Array.from({ length: count }, (_, i) => 0x10005 + i * 0x400));
}

function escapesOfUnits(count: number): string {
  return [...charactersOfUnits(count)].map((one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join('');
}

/** Counts what a matcher by backtracking compares, with patterns of letters, one class and one sign after each. */
function stepsTaken(pattern: string, text: string): number {
  const parts = [...pattern.matchAll(/(?<set>\[\w+\]|\w)(?<sign>[*+?]|\{(?<times>\d)\})?/g)].map(({ groups = {} }) => ({
    set: groups.set ?? '',
    least: groups.times ? Number(groups.times) : groups.sign === '*' || groups.sign === '?' ? 0 : 1,
    most: groups.times ? Number(groups.times) : groups.sign === undefined || groups.sign === '?' ? 1 : 1e9,
  }));
  let steps = 0;
  const matches = (part: number, at: number): boolean => {
    const one = parts[part];
    if (!one) return true;
    let count = 0;
    while (count < one.most && at + count < text.length) {
      steps++;
      if (!one.set.includes(text[at + count] as string)) break;
      count++;
    }
    for (; count >= one.least; count--) if (matches(part + 1, at + count)) return true;
    return false;
  };
  for (let from = 0; from <= text.length; from++) if (matches(0, from)) break;
  return steps;
}
