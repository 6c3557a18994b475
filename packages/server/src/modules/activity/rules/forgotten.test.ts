import { expect, it } from 'vitest';
import { namesOver, sortNamesInSteps, type UsedNames } from './forgotten.ts';

function sorted(names: readonly string[]): UsedNames {
  const steps = sortNamesInSteps(names);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

it('names a path, what is below it, and the globs over it', () => {
  const names = ['a/b', 'a/b/c', 'a/b/*', 'a/*', 'a/**', 'a', 'a/bc', 'a/bc/**', 'x/**', '*', '', 'a/b/c/**'];
  const over = ['a/b', 'a/b/c', 'a/b/*', 'a/*', 'a/**', 'a/b/c/**'];
  expect(namesOver(sorted(names), ['a/b']).sort()).toEqual(over.sort());
});

it('names nothing where nothing is erased', () => {
  expect(namesOver(sorted(['a', 'a/**']), [])).toEqual([]);
});
