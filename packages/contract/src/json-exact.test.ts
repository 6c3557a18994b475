import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonText, parseExact, parseExactInSteps, stringify } from './index.ts';

/** What the steps return, and how many there were. */
function inSteps(text: string, stepChars: number): { value: unknown; steps: number } {
  const generator = parseExactInSteps(text, stepChars);
  for (let steps = 0; ; steps++) {
    const { done, value } = generator.next();
    if (done) return { value, steps };
  }
}

describe('parseExact', () => {
  it('in steps of any size the same comes out', () => {
    const number = fc.constantFrom('1.0', '12345678901234567890', '-0', '7', '"x"', '{"a":[1.0,2]}');
    const indent = fc.constantFrom(undefined, 1, '\t');
    const written = fc
      .tuple(fc.jsonValue({ noUnicodeString: false }), number, indent)
      .map(
        ([value, other, indent]) =>
          ` {"__proto__": [${other}, {}, []], "a\\"b": ${JSON.stringify(value, null, indent)} , "last":${other}} `,
      );
    fc.assert(
      fc.property(written, fc.integer({ min: 1, max: 40 }), (text, stepChars) => {
        expect(inSteps(text, stepChars).value).toEqual(parseExact(text));
      }),
    );
  });

  it('a text of many members takes as many steps as it is long', () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`m${i}`, i])));
    expect(inSteps(text, 64 * 1024).steps).toBeGreaterThan(text.length / (64 * 1024) / 2);
  });

  it.each(['12345678901234567890', '1e400', '1.0', '-0', '1E2', '1e2', '0.10', '-1.50', '1e-400', '0.1e1'])(
    'a number that would not come out as it went in is kept as text: %s',
    (text) => {
      expect(parseExact(text)).toEqual(new JsonText(text));
      expect(parseExact(`{"a":[${text}]}`)).toEqual({ a: [new JsonText(text)] });
      expect(stringify(parseExact(` { "a" : [ 1 , ${text} ] } `))).toBe(`{"a":[1,${text}]}`);
    },
  );

  it.each(['0', '1', '-1', '0.1', '1.5', '123456789', '9007199254740991', '1e+21', '5e-324'])(
    'any other number is a number: %s',
    (text) => expect(parseExact(text)).toBe(Number(text)),
  );

  it('everything else is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseExact(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('members keep odd names, and of two with one name the last one stays', () => {
    const parsed = parseExact('{"__proto__":1.0,"a\\"b":2,"":3,"twice":1,"twice":[2.0]}');
    expect(Object.entries(parsed as object)).toEqual([
      ['__proto__', new JsonText('1.0')],
      ['a"b', 2],
      ['', 3],
      ['twice', [new JsonText('2.0')]],
    ]);
  });

  it.each(['', '{', '[1', '01', '1.', 'NaN', '[1,]', '{"a":1.0,}', '1 2'])('what is no JSON is refused: %s', (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  });
});
