import { expect, test } from 'vitest';
import { plainMessage, unquoted } from './arguments.ts';

test('quotes around what is no text are taken off, and text is left alone', () => {
  const wanted = { n: { type: 'integer' }, list: { type: 'array' }, some: { type: 'object' }, on: { type: 'boolean' } };
  expect(unquoted({ n: '5', list: '["a"]', some: '{"a":1}', on: 'true' }, wanted)).toEqual({
    n: 5,
    list: ['a'],
    some: { a: 1 },
    on: true,
  });
  const wrong = { n: 'five', list: '{"a":1}', some: 'null', on: '1' };
  expect(unquoted(wrong, wanted)).toEqual(wrong);
  expect(unquoted({ value: '5', key: '7' }, { value: {}, key: { type: 'string' } })).toEqual({ value: '5', key: '7' });
});

test('what is wrong is said in plain words', () => {
  expect(plainMessage('Invalid input: expected string, received undefined')).toBe('is required');
  expect(plainMessage('Invalid input: expected record, received string')).toBe('must be an object');
  expect(plainMessage('Invalid option: expected one of "a"|"b"')).toBe('must be one of a, b');
  expect(plainMessage('is longer than 256 bytes')).toBe('is longer than 256 bytes');
});
