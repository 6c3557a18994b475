import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyChanges, diffJson, sameJson } from './diff.ts';

const names = fc.oneof(
  fc.constantFrom('a', 'b', '__proto__', '~', '/', '~1', '', 'toString', 'length', '0'),
  fc.string(),
);

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -0, 1, '', 'x'),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 5 }).map((members) => Object.fromEntries(members)),
  ),
})).value;

describe('diffJson', () => {
  it('names each change by JSON Pointer, members in order', () => {
    const before = { b: 1, a: { x: [1, { y: 2 }] }, gone: null };
    const after = { b: 2, a: { x: [1, { y: 3 }] }, 'new/~name': [] };
    expect(diffJson(before, after)).toEqual([
      { path: '/a/x/1/y', operation: 'replace', old_value: 2, new_value: 3 },
      { path: '/b', operation: 'replace', old_value: 1, new_value: 2 },
      { path: '/gone', operation: 'remove', old_value: null },
      { path: '/new~1~0name', operation: 'add', new_value: [] },
    ]);
  });

  it('adds elements at the end and removes them from the end', () => {
    expect(diffJson([1], [1, 2, 3])).toEqual([
      { path: '/1', operation: 'add', new_value: 2 },
      { path: '/2', operation: 'add', new_value: 3 },
    ]);
    expect(diffJson([1, 2, 3], [1])).toEqual([
      { path: '/2', operation: 'remove', old_value: 3 },
      { path: '/1', operation: 'remove', old_value: 2 },
    ]);
  });

  it('replaces a value of another type as a whole', () => {
    for (const [before, after] of [
      [[], {}],
      [{}, null],
      [null, []],
      ['1', 1],
      [0, false],
      [{ 0: 1 }, [1]],
    ]) {
      expect(diffJson(before, after)).toEqual([
        { path: '', operation: 'replace', old_value: before, new_value: after },
      ]);
    }
  });

  it('sees an own __proto__ and never the inherited one', () => {
    const own = JSON.parse('{"__proto__":{"a":1}}');
    expect(diffJson(own, {})).toEqual([{ path: '/__proto__', operation: 'remove', old_value: { a: 1 } }]);
    expect(diffJson({}, own)).toEqual([{ path: '/__proto__', operation: 'add', new_value: { a: 1 } }]);
    expect(diffJson({ toString: 1 }, {})).toHaveLength(1);
  });

  it('is empty only for equal values', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(diffJson(a, structuredClone(a))).toEqual([]);
        expect(diffJson(a, b).length === 0).toBe(isDeepStrictEqual(a, b));
      }),
    );
  });
});

describe('applyChanges', () => {
  it('turns the value before into the value after, and changes neither', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        const texts = [JSON.stringify(before), JSON.stringify(after)];
        const made = applyChanges(before, diffJson(before, after));
        expect(made).toEqual(after);
        expect(sameJson(JSON.stringify(made), JSON.stringify(after))).toBe(true);
        expect([JSON.stringify(before), JSON.stringify(after)]).toEqual(texts);
      }),
      { numRuns: 500 },
    );
  });

  it('sets an own __proto__ and not the prototype', () => {
    const made = applyChanges({}, [{ path: '/__proto__', operation: 'add', new_value: { evil: 1 } }]);
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
    expect(JSON.stringify(made)).toBe('{"__proto__":{"evil":1}}');
    expect(() => applyChanges({}, [{ path: '/__proto__/evil', operation: 'add', new_value: 1 }])).toThrow(RangeError);
  });

  it('refuses a change that does not fit', () => {
    for (const path of ['/x', '/list/2', '/list/-1', '/list/01', '/list/x', '/list/0/y', '/text/0', '/list/length']) {
      const change = { path, operation: 'replace', new_value: 1 } as const;
      expect(() => applyChanges({ list: [1, 2], text: 'abc' }, [change]), path).toThrow(RangeError);
    }
    expect(() => applyChanges([1], [{ path: '/2', operation: 'add', new_value: 1 }])).toThrow(RangeError);
  });
});

describe('sameJson', () => {
  it('overlooks order, spaces and escapes, not digits', () => {
    expect(sameJson('{"a":1,"b":"A"}', ' { "b" : "\\u0041", "a" : 1 } ')).toBe(true);
    expect(sameJson('1', '1.0')).toBe(false);
    expect(sameJson('12345678901234567890', '12345678901234567891')).toBe(false);
    expect(sameJson('[1,2]', '[2,1]')).toBe(false);
  });
});
