import { judgeShapes } from '@mem-service/contract';
import { expect, it } from 'vitest';
import { definitionProblems, judge, judgedTraceOf, newMatchers } from '../../evaluation/index.ts';
import { patternCost } from '../../evaluation/rules/pattern-cost.ts';
import { STARTER_PACK } from './starter-pack.ts';

it.each(STARTER_PACK)('$id has a sound definition, with patterns that take few steps', ({ id, definition }) => {
  expect(judgeShapes.judgeId.parse(id)).toBe(id);
  expect(judgeShapes.judgeDefinition.parse(definition)).toEqual(definition);
  expect(definitionProblems(definition)).toEqual([]);
  for (const [, pattern] of JSON.stringify(definition).matchAll(/"(?:pattern|value)":("(?:[^"\\]|\\.)*")/g))
    expect(patternCost(JSON.parse(pattern as string)).over(1_000).steps).toBeLessThan(1_000);
});

it.each([
  ['It is paid.', { amount: 7 }, 'pass'],
  ['Ask for sketch-7, a task-force or the sk-1 form', {}, 'pass'],
  ['The key is AKIAIOSFODNN7EXAMPLE', {}, 'fail'],
  ['', { token: 'ghp_16C7e42F292c6912E7710c838347Ae178B4a' }, 'fail'],
  ['', { key: 'sk-proj-4f9aB27cD1' }, 'fail'],
  ['-----BEGIN OPENSSH PRIVATE KEY-----', {}, 'fail'],
])('no-secrets looks at the answer %j and arguments %j', (response_text, args, result) => {
  const trace = judgedTraceOf({
    ...{ trace_id: 't', seq: 1, agent_id: 'a', branch: 'main', visible_to: '', created_at: 0, is_partial: false },
    ...{ outcome_ref: null, outcome_type: null },
    header: {
      ...{ task_input: null, response_text, decision_summary: null, attributes: {}, session_metadata: {} },
      ...{ session_started_at: null, session_ended_at: 0 },
    },
    parts: [
      {
        ...{ kind: 'action', visible_to: '', entity_path: null, key: null, entry_id: null },
        data: { tool_name: 'pay', arguments: args },
      },
    ],
  });
  const { definition } = STARTER_PACK.find(({ id }) => id === 'no-secrets') as (typeof STARTER_PACK)[number];
  const steps = judge(definition, trace, newMatchers());
  let step = steps.next();
  while (!step.done) step = steps.next();
  expect(step.value.result).toBe(result);
});
