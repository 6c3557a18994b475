import type { TextRange } from './redact-pattern-parts.ts';

/** First digits of the issuers, and how many digits their numbers have. */
const ISSUERS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:6011|64[4-9]|65)/, [16, 17, 18, 19]],
  [/^(?:30[0-5]|36|38|39)/, [14, 16, 17, 18, 19]],
  [/^35(?:2[89]|[3-8])/, [16, 17, 18, 19]],
  [/^62/, [16, 17, 18, 19]],
  [/^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, [13, 14, 15, 16, 17, 18, 19]],
  [/^220[0-4]/, [16, 17, 18, 19]],
];

/**
 * How the digits are grouped on a card. Digits in groups of another size are a card only if no other digits surround them.
 */
const GROUPINGS = /^(?:1[3-9]|4,4,4,4(?:,[123])?|4,6,[45]|4,4,4,[123]|4,4,5)$/;
const MIN_DIGITS = 13;
const MAX_DIGITS = 19;
const LEAST_GROUP = 4;

/** The payment card numbers in a run of digits: of a known issuer, with a correct check digit. */
export function cardsInRun({ 0: run, index: offset }: RegExpExecArray): TextRange[] {
  if (run.length < MIN_DIGITS) return [];
  const groups: TextRange[] = [...run.matchAll(/\d+/g)].map((m) => ({ start: m.index, end: m.index + m[0].length }));
  if (isEven(groups) && isCard(run.replace(/\D/g, ''))) return [{ start: offset, end: offset + run.length }];
  const cards: TextRange[] = [];
  for (let first = 0; first < groups.length; first++) {
    const last = lastGroupOfCard(run, groups, first);
    if (last === undefined) continue;
    const [{ start }, { end }] = [groups[first] as TextRange, groups[last] as TextRange];
    cards.push({ start: offset + start, end: offset + end });
    first = last;
  }
  return cards;
}

/** All of one size, except the last. Other groupings are often phone numbers. */
function isEven(groups: readonly TextRange[]): boolean {
  const sizes = groups.slice(0, MAX_DIGITS + 1).map(({ start, end }) => end - start);
  return sizes.length <= MAX_DIGITS && sizes.slice(0, -1).every((size) => size === sizes[0]);
}

function lastGroupOfCard(run: string, groups: readonly TextRange[], first: number): number | undefined {
  let digits = '';
  let grouping = '';
  for (let last = first; last < groups.length && digits.length < MAX_DIGITS; last++) {
    const { start, end } = groups[last] as TextRange;
    if (last === first && (run[start - 1] === '-' || end - start < LEAST_GROUP)) return undefined;
    if (end - start > MAX_DIGITS) return undefined;
    digits += run.slice(start, end);
    grouping += last === first ? end - start : `,${end - start}`;
    const mayEnd = digits.length >= MIN_DIGITS && run[end] !== '-';
    if (mayEnd && GROUPINGS.test(grouping) && isCard(digits)) return last;
  }
  return undefined;
}

function isCard(digits: string): boolean {
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return false;
  return (
    ISSUERS.some(([start, lengths]) => lengths.includes(digits.length) && start.test(digits)) && passesLuhn(digits)
  );
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    sum += i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}
