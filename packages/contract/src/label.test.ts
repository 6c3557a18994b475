import { expect, it } from 'vitest';
import { label } from './shapes.ts';

const problemOf = (text: string) => label(12).safeParse(text).error?.issues[0]?.message;

it.each([
  ['   ', 'must not be empty'],
  ['a\u0007b', 'must not hold control characters'],
  ['a\ud800b', 'must be well-formed Unicode'],
  ['ninety years', undefined],
  ['neunzig Jahrë', 'is longer than 12 bytes'],
])('a label says what is wrong with %j', (text, problem) => {
  expect(problemOf(text)).toBe(problem);
});
