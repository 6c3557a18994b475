import { containsText } from './contains-text.ts';
import { cutWords } from './figure-words.ts';
import { type CheckSteps, type Matchers, plain, unless } from './finding.ts';
import { parseJsonPath, valuesAt } from './json-path.ts';
import type { JudgedTrace } from './judged-trace.ts';
import { matchText } from './match-text.ts';
import { type PathCheck, pathWords } from './path-words.ts';

/** Looking through so many characters takes as long as looking at a value. */
const CHARS_PER_LOOK = 16;

type Compare = (value: unknown, check: PathCheck) => boolean;

const number =
  (compare: (a: number, b: number) => boolean): Compare =>
  (value, check) =>
    typeof value === 'number' && typeof check.value === 'number' && compare(value, check.value);

const COMPARE: Record<Exclude<PathCheck['op'], 'matches'>, Compare> = {
  exists: () => true,
  equals: (value, check) => value === (check.value ?? null),
  contains: (value, check) =>
    typeof value === 'string'
      ? typeof check.value === 'string' && containsText(value, check.value)
      : Array.isArray(value) && value.includes(check.value ?? null),
  less: number((a, b) => a < b),
  at_most: number((a, b) => a <= b),
  greater: number((a, b) => a > b),
  at_least: number((a, b) => a >= b),
};

export function* checkPath(check: PathCheck, trace: JudgedTrace, matchers: Matchers): CheckSteps {
  const path = parseJsonPath(check.path);
  const values = typeof path === 'string' ? undefined : yield* valuesAt(trace.document, path, matchers.look);
  if (values === undefined) return plain(null, `there are too many values at ${cutWords(check.path)} to look at`);
  const isMet = values.length > 0 && (yield* fitsMany(values, check, matchers));
  const reason = pathWords(check, values.length, isMet);
  // One value that fits decides; all others may be changed by what was not looked at.
  const isDecided = check.every ? values.length > 0 && !isMet : isMet;
  return plain(isDecided ? isMet !== check.not : unless(trace.is_partial, isMet !== check.not), reason);
}

/** Whether all values fit, or one: the first that decides is the last that is looked at. */
function* fitsMany(values: readonly unknown[], check: PathCheck, matchers: Matchers): Generator<void, boolean> {
  for (const value of values) {
    if ((yield* fits(value, check, matchers)) !== check.every) return !check.every;
    if (check.op === 'matches' || check.op === 'contains') yield;
  }
  return check.every;
}

function* fits(value: unknown, check: PathCheck, matchers: Matchers): Generator<void, boolean> {
  if (check.op === 'contains' && typeof value === 'string') matchers.look(Math.ceil(value.length / CHARS_PER_LOOK));
  if (check.op === 'contains' && Array.isArray(value)) matchers.look(value.length);
  if (check.op !== 'matches') return COMPARE[check.op](value, check);
  if (typeof value !== 'string') return false;
  return yield* matchText(matchers, { pattern: String(check.value), ignore_case: false }, value);
}
