import { matchesGlob, parseGlob, testWithin } from '@mem-service/server/module';
import { type Matchers, PatternFailed, type TestPattern } from './rules/finding.ts';
import { isLinear } from './rules/linear-pattern.ts';

/** How long a regular expression may look at one text: other requests wait as long. */
const MAX_MS = 40;
/** How long all expressions may look at one trace. */
const MAX_MS_OF_TRACE = 1000;
const MAX_KEPT = 500;

type KnownPattern = { regexp: RegExp; isLinear: boolean };

const compiled = new Map<string, KnownPattern>();

function compile(pattern: string, flags: string): KnownPattern {
  const name = `${flags} ${pattern}`;
  const known = compiled.get(name);
  if (known) return known;
  if (compiled.size >= MAX_KEPT) compiled.clear();
  const made = { regexp: new RegExp(pattern, flags), isLinear: isLinear(pattern) };
  compiled.set(name, made);
  return made;
}

/** A path that is no glob matches itself. */
export const fitsPath: Matchers['path'] = (text, entityPath) => {
  const glob = parseGlob(text);
  return glob ? matchesGlob(glob, entityPath) : text === entityPath;
};

/**
 * What one trace is matched with. An expression that may take more than linear time runs with a deadline, at which the
 * engine gives it up.
 */
export function newMatchers(): Matchers {
  let spentMs = 0;
  const testPattern: TestPattern = ({ pattern, ignore_case }, text) => {
    const { regexp, isLinear } = compile(pattern, ignore_case ? 'iu' : 'u');
    if (isLinear) return regexp.test(text);
    if (spentMs > MAX_MS_OF_TRACE) throw new PatternFailed(`/${pattern}/ takes too long`);
    const started = performance.now();
    const isFound = testWithin(regexp, text, MAX_MS);
    spentMs += performance.now() - started;
    return isFound;
  };
  return { pattern: testPattern, path: fitsPath };
}
