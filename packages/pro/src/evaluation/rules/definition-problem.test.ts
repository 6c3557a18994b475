import { judgeShapes } from '@mem-service/contract';
import { expect, it } from 'vitest';
import { definitionProblems } from './definition-problem.ts';

const problems = (patterns: readonly string[]) =>
  definitionProblems(
    judgeShapes.checkedDefinition.parse({
      kind: 'code',
      checks: patterns.map((pattern) => ({ check: 'pattern', pattern })),
    }),
  );
const message = 'has too many parts in a row that may match in several ways';

it.each([
  ['many in a row', '\\p{L}'.repeat(8)],
  ['many next to each other', Array.from({ length: 30 }, () => '\\p{L}').join('|')],
  ['many in a class', `[${'\\p{L}'.repeat(30)}]`],
])('classes of letters that take long to prepare are refused: %s', (_, pattern) => {
  expect(problems(['a', pattern])).toEqual([{ path: 'definition.checks.1.pattern', message }]);
});

it('classes of letters that take long to prepare together are refused', () => {
  const patterns = (count: number) =>
    Array.from({ length: count }, (_, no) => `${no}[\\p{L}\\p{N}\\p{M}\\p{Pc}\\p{Pd}]+`);
  expect(problems(patterns(40))).toEqual([]);
  expect(problems(patterns(40).concat('\\p{L}'))).toEqual([
    { path: 'definition', message: 'its regular expressions have 201 properties like \\p{L}, more than 200' },
  ]);
});
