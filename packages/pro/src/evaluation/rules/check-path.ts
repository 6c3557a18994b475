import type { judgeShapes } from '@mem-service/server/module';
import { type CheckFinding, type Matchers, plain, unless } from './finding.ts';
import { parseJsonPath, valuesAt } from './json-path.ts';
import type { JudgedTrace } from './judged-trace.ts';

type PathCheck = Extract<judgeShapes.SimpleCheck, { check: 'json_path' }>;
type Compare = (value: unknown, check: PathCheck, matchers: Matchers) => boolean;

const number =
  (compare: (a: number, b: number) => boolean): Compare =>
  (value, check) =>
    typeof value === 'number' && typeof check.value === 'number' && compare(value, check.value);

const COMPARE: Record<PathCheck['op'], Compare> = {
  exists: () => true,
  equals: (value, check) => value === (check.value ?? null),
  contains: (value, check) =>
    typeof value === 'string'
      ? typeof check.value === 'string' && value.includes(check.value)
      : Array.isArray(value) && value.includes(check.value ?? null),
  matches: (value, check, matchers) =>
    typeof value === 'string' &&
    matchers.pattern({ pattern: String(check.value), ignore_case: false }, [value.slice(0, MAX_TEXT_CHARS)]),
  less: number((a, b) => a < b),
  at_most: number((a, b) => a <= b),
  greater: number((a, b) => a > b),
  at_least: number((a, b) => a >= b),
};

const MAX_TEXT_CHARS = 200_000;

export function checkPath(check: PathCheck, trace: JudgedTrace, matchers: Matchers): CheckFinding {
  const path = parseJsonPath(check.path);
  const values = typeof path === 'string' ? undefined : valuesAt(trace.document, path);
  if (values === undefined) return plain(null, `${check.path} has too many values to look at`);
  const fits = (value: unknown) => COMPARE[check.op](value, check, matchers);
  const isMet = values.length > 0 && (check.every ? values.every(fits) : values.some(fits));
  const compared = check.op === 'exists' ? 'is there' : `${check.op} ${JSON.stringify(check.value ?? null)}`;
  const reason = `${check.path} ${compared}: ${isMet ? 'yes' : 'no'}, of ${values.length} values`;
  // One value that fits decides; all others may be changed by what was not looked at.
  const isDecided = check.every ? values.length > 0 && !isMet : isMet;
  return plain(isDecided ? isMet !== check.not : unless(trace.is_partial, isMet !== check.not), reason);
}
