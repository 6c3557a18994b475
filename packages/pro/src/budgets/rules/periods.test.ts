import { expect, it } from 'vitest';
import { isSpent, passedBound, periodsAt } from './periods.ts';

it('begins days and months in UTC', () => {
  const [month, day] = periodsAt(Date.parse('2027-12-31T23:59:59.999Z'));
  expect([month.starts_at, month.ends_at]).toEqual([Date.parse('2027-12-01'), Date.parse('2028-01-01')]);
  expect([day.starts_at, day.ends_at]).toEqual([Date.parse('2027-12-31'), Date.parse('2028-01-01')]);
});

it('names the bound that is passed', () => {
  const bounds = { calls: 3, usd: 0.3 };
  expect(passedBound('day', bounds, { calls: 3, cost_usd: 0.1 + 0.2 })).toBeUndefined();
  expect(passedBound('day', bounds, { calls: 4, cost_usd: 0 })).toBe('3 calls in a day');
  expect(passedBound('month', bounds, { calls: 1, cost_usd: 0.31 })).toBe('0.3 dollars in a month');
  expect(passedBound('day', { calls: null, usd: null }, { calls: 1e9, cost_usd: 1e9 })).toBeUndefined();
  expect([isSpent(bounds, { calls: 3, cost_usd: 0 }), isSpent(bounds, { calls: 2, cost_usd: 0.3 })]).toEqual([
    true,
    true,
  ]);
  expect(isSpent(bounds, { calls: 2, cost_usd: 0.2 })).toBe(false);
});
