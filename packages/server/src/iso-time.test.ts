import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isoOfMs } from './iso-time.ts';

it('writes every time as toISOString does', () => {
  const range = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 });
  fc.assert(
    fc.property(range, fc.integer({ min: 0, max: 59_999 }), (ms, more) => {
      for (const one of [ms, ms + more, ms]) expect(isoOfMs(one)).toBe(new Date(one).toISOString());
    }),
  );
  for (const one of [0, -1, 999, 59_999, 60_000, 8.64e15, -8.64e15])
    expect(isoOfMs(one)).toBe(new Date(one).toISOString());
});

it('refuses what is no time, as toISOString does', () => {
  expect(() => isoOfMs(Number.NaN)).toThrow(RangeError);
  expect(() => isoOfMs(9e15)).toThrow(RangeError);
  expect(isoOfMs(0)).toBe('1970-01-01T00:00:00.000Z');
});
