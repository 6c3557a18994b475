import { expect, it } from 'vitest';
import { isFromTheRight, withMarks } from './direction.ts';

it.each([
  ['safe\u202egpj.exe', 'safe[U+202E]gpj.exe'],
  ['\u2067a\u2069', '[U+2067]a[U+2069]'],
  ['\u061c\u200e\u200f', '[U+061C][U+200E][U+200F]'],
  ['plain', 'plain'],
  ['שלום', 'שלום'],
])('%j is shown as %j', (text, shown) => {
  expect(withMarks(text)).toBe(shown);
  // Also when it is asked twice: an expression that remembers its place would not.
  expect(withMarks(text)).toBe(shown);
});

it('knows texts that are written from right to left', () => {
  expect(['שלום', 'مرحبا', 'abc', 'é', '日本'].map(isFromTheRight)).toEqual([true, true, false, false, false]);
});
