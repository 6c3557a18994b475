import { describe, expect, it } from 'vitest';
import { cutMember, sameJsonInSteps } from './json-same.ts';
import { canonicalJson } from './json-text.ts';

function same(a: string, b: string): { same: boolean; steps: number } {
  const run = sameJsonInSteps(a, b);
  for (let steps = 1; ; steps++) {
    const step = run.next();
    if (step.done) return { same: step.value, steps };
  }
}

const TEXTS = [
  '1',
  '1.0',
  'null',
  '"a"',
  '"\\u0061"',
  '"\\ud83d\\ude00"',
  '"😀"',
  '[]',
  '[ ]',
  '{}',
  '[1,2]',
  '[ 1 , 2 ]',
  '[2,1]',
  '[1,2,3]',
  '[[1],2]',
  '{"a":1,"b":[{"c":2,"d":"x"}]}',
  '{ "b" : [ {"d":"\\u0078","c":2} ] , "a" : 1 }',
  '{"a":1,"b":[{"c":2.0,"d":"x"}]}',
  '{"a":0,"a":1,"b":[{"c":2,"d":"x"}]}',
  '{"\\u0061":1,"b":[{"c":2,"d":"x"}]}',
  '{"a":1}',
  '{"a":1,"b":null}',
  '{"__proto__":1}',
];

describe('whether two texts hold the same value', () => {
  it.each(TEXTS)('is what their canonical texts say: %s', (a) => {
    for (const b of TEXTS) expect([b, same(a, b).same]).toEqual([b, canonicalJson(a) === canonicalJson(b)]);
  });

  it('is found in steps, and a difference at the start in one', () => {
    const names = Array.from({ length: 5000 }, (_, i) => `"m${i}":${i}`);
    const reversed = same(`{${names.join()}}`, `{${names.reverse().join()}}`);
    expect(reversed.same).toBe(true);
    expect(reversed.steps).toBeGreaterThan(10);
    expect(same(`[1,${names.map(() => 1).join()}]`, '[2]')).toEqual({ same: false, steps: 1 });
  });
});

it('a member is cut out of an object byte for byte', () => {
  expect(cutMember('{"a":"}","value": {"x":[1.0]} ,"b":2}', 'value')).toEqual({
    rest: '{"a":"}","value": null ,"b":2}',
    member: '{"x":[1.0]}',
  });
  expect(cutMember('{"a":1}', 'value')).toBeUndefined();
});
