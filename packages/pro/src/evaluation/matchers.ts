import { matchesGlob, parseGlob, testWithin } from '@mem-service/server/module';
import { MAX_BRANCHES, MAX_PROPERTIES, TOO_BRANCHED } from './rules/definition-problem.ts';
import { type CountLooks, type Matchers, PatternFailed, type TestPattern } from './rules/finding.ts';
import { countProperties, type PatternCost, patternCost } from './rules/pattern-cost.ts';

/** How long a regular expression may look at one text: other requests wait as long. */
const MAX_MS = 30;
/** How long all expressions may look at one trace. */
const MAX_MS_OF_TRACE = 1000;
/** How many values all checks may look at in one trace: they take about a second. */
const MAX_LOOKS = 5_000_000;
const MAX_KEPT = 500;
/** So many steps are over in some milliseconds: a deadline, which takes a thread of its own, would cost more. */
const FEW_STEPS = 2_000_000;

type KnownPattern = { regexp: RegExp; cost: PatternCost };

const compiled = new Map<string, KnownPattern>();

function compile(pattern: string, flags: string): KnownPattern {
  const name = `${flags} ${pattern}`;
  const known = compiled.get(name);
  if (known) return known;
  if (compiled.size >= MAX_KEPT) compiled.clear();
  const cost = patternCost(pattern);
  if (cost.branches > MAX_BRANCHES || countProperties(pattern) > MAX_PROPERTIES)
    throw new PatternFailed(`/${pattern}/ ${TOO_BRANCHED}`);
  const made = { regexp: new RegExp(pattern, flags), cost };
  compiled.set(name, made);
  return made;
}

/** A path that is no glob matches itself. */
export const fitsPath: Matchers['path'] = (text, entityPath) => {
  const glob = parseGlob(text);
  return glob ? matchesGlob(glob, entityPath) : text === entityPath;
};

/**
 * What one trace is matched with. An expression that may take many steps runs with a deadline, at which the engine gives
 * it up.
 */
export function newMatchers(): Matchers {
  let spentMs = 0;
  const testPattern: TestPattern = ({ pattern, ignore_case }, text) => {
    const { regexp, cost } = compile(pattern, ignore_case ? 'iu' : 'u');
    if ((text.length + 1) * cost.over(text.length).steps <= FEW_STEPS) return regexp.test(text);
    if (spentMs > MAX_MS_OF_TRACE) throw new PatternFailed(`/${pattern}/ takes too long`);
    const started = performance.now();
    const isFound = testWithin(regexp, text, MAX_MS);
    spentMs += performance.now() - started;
    return isFound;
  };
  let looks = 0;
  const look: CountLooks = (values) => {
    looks += values;
    if (looks > MAX_LOOKS) throw new PatternFailed('the checks look at too many values of the trace');
  };
  return { pattern: testPattern, path: fitsPath, look };
}
