import { expect, it } from 'vitest';
import { previewRow, shortAnswer } from './previews.ts';

it('a row of a list keeps what a verdict rests on and what a behavior is; other lists are counted', () => {
  const memory = [{ entity_path: 'a', key: 'k', version: 1 }];
  const matcher = [{ check: 'tool_forbidden', tool: 'verify' }];
  expect(previewRow({ memory, matcher, tool_calls: [{ tool_name: 'a' }, { tool_name: 'b' }] })).toEqual({
    ...{ memory, matcher, tool_calls: 2 },
  });
});

it('shares have as many digits as people read; what callers gave is as it was', () => {
  const failure = { rate: 0.3076923076923077, low: 0.16501234567890122, high: 0.4999, count: 8, of: 26 };
  const given = { rate: 0.3076923076923077 };
  expect(shortAnswer({ failure, lift: { ratio: 18.123456 }, p: 0.000012345678, score: 2 / 3, value: given })).toEqual({
    failure: { rate: 0.308, low: 0.165, high: 0.5, count: 8, of: 26 },
    ...{ lift: { ratio: 18.12 }, p: 0.0000123, score: 0.667, value: given },
  });
});
