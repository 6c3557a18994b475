import { judgeShapes } from '@mem-service/contract';
import { expect, it } from 'vitest';
import { newMatchers } from '../matchers.ts';
import type { JudgeFinding } from './finding.ts';
import { judge } from './judge.ts';
import { type JudgedTrace, judgedTraceOf } from './judged-trace.ts';

const withSpans = (spans: readonly object[]): JudgedTrace =>
  judgedTraceOf({
    ...{ trace_id: 't1', seq: 5, agent_id: 'agent/a', branch: 'main', visible_to: '' },
    ...{ outcome_ref: null, outcome_type: null, created_at: 0, is_partial: false },
    header: {
      ...{ task_input: null, response_text: null, decision_summary: null },
      ...{ attributes: {}, session_metadata: {}, session_started_at: null, session_ended_at: 6000 },
    },
    parts: spans.map((data) => ({
      ...{ kind: 'span', visible_to: '', entity_path: null, key: null, entry_id: null },
      data: { ...data },
    })),
  });

/** What checks find, and in how many steps. */
function judged(checks: readonly object[], trace: JudgedTrace): JudgeFinding & { steps: number } {
  const judging = judge(judgeShapes.checkedDefinition.parse({ kind: 'code', checks }), trace, newMatchers());
  let steps = 0;
  let step = judging.next();
  for (; !step.done; step = judging.next()) steps++;
  return { ...step.value, steps };
}

it('spans are sorted once for a trace, however many steps of however many checks look for them', () => {
  let looks = 0;
  const spans = Array.from({ length: 1000 }, (_, no) => ({
    ...{ span_id: `s${no}`, name: 'alpha', kind: 'agent', status: 'ok', error: null },
    get at() {
      looks++;
      return (no * 7919) % 1009;
    },
  }));
  const order = { check: 'order', steps: Array.from({ length: 20 }, () => ({ span: 'alpha' })) };
  const looksFor = (checks: number): number => {
    looks = 0;
    const trace = { ...withSpans([]), spans };
    expect(
      judged(
        Array.from({ length: checks }, () => order),
        trace,
      ),
    ).toMatchObject({ result: 'pass' });
    return looks;
  };
  // What is found is looked at once more.
  expect(looksFor(40) - looksFor(1)).toBe(39 * 20);
});

it('each span that an order names is looked for in a step of its own', () => {
  const order = { check: 'order', steps: Array.from({ length: 20 }, (_, no) => ({ span: `none-${no}` })) };
  expect(judged([order], withSpans([])).steps).toBe(21);
});

it('a finding that rests on very many spans names the first that differ', () => {
  const calls = Array.from({ length: 500 }, (_, no) => ({ span_id: `s${(2 * no) % 700}`, name: 'x', kind: 'tool' }));
  const forbidden = { check: 'tool_forbidden', tool: 'x' };
  const check = { check: 'any_of', of: [forbidden, forbidden] };
  const first = Array.from({ length: 20 }, (_, no) => `s${2 * no}`);
  expect(judged([check, forbidden], withSpans(calls))).toMatchObject({ result: 'fail', span_ids: first });
});
