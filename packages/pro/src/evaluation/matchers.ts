import { matchesGlob, parseGlob, testWithin } from '@mem-service/server/module';
import { type Matchers, PatternFailed, type TestPattern } from './rules/finding.ts';
import { isLinear } from './rules/linear-pattern.ts';

/** How long a regular expression may look at one text: other requests wait as long. */
const MAX_MS = 40;
/** A machine that is busy stops a thread for longer than that, so it is tried again. */
const TRIES = 3;
const MAX_KEPT = 500;

type KnownPattern = { regexp: RegExp; isLinear: boolean };

const compiled = new Map<string, KnownPattern>();

/**
 * Tests texts with a regular expression. One that may take more than linear time runs with a deadline, at which the engine
 * gives it up.
 */
const testPattern: TestPattern = ({ pattern, ignore_case }, texts) => {
  const { regexp, isLinear } = compile(pattern, ignore_case ? 'iu' : 'u');
  return texts.some((text) => (isLinear ? regexp.test(text) : testInTime(regexp, text)));
};

function compile(pattern: string, flags: string): KnownPattern {
  const name = `${flags} ${pattern}`;
  const known = compiled.get(name);
  if (known) return known;
  if (compiled.size >= MAX_KEPT) compiled.clear();
  const made = { regexp: new RegExp(pattern, flags), isLinear: isLinear(pattern) };
  compiled.set(name, made);
  return made;
}

function testInTime(regexp: RegExp, text: string): boolean {
  for (let tries = 1; tries <= TRIES; tries++) {
    const isFound = testWithin(regexp, text, MAX_MS);
    if (isFound !== undefined) return isFound;
  }
  throw new PatternFailed(`/${regexp.source}/ takes longer than ${MAX_MS} ms`);
}

/** A path that is no glob matches itself. */
const fitsPath: Matchers['path'] = (text, entityPath) => {
  const glob = parseGlob(text);
  return glob ? matchesGlob(glob, entityPath) : text === entityPath;
};

export const matchers: Matchers = { pattern: testPattern, path: fitsPath };
