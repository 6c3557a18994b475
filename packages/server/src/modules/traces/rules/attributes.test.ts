import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeAttributes, stampAttributes } from './attributes.ts';

const keys = (count: number, prefix = 'k') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, i]));

describe('mergeAttributes', () => {
  it('makes keys lower case, without space around them', () => {
    expect(mergeAttributes([{ ' Team ': 'Payments ', ATTEMPT: 2, ok: false }])).toEqual({
      attributes: { team: 'Payments ', attempt: 2, ok: false },
    });
  });

  it('lets the later of two values win, between bags and within one', () => {
    expect(mergeAttributes([{ a: 1, b: 1 }, { A: 2 }, { 'b ': 3, B: 4 }])).toEqual({ attributes: { a: 2, b: 4 } });
    expect(mergeAttributes([])).toEqual({ attributes: {} });
  });

  it.each([null, undefined, Number.NaN, Number.POSITIVE_INFINITY, [], {}, ['a'], 'a'.repeat(257), 'a\0', '\ud800'])(
    'refuses the value %j',
    (value) => {
      expect(mergeAttributes([{ ok: 1 }, { Bad: value }])).toEqual({
        errors: [{ path: 'Bad', message: expect.stringMatching(/./) }],
      });
    },
  );

  it.each(['', '   ', 'k'.repeat(65), 'a\0b', '\udc00'])('refuses the key %j', (key) => {
    expect(mergeAttributes([{ [key]: 1 }])).toEqual({ errors: [{ path: key, message: expect.stringMatching(/key/) }] });
  });

  it('takes what is just within the limits', () => {
    const bag = { ['k'.repeat(64)]: 'v'.repeat(256), [` ${'j'.repeat(64)} `]: '', n: -0.5 };
    expect(mergeAttributes([bag])).toEqual({
      attributes: { ['k'.repeat(64)]: 'v'.repeat(256), ['j'.repeat(64)]: '', n: -0.5 },
    });
  });

  it('refuses a bad value even where a later one replaces it', () => {
    expect(mergeAttributes([{ a: null }, { a: 1 }])).toHaveProperty('errors');
  });

  it('reports every problem', () => {
    expect(mergeAttributes([{ a: null, b: [] }, { '': 1 }])).toEqual({
      errors: [
        { path: 'a', message: 'must be text, a finite number or a boolean' },
        { path: 'b', message: 'must be text, a finite number or a boolean' },
        { path: '', message: 'must have a key' },
      ],
    });
  });

  it('counts the keys of the merged bag', () => {
    expect(mergeAttributes([keys(20), keys(20)])).toEqual({ attributes: keys(20) });
    expect(mergeAttributes([keys(20), { one: 'more' }])).toEqual({
      errors: [{ path: '', message: 'holds 21 keys, more than the 20 that are kept' }],
    });
  });

  it('does not count what clients stamp', () => {
    const stamped = { canary_fix_id: 'f', canary_arm: 'treated' };
    expect(mergeAttributes([keys(20), stamped])).toEqual({ attributes: { ...keys(20), ...stamped } });
  });

  it('drops what only the server may say, be it valid or not', () => {
    const given = { source: 'me', Model: null, ' client ': [], OUTCOME_TYPE: 'success', memory_branch: 'b', a: 1 };
    expect(mergeAttributes([given])).toEqual({ attributes: { a: 1 } });
  });

  it('keeps a key called __proto__ a key', () => {
    const merged = mergeAttributes([JSON.parse('{"__proto__": "x", "constructor": "y"}')]);
    expect(JSON.stringify(merged)).toBe('{"attributes":{"__proto__":"x","constructor":"y"}}');
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('takes its own answer again unchanged', () => {
    const bags = fc.array(fc.dictionary(fc.string({ maxLength: 8 }), fc.oneof(fc.string(), fc.double(), fc.boolean())));
    fc.assert(
      fc.property(bags, (given) => {
        const merged = mergeAttributes(given);
        if ('attributes' in merged) expect(mergeAttributes([merged.attributes])).toEqual(merged);
      }),
    );
  });
});

describe('stampAttributes', () => {
  it('puts what the server knows over what was said', () => {
    expect(stampAttributes({ a: 1, memory_branch: 'x' }, { source: 'api', memory_branch: 'main', model: 'm' })).toEqual(
      {
        a: 1,
        memory_branch: 'main',
        source: 'api',
        model: 'm',
      },
    );
  });

  it('leaves out what the server does not know', () => {
    expect(stampAttributes({ a: 1 }, { source: null, model: undefined, client: '' })).toEqual({ a: 1 });
  });

  it('cuts what is too long, but no character in halves', () => {
    expect(stampAttributes({}, { model: 'm'.repeat(300) })).toEqual({ model: 'm'.repeat(256) });
    expect(stampAttributes({}, { model: `${'m'.repeat(255)}😀x` })).toEqual({ model: `${'m'.repeat(255)}😀` });
  });

  it('changes neither of the two', () => {
    const bag = Object.freeze({ a: 1 });
    stampAttributes(bag, Object.freeze({ source: 'api' }));
    expect(bag).toEqual({ a: 1 });
  });
});
