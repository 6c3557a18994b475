import { expect, it } from 'vitest';
import { likenessOf } from './likeness.ts';

const refund = {
  task_input: 'Do the refund of order 1042',
  tools: ['plan', 'pay'],
  attributes: { region: 'eu', outcome_type: 'failure' },
};

it('finds a run of the same task, tools and attributes the most alike, whatever its numbers and its outcome', () => {
  const same = {
    ...refund,
    task_input: 'Do the refund of order 7',
    attributes: { region: 'eu', outcome_type: 'success' },
  };
  expect(likenessOf(refund, same)).toBe(4);
  const elsewhere = { ...same, attributes: { region: 'us' } };
  const without = { ...same, tools: ['pay'] };
  const other = { ...same, task_input: 'Book the delivery of order 7' };
  for (const one of [elsewhere, without, other]) expect(likenessOf(refund, one)).toBeLessThan(4);
  expect(likenessOf(refund, other)).toBeLessThan(likenessOf(refund, { ...without, attributes: elsewhere.attributes }));
});

it('takes nothing for the same as nothing', () => {
  const nothing = { task_input: null, tools: [], attributes: {} };
  expect(likenessOf(nothing, nothing)).toBe(4);
  expect(likenessOf(nothing, refund)).toBe(0);
});
