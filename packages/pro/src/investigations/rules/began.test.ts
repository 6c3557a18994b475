import { expect, it } from 'vitest';
import { onsetOf } from './began.ts';

const runs = (text: string) => [...text].map((one) => one === 'x');

it('finds where failures began', () => {
  expect(onsetOf(runs('........xxxx'))).toEqual({ at: 8, before: { failed: 0, of: 8 }, since: { failed: 4, of: 4 } });
  expect(onsetOf(runs('..x.......xx.xxx'))?.at).toBe(10);
});

it('takes the first run where they always failed, and nothing where none did', () => {
  expect(onsetOf(runs('xxxx'))).toEqual({ at: 0, before: { failed: 0, of: 0 }, since: { failed: 4, of: 4 } });
  expect(onsetOf(runs('....'))).toBeUndefined();
  expect(onsetOf([])).toBeUndefined();
});
