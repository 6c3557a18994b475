import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonLimits, parseJsonInSteps } from './json-steps.ts';

const LIMITS: JsonLimits = { depth: 100, members: 50_000, values: 250_000 };

/** Steps of a few characters, so that nearly everything is read in pieces. */
const STEP_CHARS = 24;

function read(text: string, limits = LIMITS): { value: unknown; steps: number } {
  const steps = parseJsonInSteps(text, limits, STEP_CHARS);
  for (let count = 0; ; count++) {
    const { done, value } = steps.next();
    if (done) return { value: value.parsed, steps: count };
  }
}

const outcomeOf = (parse: () => unknown): unknown => {
  try {
    return JSON.stringify(parse());
  } catch {
    return 'refused';
  }
};

const LONG = 'x'.repeat(2 * STEP_CHARS);

describe('parseJsonInSteps', () => {
  const json = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'medium' }, fc.jsonValue(), fc.constant(LONG), tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(fc.oneof(fc.string({ maxLength: 5 }), fc.constant('__proto__')), tie('value'), {
      maxKeys: 4,
    }),
  }));

  it('reads what JSON.parse reads, and in the same order', () => {
    fc.assert(
      fc.property(json.value, fc.constantFrom(0, 1), (value, spaces) => {
        const text = JSON.stringify(value, null, spaces);
        expect(JSON.stringify(read(text).value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 100 },
    );
  });

  it('refuses what JSON.parse refuses', () => {
    const pieces = fc.constantFrom('[', ']', '{', '}', ',', ':', '"a"', '1', ' ', `"${LONG}"`, '"a":', 'null');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        expect(outcomeOf(() => read(text).value)).toBe(outcomeOf(() => JSON.parse(text)));
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['{"a":[1,]}', '{"a":[1}]', '{"a":1,}', '{"a" 1}', '[1 2]', '{"a":1}}', '{"a":1'])(
    'refuses %s around a long text',
    (broken) => {
      expect(outcomeOf(() => read(`[${JSON.stringify(LONG)},${broken}]`).value)).toBe('refused');
      expect(outcomeOf(() => read(broken.replace('1', JSON.stringify(LONG))).value)).toBe('refused');
    },
  );

  it('keeps the last of members with the same name', () => {
    const text = `{"a":1,"b":"${LONG}","a":["${LONG}"],"c":{"n":"${LONG}"},"a":2}`;
    expect(JSON.stringify(read(text).value)).toBe(JSON.stringify(JSON.parse(text)));
  });

  it('takes a step for every piece of a large text', () => {
    const many = `[${'{},'.repeat(1000)}{}]`;
    expect(read(many).steps).toBeGreaterThan(100);
    expect(read(many).value).toEqual(JSON.parse(many));
  });

  it.each([
    ['members', { ...LIMITS, members: 3 }, '{"a":1,"b":{"c":2,"d":3}}'],
    ['values', { ...LIMITS, values: 3 }, '[1,2,{},[]]'],
    ['values', { ...LIMITS, values: 4 }, '{"a":{ },"b":[[ ],{"c":{}}]}'],
  ] as const)('refuses more %s than the limit before it builds any', (what, limits, text) => {
    const most = limits[what];
    expect(() => read(text, limits)).toThrow(`the body has more than ${most} ${what}; send it in parts`);
    expect(() => read(text, { ...LIMITS, [what]: most + 1 })).not.toThrow();
    expect(() => read(`"${text.replaceAll('"', '\\"')}"`, limits)).not.toThrow();
  });

  it('refuses a nesting deeper than the limit', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(read(nested(100)).value).toEqual(JSON.parse(nested(100)));
    expect(() => read(nested(101))).toThrow('the body is nested deeper than 100 levels');
  });
});
