import { type AskedPattern, type Matchers, PatternFailed } from './finding.ts';

/** Longer texts are looked at up to here. */
const MAX_TEXT_CHARS = 200_000;
/** A busy machine stops a thread for longer than the deadline, so an expression that was given up is tried again. */
const TRIES = 3;

/** Whether a regular expression matches a text. */
export function* matchText(matchers: Matchers, asked: AskedPattern, text: string): Generator<void, boolean> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const isFound = matchers.pattern(asked, text.slice(0, MAX_TEXT_CHARS));
    if (isFound !== undefined) return isFound;
    yield;
  }
  throw new PatternFailed(`/${asked.pattern}/ takes too long`);
}
