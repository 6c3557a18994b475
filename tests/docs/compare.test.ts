import { expect, test } from 'vitest';
import { differences, matchesText } from './compare.ts';

test('an expected answer may leave members out but not change them', () => {
  const actual = { a: 1, b: { c: [1, 2], d: 'x' }, e: null };
  expect(differences({ a: 1, b: { d: 'x' }, e: null }, actual)).toEqual([]);
  expect(differences({ a: 2 }, actual)).toEqual(['answer.a is 1, not 2']);
  expect(differences({ b: { c: [1, 3] } }, actual)).toEqual(['answer.b.c[1] is 2, not 3']);
  expect(differences({ f: null }, actual)).toEqual(['answer.f is undefined, not null']);
  expect(differences({ a: {} }, actual)).toEqual(['answer.a is no object']);
  expect(differences({ b: { c: {} } }, actual)).toEqual(['answer.b.c is no object']);
});

test('a list is expected whole, unless it ends with an ellipsis', () => {
  expect(differences([1], [1, 2])).toEqual(['answer has 2 elements, not 1']);
  expect(differences([1, '…'], [1, 2])).toEqual([]);
  expect(differences([1, 2, '…'], [1])).toEqual(['answer has 1 elements, not 2']);
});

test('an ellipsis stands for any value and for any part of a text', () => {
  expect(differences({ at: '…', id: '01…' }, { at: 5, id: '01abc' })).toEqual([]);
  expect(differences({ at: '…' }, {})).toEqual(['answer.at is missing']);
  expect(differences({ id: '01…' }, { id: '02abc' })).toHaveLength(1);
  expect(matchesText('a (b) … c', 'a (b) 1\n2 c')).toBe(true);
  expect(matchesText('a … c', 'a c')).toBe(false);
});
