import { describe, expect, it } from 'vitest';
import { findJsonFault } from './json-fault.ts';

const found = (text: string) => {
  const fault = findJsonFault(text);
  return fault && `${fault.line}:${fault.column} ${fault.expected}${fault.isText ? ' text' : ''}`;
};

describe('the place where a text stops being JSON', () => {
  it.each([
    ['{"a": x}', '1:7 value'],
    ['{\n  "a": 1\n  "b": 2\n}', '3:3 nextMember'],
    ['[1, 2', '1:6 nextItem'],
    ['[1,]', '1:4 value'],
    ['{a: 1}', '1:2 nameOrEnd'],
    ['{"a": 1,}', '1:9 name'],
    ['{"a" 1}', '1:6 colon'],
    ['{"a": "no end}', '1:7 value text'],
    ['"a" b', '1:5 nothing'],
    ['01', '1:2 nothing'],
    ['[}', '1:2 valueOrEnd'],
    ['', '1:1 value'],
  ])('%s', (text, place) => {
    expect(found(text)).toBe(place);
    expect(() => JSON.parse(text)).toThrow();
  });

  it.each(['{}', ' [ ] ', '{"a": [1, -2.5e+3, "\\u00e9\\n", true, null, {"b": {}}]}', '"text"', '0'])(
    'is nowhere in %s',
    (text) => {
      expect(found(text)).toBeUndefined();
      expect(() => JSON.parse(text)).not.toThrow();
    },
  );

  it('is found in any depth', () => {
    expect(found('['.repeat(200_000))).toBe('1:200001 valueOrEnd');
  });
});
