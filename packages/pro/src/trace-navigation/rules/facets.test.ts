import { expect, it } from 'vitest';
import type { TraceFacets } from '../document-builder.ts';
import { type CountedTrace, facetsOf } from './facets.ts';

const trace = (more: Partial<TraceFacets>): CountedTrace => ({
  agent_id: 'agent/a',
  facts: {
    ...{ outcome_type: null, models: [], tools: [], span_names: [], span_kinds: [], has_error: false, attributes: {} },
    ...more,
  } as unknown as TraceFacets,
});

it('the most frequent values are counted in steps, those that are as frequent by their text', () => {
  const traces = Array.from({ length: 50 }, (_, no) =>
    trace({
      tools: ['pay', ...Array.from({ length: 200 }, (_, k) => `t${no}-${k}`), ...(no % 2 ? ['look'] : [])],
      attributes: { tier: no % 3, [`own-${no}`]: true },
    }),
  );
  const counting = facetsOf(['tool_name', 'attributes'], traces);
  let steps = 0;
  let step = counting.next();
  for (; !step.done; step = counting.next()) steps++;
  const [tools, tier, ...others] = step.value;
  const names = Array.from({ length: 50 }, (_, no) => Array.from({ length: 200 }, (_, k) => `t${no}-${k}`)).flat();
  expect(tools).toEqual({
    name: 'tool_name',
    values: [
      ...[
        { value: 'pay', count: 50 },
        { value: 'look', count: 25 },
      ],
      ...names
        .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
        .slice(0, 18)
        .map((value) => ({ value, count: 1 })),
    ],
    other_values: 10_002 - 20,
  });
  expect(tier).toEqual({
    name: 'attributes.tier',
    values: [
      { value: 0, count: 17 },
      { value: 1, count: 17 },
      { value: 2, count: 16 },
    ],
    other_values: 0,
  });
  expect(others.map(({ name }) => name)).toHaveLength(19);
  // Ten traces or a thousand values are one.
  expect(steps).toBeGreaterThan(5 + 10);
});
