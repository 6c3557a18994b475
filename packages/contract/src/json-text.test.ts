import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachRaw, canonicalJson, JsonText, jsonBytes, jsonDepth, stringify } from './json-text.ts';

const EXACT_NUMBERS = ['12345678901234567890', '1e400', '1.0', '-0', '1E+2', '0.1000'];

const spaces = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** Encodes a value with spaces between tokens and some characters of strings escaped, as other encoders would. */
function loosely(value: unknown, next: () => string, escapeAll: boolean): string {
  const text = (string: string) =>
    escapeAll
      ? `"${Array.from({ length: string.length }, (_, at) => `\\u${string.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
      : JSON.stringify(string);
  const encode = (one: unknown): string => {
    if (Array.isArray(one)) return `[${next()}${one.map(encode).join(`${next()},${next()}`)}${next()}]`;
    if (typeof one === 'string') return text(one);
    if (typeof one !== 'object' || one === null) return JSON.stringify(one);
    const members = Object.entries(one).map(([name, member]) => `${text(name)}${next()}:${next()}${encode(member)}`);
    return `{${next()}${members.join(`${next()},${next()}`)}${next()}}`;
  };
  return next() + encode(value) + next();
}

const looseJson = fc
  .tuple(fc.jsonValue(), fc.array(spaces, { minLength: 1, maxLength: 7 }), fc.boolean())
  .map(([value, gaps, escapeAll]) => {
    let turn = 0;
    const encode = (one: unknown) => loosely(one, () => gaps[turn++ % gaps.length] ?? '', escapeAll);
    return { value, encode };
  });

function attached(text: string, ...paths: string[][]): unknown {
  const parsed: unknown = JSON.parse(text);
  attachRaw(text, parsed, paths);
  return parsed;
}

describe('JsonText', () => {
  it('parses once, and only when asked', () => {
    const json = new JsonText('{"a":[1]}');
    expect(json.value).toEqual({ a: [1] });
    expect(json.value).toBe(json.value);
    expect(() => new JsonText('{')).not.toThrow();
  });

  it('is made of any value that has a JSON form', () => {
    expect(JsonText.of({ a: 1 }).text).toBe('{"a":1}');
    expect(JsonText.of(null).text).toBe('null');
    expect(JsonText.of({ a: new JsonText('1.0') }).text).toBe('{"a":1.0}');
    expect(JsonText.of(new JsonText('1.0')).text).toBe('1.0');
    expect(() => JsonText.of(undefined)).toThrow(TypeError);
    expect(() => JsonText.of(() => 1)).toThrow(TypeError);
  });

  it('is its value to plain JSON.stringify', () => {
    expect(JSON.stringify({ a: new JsonText(' [1.0] ') })).toBe('{"a":[1]}');
  });
});

describe('stringify', () => {
  it('is JSON.stringify where there is no JsonText', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => stringify(value) === JSON.stringify(value)));
    expect(stringify({ a: undefined, b: new Date(0) })).toBe('{"b":"1970-01-01T00:00:00.000Z"}');
  });

  it('keeps numbers exact to the byte', () => {
    for (const text of EXACT_NUMBERS) {
      expect(stringify(new JsonText(text))).toBe(text);
      expect(stringify({ a: [new JsonText(text), 1], b: new JsonText(text) })).toBe(`{"a":[${text},1],"b":${text}}`);
    }
  });

  it('puts every text in its place, whatever it holds', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('$&', "$'", '$1', '"', '\\', '\\"'))), (strings) => {
        const texts = strings.map((one) => ` ${JSON.stringify(one)} `);
        const result = { list: texts.map((text) => new JsonText(text)), strings };
        expect(stringify(result)).toBe(`{"list":[${texts.join(',')}],"strings":${JSON.stringify(strings)}}`);
      }),
    );
  });

  it('splices more than ten texts and the same one twice', () => {
    const twice = new JsonText('1.0');
    expect(stringify(Array(25).fill(twice))).toBe(`[${Array(25).fill('1.0').join(',')}]`);
  });

  it('may be called from a toJSON inside', () => {
    const inner = { toJSON: () => JSON.parse(stringify({ deep: new JsonText('2.0') })) };
    const encoded = { toJSON: () => stringify([new JsonText('3.0')]) };
    expect(stringify([new JsonText('1.0'), inner, encoded, new JsonText('4.0')])).toBe('[1.0,{"deep":2},"[3.0]",4.0]');
  });

  it('lets a toJSON inside call JSON.stringify', () => {
    const once = { toJSON: () => JSON.stringify({ a: new JsonText('"q"') }) };
    const twice = { toJSON: () => JSON.stringify([once]) };
    const text = stringify([once, twice, new JsonText('1.0')]);
    expect(text).toMatch(/,1\.0]$/);
    const parsed = JSON.parse(text);
    expect(JSON.parse(parsed[0])).toEqual({ a: 'q' });
    expect(JSON.parse(JSON.parse(parsed[1])[0])).toEqual({ a: 'q' });
  });

  it('leaves no trace after a failure', () => {
    const loop: unknown[] = [new JsonText('1.0')];
    loop.push(loop);
    expect(() => stringify(loop)).toThrow(TypeError);
    expect(JSON.stringify([new JsonText('1.0')])).toBe('[1]');
  });

  it('refuses what has no JSON form', () => {
    expect(() => stringify(undefined)).toThrow(TypeError);
  });
});

