/** Longer expressions and values are cut where a sentence quotes them. */
const MAX_QUOTED = 80;
const UNITS: readonly (readonly [name: string, ms: number, below: number])[] = [
  ['ms', 1, 1000],
  ['s', 1000, 60],
  ['min', 60_000, 60],
  ['h', 60 * 60_000, 48],
  ['days', 24 * 60 * 60_000, Number.POSITIVE_INFINITY],
];

const MAX_DECIMALS = 2;

/** Whole numbers in full, others to two decimals, or to three digits where they are small. */
export function numberWords(n: number): string {
  const rounded = Number.isInteger(n) ? n : Number(Math.abs(n) < 1 ? n.toPrecision(3) : n.toFixed(MAX_DECIMALS));
  return rounded.toLocaleString('en-US', { maximumSignificantDigits: 15 });
}

/** To three digits, in the largest unit of which it has at least one: `9 ms`, `31.2 s`, `30 min`. */
export function durationWords(ms: number): string {
  for (const [name, size, below] of UNITS) {
    const n = Number((ms / size).toPrecision(3));
    if (n < below) return `${numberWords(n)} ${name}`;
  }
  return `${numberWords(ms)} ms`;
}

/** As `durationWords`, but in milliseconds where two that differ would look the same. */
export function twoDurations(one: number, other: number): [string, string] {
  const words: [string, string] = [durationWords(one), durationWords(other)];
  return one !== other && words[0] === words[1] ? [`${numberWords(one)} ms`, `${numberWords(other)} ms`] : words;
}

/** Rounded, but not where two that differ would look the same. */
export function twoNumbers(one: number, other: number): [string, string] {
  const words: [string, string] = [numberWords(one), numberWords(other)];
  return one !== other && words[0] === words[1] ? [String(one), String(other)] : words;
}

/** `no errors`, `1 error`, `3 errors`. */
export const countWords = (n: number, what: string, several = `${what}s`): string =>
  n === 0 ? `no ${several}` : `${n.toLocaleString('en-US')} ${n === 1 ? what : several}`;

/** How many of something are allowed. */
export const allowedWords = (limit: number): string =>
  limit === 0 ? 'none are allowed' : mostWords(numberWords(limit));

/** How much may be spent. */
export const allowedUsd = (most: string): string =>
  most === '0' ? 'no cost is allowed' : `at most ${most} USD is allowed`;

/** That something, which may have a unit, is the most that is allowed. */
export const mostWords = (most: string): string => `at most ${most} ${/^1( |$)/.test(most) ? 'is' : 'are'} allowed`;

/** On one line, and cut where it is long. */
export function cutWords(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= MAX_QUOTED ? line : `${line.slice(0, MAX_QUOTED - 1).toWellFormed()}…`;
}

/** A regular expression as it was written. */
export const expressionWords = (pattern: string): string => `/${cutWords(pattern)}/`;
