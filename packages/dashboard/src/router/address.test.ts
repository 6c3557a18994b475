import { describe, expect, it } from 'vitest';
import { hrefOf, parseHash } from './address.ts';

describe('an address of the dashboard', () => {
  it.each([
    ['memory', 'checkout/api', { key: 'retry-policy' }],
    ['memory', 'a b/ü/%/?#&', { key: 'x&y=z', q: '+' }],
    ['traces', '', { outcome_ref: 'https://example.com/17' }],
    ['overview', '', {}],
  ])('keeps what it names: %s %s', (page, rest, search) => {
    expect(parseHash(hrefOf(page, rest, search))).toEqual({ page, rest, search });
  });

  it('leaves out parameters without a value', () => {
    expect(hrefOf('search', '', { q: '', agent: undefined, n: 0, deep: false })).toBe('#/search?n=0&deep=false');
  });

  it.each(['', '#', '#/'])('without a page is that of the first one: %j', (hash) => {
    expect(parseHash(hash)).toEqual({ page: '', rest: '', search: {} });
  });

  it('survives a stray percent sign', () => {
    expect(parseHash('#/memory/50%/x').rest).toBe('50%/x');
  });
});
