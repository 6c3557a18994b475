import { judgeShapes, type judgeShapes as shapes } from '@mem-service/contract';
import { expect, it } from 'vitest';
import { fitsPath, newMatchers } from '../matchers.ts';
import { checkTrace } from './check.ts';
import { definitionProblems } from './definition-problem.ts';
import { isFor, judge } from './judge.ts';
import { judgedTraceOf, type StoredPart, type StoredTrace } from './judged-trace.ts';

const part = (kind: string, data: object, more: Partial<StoredPart> = {}): StoredPart => ({
  ...{ kind, visible_to: '', entity_path: null, key: null, entry_id: null },
  ...more,
  data: data as Record<string, unknown>,
});

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;

const stored = (parts: StoredPart[], more: Partial<StoredTrace> = {}): StoredTrace => ({
  trace_id: 't1',
  seq: 5,
  agent_id: 'agent/a',
  branch: 'main',
  visible_to: '',
  outcome_ref: 'run-1',
  outcome_type: 'failure',
  created_at: 0,
  header: {
    ...{ task_input: 'Pay the invoice', response_text: 'Done. Sorry for the delay', decision_summary: null },
    ...{ attributes: { tier: 'gold', amount: 30 }, session_metadata: {} },
    ...{ session_started_at: 1000, session_ended_at: 6000 },
  },
  parts,
  is_partial: false,
  ...more,
});

const trace = judgedTraceOf(
  stored([
    part(
      'read',
      { branch: 'main', version: 3, written_by: 'b', read_at: at(3) },
      { entity_path: 'billing/rules', key: 'limit', entry_id: 7 },
    ),
    part(
      'read',
      { branch: 'main', version: 1 },
      { entity_path: 'hidden', key: 'x', entry_id: 8, visible_to: 'agent/a' },
    ),
    part('action', {
      tool_name: 'pay',
      arguments: { amount: 30 },
      result_summary: 'paid',
      success: true,
      started_at: at(4),
    }),
    part('action', { tool_name: 'lookup', arguments: {}, result_summary: '', success: false, started_at: at(2) }),
    part('llm_call', {
      call_id: 'c1',
      model: 'm',
      input_tokens: 100,
      output_tokens: 20,
      cost_usd: 0.5,
      started_at: at(1),
    }),
    part('llm_call', {
      call_id: 'c2',
      model: 'm',
      input_tokens: 10,
      output_tokens: 2,
      cost_usd: null,
      started_at: at(5),
    }),
    part('span', { span_id: 's1', name: 'pay', kind: 'tool', started_at: at(4) }),
    part('span', { span_id: 's2', name: 'audit', kind: 'tool', status: 'running', started_at: at(3) }),
    part('span', { span_id: 's2', status: 'error', error: 'timed out' }),
    part('error', { operation: 'tool', error_type: 'Timeout', message: 'late' }),
  ]),
);

