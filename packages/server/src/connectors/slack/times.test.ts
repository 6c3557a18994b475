import { describe, expect, it } from 'vitest';
import { isoOf, microsOf, microsOfSeconds, stampOf } from './times.ts';

describe('a time of Slack', () => {
  it('keeps its microseconds', () => {
    const time = microsOf('1531420618.000203') ?? 0;
    expect(time).toBe(1_531_420_618_000_203);
    expect(isoOf(time)).toBe('2018-07-12T18:36:58.000203Z');
    expect(stampOf(time)).toEqual({ occurred_at: '2018-07-12T18:36:58.000Z', rank: 203 });
    expect(stampOf((microsOf('1531420618.123456') ?? 0) + 1)).toEqual({
      occurred_at: '2018-07-12T18:36:58.123Z',
      rank: 457,
    });
  });

  it('may have fewer decimals', () => {
    expect(microsOf('1531420618.5')).toBe(1_531_420_618_500_000);
    expect(microsOfSeconds(1531420618)).toBe(1_531_420_618_000_000);
  });

  it.each([
    '',
    '1531420618',
    '1531420618.',
    '.5',
    '1e9.0',
    '-1.5',
    '99999999999.0',
    '9000000001.0',
    1531420618.5,
    null,
    {},
  ])('is not %j', (value) => {
    expect(microsOf(value)).toBeUndefined();
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, '1531420618'])(
    'is no number of seconds: %j',
    (value) => {
      expect(microsOfSeconds(value)).toBeUndefined();
    },
  );

  it('is left out where none was sent', () => {
    expect(stampOf(undefined)).toEqual({});
  });
});
