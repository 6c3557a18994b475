import { describe, expect, it } from 'vitest';
import { NameBudget } from './budget.ts';

const place = { account_id: 'a', day: '2026-01-01', kind: 'path' };
const tallies = (names: readonly string[], requests = 1) => new Map(names.map((name) => [name, { requests }]));
const many = Array.from({ length: 1500 }, (_, i) => `name ${i}`);

describe('names counted separately in a day', () => {
  it('are a thousand, and those asked most come first', () => {
    const isNamed = new NameBudget().accept(place, new Map([...tallies(many), ...tallies(['hot'], 9)]));
    expect(many.filter(isNamed)).toHaveLength(999);
    expect(isNamed('hot')).toBe(true);
  });

  it('are more where one is asked often enough later on', () => {
    const budget = new NameBudget();
    budget.accept(place, tallies(many));
    const isNamed = budget.accept(place, new Map([...tallies(['late'], 50), ...tallies(['rare'])]));
    expect([isNamed('late'), isNamed('rare')]).toEqual([true, false]);
  });

  it('start over each day', () => {
    const budget = new NameBudget();
    budget.accept(place, tallies(many));
    expect(budget.accept({ ...place, day: '2026-01-02' }, tallies(['rare']))('rare')).toBe(true);
  });
});
