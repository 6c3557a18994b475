import type { judgeShapes } from '@mem-service/server/module';
import { cutWords, expressionWords, numberWords } from './figure-words.ts';
import { HEAD_TEXTS } from './trace-words.ts';

export type PathCheck = Extract<judgeShapes.SimpleCheck, { check: 'json_path' }>;

/** An expression for a text that says something. */
const NOT_BLANK = '\\S';

/** What was found at a path, in a sentence. */
export function pathWords(check: PathCheck, count: number, isMet: boolean): string {
  const { path, op } = check;
  const where = cutWords(path);
  const text = textAt(path);
  if (count === 0) return text === undefined ? `there is no value at ${where}` : `the trace has no ${text}`;
  if (op === 'exists')
    return count === 1 ? `there is a value at ${where}` : `there are ${numberWords(count)} values at ${where}`;
  const [does, doesNot] = comparisonWords(check);
  if (count === 1) return `${text === undefined ? `the value at ${where}` : `the ${text}`} ${isMet ? does : doesNot}`;
  return `${whichWords(check.every, isMet)} of the ${numberWords(count)} values at ${where} ${does}`;
}

function textAt(path: string): string | undefined {
  const found = Object.entries(HEAD_TEXTS).find(([name]) => path === `$.${name}`);
  return found?.[1];
}

const whichWords = (every: boolean, isMet: boolean): string => {
  if (every) return isMet ? 'each' : 'not every one';
  return isMet ? 'at least one' : 'none';
};

/** That a value compares so, and that it does not. */
function comparisonWords({ op, value }: PathCheck): [string, string] {
  const is = (words: string): [string, string] => [`is ${words}`, `is not ${words}`];
  const given = valueWords(value ?? null);
  switch (op) {
    case 'matches':
      if (value === NOT_BLANK) return ['is not empty', 'is empty'];
      return [`matches ${expressionWords(String(value))}`, `does not match ${expressionWords(String(value))}`];
    case 'contains':
      return [`contains ${given}`, `does not contain ${given}`];
    case 'less':
      return is(`less than ${given}`);
    case 'at_most':
      return is(`${given} or less`);
    case 'greater':
      return is(`more than ${given}`);
    case 'at_least':
      return is(`${given} or more`);
    default:
      return is(given);
  }
}

/** Texts in quotes, as they are. */
const valueWords = (value: string | number | boolean | null): string =>
  typeof value === 'string' ? `"${cutWords(value)}"` : String(value);
