import { expect, it } from 'vitest';
import { namesOver } from './forgotten.ts';

it('names a path, what is below it, and the globs over it', () => {
  const names = ['a/b', 'a/b/c', 'a/b/*', 'a/*', 'a/**', 'a', 'a/bc', 'a/bc/**', 'x/**', '*', '', 'a/b/c/**'];
  expect(namesOver(names, ['a/b'])).toEqual(['a/b', 'a/b/c', 'a/b/*', 'a/*', 'a/**', 'a/b/c/**']);
});

it('names nothing where nothing is erased', () => {
  expect(namesOver(['a', 'a/**'], [])).toEqual([]);
});