describe('attachRaw', () => {
  it('slices the exact text without the space around it', () => {
    const text = ' { "value" : { "a" : [ 1.0 , "x\\"]" ] } , "n" : 1 } ';
    expect(attached(text, ['value'])).toEqual({ value: new JsonText('{ "a" : [ 1.0 , "x\\"]" ] }'), n: 1 });
  });

  it('finds any value in any encoding of it', () => {
    fc.assert(
      fc.property(looseJson, fc.dictionary(fc.string(), fc.jsonValue()), ({ value, encode }, others) => {
        const text = encode({ ...others, value, writes: [{ value, ...others }, others, { key: 'k', value }, 7] });
        const parsed = attached(text, ['value'], ['writes', '*', 'value']) as {
          value: JsonText;
          writes: { value: JsonText }[];
        };
        for (const found of [parsed.value, parsed.writes[2]?.value]) {
          expect(found).toBeInstanceOf(JsonText);
          expect(found?.text).toBe(found?.text.trim());
          expect(found?.value).toEqual(JSON.parse(JSON.stringify(value)));
        }
        expect(JSON.parse(stringify(parsed))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps numbers exact to the byte on the way through', () => {
    for (const text of EXACT_NUMBERS) {
      expect(stringify(attached(`{"value":${text}}`, ['value']))).toBe(`{"value":${text}}`);
    }
  });

  it('takes the last of several members with one name', () => {
    expect(attached('{"value":1.0,"value":2.0}', ['value'])).toEqual({ value: new JsonText('2.0') });
    expect(attached('{"w":[{"v":1},{"v":2}],"w":[{}]}', ['w', '*', 'v'])).toEqual({ w: [{}] });
    expect(attached('{"w":[{"v":1}],"w":"text"}', ['w', '*', 'v'])).toEqual({ w: 'text' });
  });

  it('reads escaped member names', () => {
    expect(attached('{"v\\u0061lue":1.0}', ['value'])).toEqual({ value: new JsonText('1.0') });
  });

  it('leaves the prototype alone', () => {
    const text = '{"__proto__":{"value":1.0},"value":2.0}';
    const parsed = attached(text, ['__proto__'], ['value']) as object;
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect(stringify(parsed)).toBe(text);
    expect(stringify(attached(text, ['__proto__', 'value']))).toBe('{"__proto__":{"value":1.0},"value":2}');
  });

  it('passes over what is not there or of another type', () => {
    for (const text of ['{"other":1}', '[1]', '"value"', 'null', '{}', '[]']) {
      expect(attached(text, ['value'], ['value', 'deep'], ['*', 'value'])).toEqual(JSON.parse(text));
    }
    expect(attached('{"value":[1],"*":2}', ['value', 'deep'], ['*'])).toEqual({ value: [1], '*': 2 });
  });

  it('keeps lone surrogates as they were escaped', () => {
    expect(stringify(attached('{"value":"\\ud800 \\uDFFF"}', ['value']))).toBe('{"value":"\\ud800 \\uDFFF"}');
  });

  it('skips over deep nesting without growing the stack', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const parsed = { value: undefined };
    attachRaw(`{"other":${deep},"value":1.0}`, parsed, [['value']]);
    expect(parsed.value).toEqual(new JsonText('1.0'));
  });
});

describe('jsonDepth', () => {
  it('counts nested arrays and objects, not brackets in strings', () => {
    for (const [text, depth] of [
      ['1', 0],
      ['"[[{{"', 0],
      ['"\\"[["', 0],
      ['[]', 1],
      ['{"a":[{}],"b":[]}', 3],
      ['[[],[[]]]', 3],
      ['["\\\\",[1]]', 2],
    ] as const) {
      expect(jsonDepth(text), text).toBe(depth);
    }
  });

  it('agrees with a recursive count', () => {
    const count = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(count)) : 0;
    fc.assert(fc.property(looseJson, ({ value, encode }) => jsonDepth(encode(value)) === count(value)));
  });

  it('takes any text, however deep', () => {
    expect(jsonDepth('['.repeat(100_000))).toBe(100_000);
    expect(jsonDepth('"[[[')).toBe(0);
    expect(jsonDepth(']]][')).toBe(1);
  });
});

describe('canonicalJson', () => {
  it('is the same for any encoding of one value', () => {
    fc.assert(
      fc.property(looseJson, ({ value, encode }) => {
        const text = canonicalJson(encode(value));
        expect(text).toBe(canonicalJson(JSON.stringify(value)));
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(text)).toBe(text);
      }),
    );
  });

  it('sorts members by code unit and lets the last of a name win', () => {
    expect(canonicalJson('{"b":1,"a!":2,"a":3,"B":4,"b":5,"\\u0061 ":6}')).toBe('{"B":4,"a":3,"a ":6,"a!":2,"b":5}');
    expect(canonicalJson('{"\\ufb33":1,"\\ud83d\\ude00":2}')).toBe('{"😀":2,"\ufb33":1}');
    expect(canonicalJson('{"__proto__":{"z":1,"a":2}}')).toBe('{"__proto__":{"a":2,"z":1}}');
  });

  it('keeps numbers as written', () => {
    const list = `[${EXACT_NUMBERS.join(' , ')}]`;
    expect(canonicalJson(list)).toBe(`[${EXACT_NUMBERS.join(',')}]`);
  });

  it('encodes strings alike', () => {
    expect(canonicalJson('"\\u0041\\/\\u000a"')).toBe('"A/\\n"');
    expect(canonicalJson('"\\uD800"')).toBe('"\\ud800"');
    expect(canonicalJson('"\ud800"')).toBe('"\\ud800"');
  });

  it('ends on text that is no JSON', () => {
    for (const text of ['[}', '{"a"', '[1 2', '{"a":', '"abc', '', '[', '{"a"}]']) {
      expect(typeof canonicalJson(text), text).toBe('string');
    }
  });
});

it('a text made by the copy of this file in another bundle is as exact', async () => {
  const copy = './json-text.ts?in-another-bundle';
  const other: typeof import('./json-text.ts') = await import(copy);
  expect(other.stringify).not.toBe(stringify);
  const text = new other.JsonText('12345678901234567890');
  expect(text).toBeInstanceOf(JsonText);
  expect(stringify({ n: text })).toBe('{"n":12345678901234567890}');
  expect(other.stringify({ n: new JsonText('1.0') })).toBe('{"n":1.0}');
});

it('the bytes of a text in JSON are counted as it is written', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => jsonBytes(text) === Buffer.byteLength(JSON.stringify(text))),
  );
  for (const text of ['', 'plain ~\x7f', '"', '\\', '\u0001\n', 'é', '日本', '😀', '\ud800', '\u2028'])
    expect(jsonBytes(text), JSON.stringify(text)).toBe(Buffer.byteLength(JSON.stringify(text)));
});