function resultOf<T>(steps: Generator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

const check = (given: unknown) => resultOf(checkTrace(judgeShapes.traceCheck.parse(given), trace, newMatchers()));
const holds = (given: unknown) => check(given).holds;

it('a judge sees steps in order, merged spans, and no private reads of a trace that others see', () => {
  expect(trace.steps.map(({ name }) => name)).toEqual(['m', 'lookup', 'audit', 'pay', 'm']);
  expect(trace.spans.map(({ span_id, status }) => `${span_id} ${status}`)).toEqual(['s1 ok', 's2 error']);
  expect(trace.reads.map(({ entity_path }) => entity_path)).toEqual(['billing/rules']);
  expect(trace).toMatchObject({ total_cost_usd: null, known_cost_usd: 0.5, total_tokens: 132, duration_ms: 5000 });
  const own = judgedTraceOf(
    stored([part('read', { version: 1 }, { entity_path: 'hidden', key: 'x', entry_id: 8, visible_to: 'agent/a' })], {
      visible_to: 'agent/a',
    }),
  );
  expect(own.reads).toHaveLength(1);
});

it('each check holds where it should', () => {
  const right: unknown[] = [
    { check: 'json_path', path: '$.attributes.tier', op: 'equals', value: 'gold' },
    { check: 'json_path', path: '$.tool_calls[*].arguments.amount', op: 'at_most', value: 30 },
    { check: 'json_path', path: '$.attributes.none', not: true },
    { check: 'json_path', path: '$.tool_calls[*].tool_name', op: 'matches', value: '^(pay|lookup)$', every: true },
    { check: 'json_path', path: '$.response_text', op: 'contains', value: 'Done' },
    { check: 'pattern', pattern: 'sorry' },
    { check: 'pattern', pattern: 'sorry', ignore_case: false, not: true },
    { check: 'pattern', in: 'errors', pattern: 'timed out' },
    { check: 'tool_required', tool: 'pay', succeeded: true, max: 1 },
    { check: 'tool_required', tool: 'au*' },
    { check: 'tool_forbidden', tool: 'delete_*' },
    { check: 'order', tools: ['lookup', 'audit', 'pay', 'refund'] },
    { check: 'order', steps: [{ tool: 'lookup' }, { entity_path: 'billing/**' }, { span: 'aud*' }, { tool: 'pay' }] },
    { check: 'most', of: 'steps', limit: 5 },
    { check: 'most', of: 'duration_ms', limit: 5000 },
    { check: 'outcome', in: ['success'], not: true },
    { check: 'memory_read', entity_path: 'billing/**', version: 3 },
    { check: 'memory_not_read', entity_path: 'billing/rules', key: 'other' },
    {
      check: 'any_of',
      of: [
        { check: 'tool_required', tool: 'none' },
        { check: 'tool_required', tool: 'pay' },
      ],
    },
    {
      check: 'all_of',
      of: [
        { check: 'tool_required', tool: 'pay' },
        { check: 'most', of: 'errors', limit: 2 },
      ],
    },
  ];
  for (const one of right) expect(holds(one), JSON.stringify(one)).toBe(true);
});

it('each check fails where it should, with what that rests on', () => {
  const wrong: unknown[] = [
    { check: 'json_path', path: '$.attributes.amount', op: 'less', value: 30 },
    { check: 'json_path', path: '$.tool_calls[*].success', op: 'equals', value: true, every: true },
    { check: 'tool_required', tool: 'pay', min: 2 },
    { check: 'tool_required', tool: 'lookup', succeeded: true },
    { check: 'tool_forbidden', tool: 'pay' },
    { check: 'order', tools: ['pay', 'lookup'] },
    { check: 'order', tools: ['approve', 'pay'] },
    { check: 'order', steps: [{ tool: 'pay' }, { entity_path: 'billing/rules', key: 'limit' }] },
    { check: 'order', steps: [{ entity_path: 'other/*' }, { span: 'audit' }] },
    { check: 'most', of: 'cost_usd', limit: 0.4 },
    { check: 'most', of: 'failed_tool_calls', limit: 0 },
    { check: 'memory_read', entity_path: 'other/*' },
    { check: 'memory_not_read', entity_path: 'billing/rules' },
    { check: 'any_of', of: [{ check: 'tool_required', tool: 'none' }] },
  ];
  for (const one of wrong) expect(holds(one), JSON.stringify(one)).toBe(false);
  expect(check({ check: 'tool_forbidden', tool: 'pay' }).span_ids).toEqual(['s1']);
  expect(check({ check: 'memory_not_read', entity_path: 'billing/*' }).entries).toEqual([{ entry_id: 7, version: 3 }]);
  expect(check({ check: 'order', steps: [{ tool: 'pay' }, { entity_path: 'billing/*' }] })).toMatchObject({
    reason: 'billing/* was read before pay',
    entries: [{ entry_id: 7, version: 3 }],
  });
  expect(check({ check: 'most', of: 'errors', limit: 0 })).toMatchObject({ holds: false, span_ids: ['s2'] });
});

it.each([
  [{ tools: ['never', 'neither'] }, 'none of never, neither was called'],
  [{ steps: [{ tool: 'never' }, { span: 'neither' }] }, 'none of never, neither came'],
  [{ tools: ['lookup', 'never'] }, 'only lookup was called'],
  [{ tools: ['lookup', 'pay', 'never'] }, 'lookup, pay were called in this order'],
])('the order of %j names only what came', (given, reason) => {
  expect(check({ check: 'order', ...given })).toMatchObject({ holds: true, reason });
});

it('what a trace does not say is not known, and never passes', () => {
  expect(holds({ check: 'most', of: 'cost_usd', limit: 1 })).toBeNull();
  expect(holds({ check: 'pattern', in: 'decision_summary', pattern: 'a' })).toBeNull();
  const timeless = { ...trace, reads: trace.reads.map((read) => ({ ...read, at: null })) };
  const mixed = { check: 'order', steps: [{ entity_path: 'billing/rules' }, { tool: 'pay' }] };
  expect(resultOf(checkTrace(judgeShapes.traceCheck.parse(mixed), timeless, newMatchers())).holds).toBeNull();
  const cut = { ...trace, is_partial: true };
  const inCut = (given: unknown) => resultOf(checkTrace(judgeShapes.traceCheck.parse(given), cut, newMatchers())).holds;
  expect(inCut({ check: 'tool_forbidden', tool: 'delete' })).toBeNull();
  expect(inCut({ check: 'tool_forbidden', tool: 'pay' })).toBe(false);
  expect(inCut({ check: 'tool_required', tool: 'none' })).toBeNull();
  expect(inCut({ check: 'most', of: 'steps', limit: 100 })).toBeNull();
  expect(inCut({ check: 'most', of: 'duration_ms', limit: 5000 })).toBe(true);
});

const define = (given: unknown): shapes.CheckedDefinition => judgeShapes.checkedDefinition.parse(given);
const judged = (given: unknown) => resultOf(judge(define(given), trace, newMatchers()));

it('a judge of code needs all of its checks', () => {
  const pass = { check: 'tool_required', tool: 'pay' };
  const fail = { check: 'tool_forbidden', tool: 'pay' };
  const unknown = { check: 'most', of: 'cost_usd', limit: 1 };
  expect(judged({ kind: 'code', checks: [pass] })).toMatchObject({ result: 'pass', score: 1 });
  expect(judged({ kind: 'code', checks: [pass, fail] })).toMatchObject({
    result: 'fail',
    score: 0.5,
    span_ids: ['s1'],
  });
  expect(judged({ kind: 'code', checks: [fail, unknown] }).result).toBe('fail');
  expect(judged({ kind: 'code', checks: [pass, unknown] })).toMatchObject({ result: 'skipped', score: null });
  expect(judged({ kind: 'code', when: fail, checks: [pass] }).result).toBe('skipped');
});

it('a rubric weighs its items, and one that is required decides', () => {
  const item = (name: string, tool: string, more: object = {}) => ({
    name,
    check: { check: 'tool_required', tool },
    ...more,
  });
  const items = [item('pays', 'pay', { weight: 3 }), item('refunds', 'refund')];
  expect(judged({ kind: 'rubric', items })).toMatchObject({ result: 'pass', score: 0.75 });
  expect(judged({ kind: 'rubric', items, pass_at: 0.8 })).toMatchObject({ result: 'fail' });
  expect(judged({ kind: 'rubric', items: [items[0], item('refunds', 'refund', { required: true })] }).result).toBe(
    'fail',
  );
  const cost = { name: 'cheap', weight: 9, check: { check: 'most', of: 'cost_usd', limit: 1 } };
  expect(judged({ kind: 'rubric', items: [...items, cost] })).toMatchObject({ result: 'pass', score: 0.75 });
  expect(judged({ kind: 'rubric', items: [cost] }).result).toBe('skipped');
});

it.each(['^(a+)+$', '^(?:a|a)*$'])(
  'an expression that takes too long is an error of the judge, in bounded time: %s',
  (pattern) => {
    const slow = judgedTraceOf(stored([], { header: { ...stored([]).header, response_text: `${'a'.repeat(60)}!` } }));
    const definition = define({ kind: 'code', checks: [{ check: 'pattern', pattern }] });
    const steps = judge(definition, slow, newMatchers());
    const times: number[] = [];
    for (let started = performance.now(), step = steps.next(); ; started = performance.now(), step = steps.next()) {
      times.push(performance.now() - started);
      if (!step.done) continue;
      expect(step.value).toMatchObject({ result: 'error', score: null, reason: `/${pattern}/ takes too long` });
      break;
    }
    // Each try has a turn of its own.
    expect(times.filter((ms) => ms > 20)).toHaveLength(3);
  },
);

it('an expression that takes long to prepare is refused, and an error of a judge that has it', () => {
  const pattern = `${'a?'.repeat(60)}${'a'.repeat(61)}`;
  const definition = define({ kind: 'code', checks: [{ check: 'pattern', pattern }] });
  const message = 'has too many parts in a row that may match in several ways';
  expect(definitionProblems(definition)).toEqual([{ path: 'definition.checks.0.pattern', message }]);
  const started = performance.now();
  expect(judged({ kind: 'code', checks: [{ check: 'pattern', pattern }] })).toMatchObject({
    result: 'error',
    reason: `/${pattern}/ ${message}`,
  });
  expect(performance.now() - started).toBeLessThan(1_000);
});

it('expressions that are each quick enough do not take long together', () => {
  const calls = Array.from({ length: 500 }, () => ({ tool_name: 'x', result_summary: `${'a'.repeat(21)}!` }));
  const parts = calls.map((data) => ({
    kind: 'action',
    visible_to: '',
    entity_path: null,
    key: null,
    entry_id: null,
    data,
  }));
  const checks = Array.from({ length: 50 }, () => ({ check: 'pattern', pattern: '^(a+)+$', in: 'tool_results' }));
  const started = performance.now();
  const found = resultOf(judge(define({ kind: 'code', checks }), judgedTraceOf(stored(parts)), newMatchers()));
  expect(found).toMatchObject({ result: 'error' });
  expect(performance.now() - started).toBeLessThan(5000);
});

it('a text of repeated letters is looked through in bounded time', () => {
  const half = 'a'.repeat(2000);
  const calls = Array.from({ length: 4 }, () =>
    part('action', { tool_name: 'x', result_summary: 'a'.repeat(200_000) }),
  );
  const contains = { check: 'json_path', path: '$.tool_calls[*].result_summary', op: 'contains' };
  const started = performance.now();
  for (const [value, result] of [
    [`${half}b${half}`, 'fail'],
    [half, 'pass'],
  ]) {
    const definition = define({ kind: 'code', checks: [{ ...contains, value }] });
    expect(resultOf(judge(definition, judgedTraceOf(stored(calls)), newMatchers()))).toMatchObject({ result });
  }
  expect(performance.now() - started).toBeLessThan(2_500);
});

it.each([
  { check: 'json_path', path: '$..nothing' },
  { check: 'json_path', path: '$.tool_calls[*].result_summary', op: 'contains', value: 'b' },
  { check: 'tool_required', tool: 'a*b*c*d*e*f*g*h' },
  { check: 'order', tools: ['a*b*c*d*e*f*g*h', 'x', 'y'] },
])('many checks of many values are given up together: $check $op', (check) => {
  const calls = Array.from({ length: 1000 }, () =>
    part('action', { tool_name: 'a', arguments: { q: [1, 2, 3] }, result_summary: 'a'.repeat(4000) }),
  );
  const checks = Array.from({ length: 50 }, () => ({ check: 'any_of', of: Array.from({ length: 50 }, () => check) }));
  const found = resultOf(judge(define({ kind: 'code', checks }), judgedTraceOf(stored(calls)), newMatchers()));
  expect(found).toMatchObject({ result: 'error', reason: 'the checks look at too many values of the trace' });
});

it('a judge is for an agent or a path', () => {
  expect(isFor({ agent_id: null, entity_path: null }, trace, fitsPath)).toBe(true);
  expect(isFor({ agent_id: 'agent/a', entity_path: 'billing/*' }, trace, fitsPath)).toBe(true);
  expect(isFor({ agent_id: 'agent/b', entity_path: null }, trace, fitsPath)).toBe(false);
  expect(isFor({ agent_id: null, entity_path: 'hidden' }, trace, fitsPath)).toBe(false);
});

it('a definition has a length', () => {
  const named = (chars: number) => ({ check: 'json_path', path: '$.a', op: 'equals', value: 'x'.repeat(chars) });
  const of = (chars: number) =>
    definitionProblems(define({ kind: 'code', checks: Array.from({ length: 50 }, () => named(chars)) }));
  expect(of(1000)).toEqual([]);
  expect(of(1300)).toMatchObject([{ path: 'definition', message: expect.stringContaining('more than 65536') }]);
});

it('a definition is checked beyond its shape', () => {
  const problems = definitionProblems(
    define({
      kind: 'code',
      checks: [
        { check: 'pattern', pattern: '(' },
        { check: 'json_path', path: 'a' },
        { check: 'any_of', of: [{ check: 'json_path', path: '$.a', op: 'less', value: 'x' }] },
        { check: 'tool_required', tool: 'a', min: 3, max: 2 },
        { check: 'order' },
        { check: 'order', tools: ['a', 'b'], steps: [{ tool: 'a' }, { span: 'b' }] },
      ],
    }),
  );
  expect(problems.map(({ path }) => path)).toEqual([
    'definition.checks.0.pattern',
    'definition.checks.1.path',
    'definition.checks.2.of.0.value',
    'definition.checks.3.max',
    'definition.checks.4.steps',
    'definition.checks.5.steps',
  ]);
});

it.each([
  [{ check: 'most', of: 'steps', limit: 0 }, '5 steps; none are allowed'],
  [{ check: 'most', of: 'errors', limit: 1 }, '2 errors; at most 1 is allowed'],
  [{ check: 'most', of: 'attempts', limit: 0 }, 'no failed attempts; none are allowed'],
  [{ check: 'most', of: 'tokens', limit: 5_000 }, '132 tokens; at most 5,000 are allowed'],
  [{ check: 'most', of: 'duration_ms', limit: 1_800_000 }, 'took 5 s; at most 30 min are allowed'],
  [{ check: 'most', of: 'duration_ms', limit: 4_999 }, 'took 5,000 ms; at most 4,999 ms are allowed'],
  [{ check: 'most', of: 'cost_usd', limit: 1 }, 'its cost is not known'],
  [{ check: 'most', of: 'cost_usd', limit: 0.4 }, 'cost at least 0.5 USD; at most 0.4 USD is allowed'],
  [{ check: 'tool_forbidden', tool: 'pay' }, 'pay was called once; no call is allowed'],
  [{ check: 'tool_required', tool: 'refund' }, 'refund was not called; at least 1 call is required'],
  [{ check: 'tool_required', tool: 'lookup', succeeded: true }, 'lookup did not succeed; at least 1 call is required'],
  [{ check: 'tool_required', tool: '*', max: 2 }, '3 tool calls; at most 2 calls are allowed'],
  [{ check: 'pattern', pattern: "I (?:can't|cannot)", not: true }, "the answer does not match /I (?:can't|cannot)/"],
  [{ check: 'pattern', in: 'errors', pattern: 'late' }, 'an error matches /late/'],
  [{ check: 'pattern', in: 'decision_summary', pattern: 'a' }, 'the trace has no summary of the decision'],
  [{ check: 'pattern', pattern: 'x'.repeat(300) }, `the answer does not match /${'x'.repeat(79)}…/`],
  [{ check: 'json_path', path: '$.response_text', op: 'matches', value: '\\S' }, 'the answer is not empty'],
  [
    { check: 'json_path', path: '$.attributes.tier', op: 'matches', value: '^\\d' },
    'the value at $.attributes.tier does not match /^\\d/',
  ],
  [
    { check: 'json_path', path: '$.attributes.tier', op: 'equals', value: 'a "b"' },
    'the value at $.attributes.tier is not "a "b""',
  ],
  [
    { check: 'json_path', path: '$.attributes.amount', op: 'at_most', value: 30 },
    'the value at $.attributes.amount is 30 or less',
  ],
  [{ check: 'json_path', path: '$.attributes.none' }, 'there is no value at $.attributes.none'],
  [
    { check: 'json_path', path: '$.tool_calls[*].tool_name', op: 'equals', value: 'pay' },
    'at least one of the 2 values at $.tool_calls[*].tool_name is "pay"',
  ],
])('says in a sentence what was found: %j', (given, sentence) => {
  expect(judged({ kind: 'code', checks: [given] }).reason).toBe(sentence);
});

it('says what is allowed in parentheses where there are several sentences', () => {
  const checks = [
    { check: 'most', of: 'errors', limit: 0 },
    { check: 'tool_forbidden', tool: 'pay' },
  ];
  const both = '2 errors (none are allowed); pay was called once (no call is allowed)';
  expect(judged({ kind: 'code', checks }).reason).toBe(both);
  const items = checks.map((check, n) => ({ name: `item ${n}`, check }));
  expect(judged({ kind: 'rubric', items }).reason).toBe(
    'missed "item 0": 2 errors (none are allowed); "item 1": pay was called once (no call is allowed)',
  );
});

it('says of part of a trace that the rest was not looked at', () => {
  const definition = define({ kind: 'code', checks: [{ check: 'tool_forbidden', tool: 'delete' }] });
  expect(resultOf(judge(definition, { ...trace, is_partial: true }, newMatchers())).reason).toBe(
    'not known, as only a part of the trace was looked at: delete was not called',
  );
});
