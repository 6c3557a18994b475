import { describe, expect, it } from 'vitest';
import { unpackTexts } from './packed-texts.ts';

describe('vectors that were joined as texts', () => {
  it.each([6, 7, 8])('are decoded one after another, each of %i bytes', (size) => {
    const vectors = [1, 2, 3].map((seed) => Uint8Array.from({ length: size }, (_, at) => (seed * 97 + at * 31) % 256));
    const texts = vectors.map((vector) => Buffer.from(vector).toString('base64')).join('');
    expect(unpackTexts(texts, 3)).toEqual(Uint8Array.from(vectors.flatMap((vector) => [...vector])));
  });

  it('are nothing where there are none, and refused where they are not of one length', () => {
    expect(unpackTexts('', 0)).toEqual(new Uint8Array(0));
    expect(() => unpackTexts('AAAAAAAA', 3)).toThrow(RangeError);
  });
});
