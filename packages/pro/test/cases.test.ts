import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, caller, openTestApp, type TestApp } from '../../../tests/support/app.ts';
import { sql } from '../../server/src/db/index.ts';

const ONCE = { kind: 'code' as const, checks: [{ check: 'tool_required' as const, tool: 'refund', max: 1 }] };

const traced = async (
  app: TestApp,
  refunds: number,
  { as = {}, ...more }: { as?: object; [field: string]: unknown } = {},
) => {
  const tool_calls = Array.from({ length: refunds }, () => ({ tool_name: 'refund', arguments: {} }));
  return (await app.call('traces.create', { tool_calls, task_input: 'pay it back', ...more }, as)).trace_id;
};

describe.each(backends)('regression cases on %s', (backend) => {
  const open = async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    return app;
  };

  it('are kept from a trace in one call, with what a judge looks for', async () => {
    const app = await open();
    const trace_id = await traced(app, 2);
    await app.call('judges.create', { judge_id: 'once', definition: ONCE });
    const kept = await app.call('cases.create', { case_id: 'refund-once', trace_id, judge_id: 'once' });
    expect(kept).toMatchObject({
      ...{ case_id: 'refund-once', set_id: 'regression', version: 1, task_input: 'pay it back', trace_id },
      expected: { kind: 'code', checks: [{ check: 'tool_required', tool: 'refund', max: 1 }] },
    });
    const plain = await app.call('cases.create', { case_id: 'plain', trace_id });
    expect(plain.expected).toMatchObject({ checks: [{ check: 'outcome', in: ['success', 'clean_deploy'] }] });
    expect((await app.call('cases.list', { set_id: 'regression' })).cases.map(({ case_id }) => case_id)).toEqual([
      ...['plain', 'refund-once'],
    ]);
    expect(await refusal(app.call('cases.create', { case_id: 'plain' }))).toMatchObject({ code: 'conflict' });
    const both = { case_id: 'both', judge_id: 'once', expected: ONCE };
    expect(await refusal(app.call('cases.create', both))).toMatchObject({ code: 'invalid_input' });
    const none = { case_id: 'none', trace_id: 'none' };
    expect(await refusal(app.call('cases.create', none))).toMatchObject({ code: 'not_found' });
  });

  it('count versions by what they expect, move between sets, and are deleted', async () => {
    const app = await open();
    await app.call('cases.create', { case_id: 'one', expected: ONCE });
    const renamed = await app.call('cases.update', { case_id: 'one', name: 'The first', set_id: 'nightly' });
    expect(renamed).toMatchObject({ version: 1, name: 'The first', set_id: 'nightly' });
    const other = { ...ONCE, checks: [{ check: 'tool_forbidden' as const, tool: 'refund' }] };
    expect(await app.call('cases.update', { case_id: 'one', expected: other })).toMatchObject({ version: 2 });
    expect((await app.call('cases.list', { set_id: 'regression' })).cases).toEqual([]);
    expect(await app.call('cases.delete', { case_id: 'one' })).toEqual({ case_id: 'one', deleted: true });
    expect(await refusal(app.call('cases.read', { case_id: 'one' }))).toMatchObject({ code: 'not_found' });
    expect(await refusal(app.call('case_runs.create', { set_id: 'nightly' }))).toMatchObject({ code: 'not_found' });
  });

  it('run on posted traces and results, and are compared with the run before', async () => {
    const app = await open();
    for (const case_id of ['a', 'b', 'c', 'd']) await app.call('cases.create', { case_id, expected: ONCE });
    const [good, bad] = [await traced(app, 1), await traced(app, 2)];
    const first = await app.call('case_runs.create', {
      label: 'build-1',
      results: [
        { case_id: 'a', trace_id: good },
        { case_id: 'b', trace_id: bad },
        { case_id: 'c', result: 'pass', reason: 'checked by hand' },
      ],
    });
    expect(first).toMatchObject({
      ...{
        status: 'failed',
        cases: 4,
        passed: 2,
        failed: 1,
        missing: 1,
        fixed: 0,
        broken: 0,
        previous_case_run_id: null,
      },
    });
    expect(first.results.map(({ case_id, result, change }) => [case_id, result, change])).toEqual([
      ['a', 'pass', 'new'],
      ['b', 'fail', 'new'],
      ['c', 'pass', 'new'],
      ['d', 'missing', 'new'],
    ]);
    expect(first.results[1]).toMatchObject({ trace_id: bad, reason: expect.stringContaining('refund') });
    const results = [
      { case_id: 'a', trace_id: bad },
      { case_id: 'b', trace_id: good },
      { case_id: 'c', result: 'pass' as const },
      { case_id: 'd', trace_id: good },
    ];
    const second = await app.call('case_runs.create', { results });
    expect(second).toMatchObject({ status: 'failed', fixed: 2, broken: 1, previous_case_run_id: first.case_run_id });
    expect(second.results.map(({ change }) => change)).toEqual(['broken', 'fixed', 'same', 'fixed']);
    expect(await app.call('case_runs.read', { case_run_id: second.case_run_id })).toEqual(second);
    const all = await app.call('case_runs.create', {
      results: [...results.slice(1), { case_id: 'a', trace_id: good }],
    });
    expect(all).toMatchObject({ status: 'passed', passed: 4 });
    const { runs } = await app.call('case_runs.list', {});
    expect(runs.map(({ case_run_id }) => case_run_id)).toEqual([
      all.case_run_id,
      second.case_run_id,
      first.case_run_id,
    ]);
  });

  it('take the newest trace that names them, also one that was sealed just now', async () => {
    const app = await open();
    for (const case_id of ['a', 'b']) await app.call('cases.create', { case_id, expected: ONCE });
    await traced(app, 2, { attributes: { case_id: 'a' } });
    await caughtUp(app);
    const indexed = await app.call('case_runs.create', {});
    expect(indexed.results.map(({ result }) => result)).toEqual(['fail', 'missing']);
    const newest = await traced(app, 1, { attributes: { case_id: 'a' } });
    await traced(app, 1, { attributes: { case_id: 'b' } });
    const run = await app.call('case_runs.create', {});
    expect(run).toMatchObject({ status: 'passed', fixed: 2 });
    expect(run.results[0]).toMatchObject({ trace_id: newest, before: 'fail' });
    app.clock.advance(60_000);
    const since = new Date(app.clock.now()).toISOString();
    expect(await app.call('case_runs.create', { since })).toMatchObject({ status: 'failed', missing: 2, broken: 2 });
  });

  it('run on a branch take traces of that branch only, and are compared with main at first', async () => {
    const app = await open();
    await app.call('cases.create', { case_id: 'a', expected: ONCE });
    await app.call('branches.create', { name: 'repair/one' });
    const on = { branch: 'repair/one' };
    const attributes = { case_id: 'a' };
    const bad = await traced(app, 2, { attributes });
    const red = await app.call('case_runs.create', {});
    expect(red).toMatchObject({ branch: 'main', status: 'failed', failed: 1 });
    const before = await app.call('case_runs.create', on);
    expect(before.results).toMatchObject([{ result: 'missing', before: 'fail' }]);
    const good = await traced(app, 1, { attributes, ...on });
    const green = await app.call('case_runs.create', on);
    expect(green).toMatchObject({ ...on, status: 'passed', previous_case_run_id: before.case_run_id });
    expect(green.results).toMatchObject([{ trace_id: good }]);
    const again = await app.call('case_runs.create', {});
    expect(again).toMatchObject({ status: 'failed', previous_case_run_id: red.case_run_id, broken: 0 });
    const posted = { ...on, results: [{ case_id: 'a', trace_id: bad }] };
    expect(await refusal(app.call('case_runs.create', posted))).toMatchObject({ code: 'invalid_input' });
    expect(await refusal(app.call('case_runs.create', { branch: 'repair/none' }))).toMatchObject({
      code: 'branch_not_found',
    });
  });

  it('find the trace of a branch, however many newer ones others have', async () => {
    const app = await open();
    await app.call('cases.create', { case_id: 'a', expected: ONCE });
    await app.call('branches.create', { name: 'repair/one' });
    const attributes = { case_id: 'a' };
    const on = { branch: 'repair/one' };
    const tried = await traced(app, 1, { attributes, ...on });
    for (let i = 0; i < 101; i++) await traced(app, 2, { attributes });
    await caughtUp(app);
    expect((await app.call('case_runs.create', on)).results).toMatchObject([{ result: 'pass', trace_id: tried }]);
    await app.call('branches.create', { name: 'repair/two' });
    const last = await traced(app, 1, { attributes });
    for (let i = 0; i < 101; i++) await traced(app, 2, { attributes, branch: 'repair/two' });
    await caughtUp(app);
    expect((await app.call('case_runs.create', {})).results).toMatchObject([{ result: 'pass', trace_id: last }]);
  });

  it('are in sets, each listed with its newest run', async () => {
    const app = await open();
    expect(await app.call('case_sets.list', {})).toMatchObject({ sets: [], has_more: false });
    for (const [case_id, set_id] of [
      ['a', 'regression'],
      ['b', 'regression'],
      ['c', 'smoke'],
    ] as const)
      await app.call('cases.create', { case_id, set_id, expected: ONCE });
    const run = (result: 'pass' | 'fail') =>
      app.call('case_runs.create', { results: ['a', 'b'].map((case_id) => ({ case_id, result })) });
    await run('fail');
    const { results: _, ...last_run } = await run('pass');
    const { sets } = await app.call('case_sets.list', {});
    expect(sets).toMatchObject([
      { set_id: 'regression', cases: 2, last_run },
      { set_id: 'smoke', cases: 1, last_run: null },
    ]);
    const first = await app.call('case_sets.list', { limit: 1 });
    const second = await app.call('case_sets.list', { limit: 1, cursor: first.next_cursor as string });
    expect([...first.sets, ...second.sets]).toEqual(sets);
  });

  it('keep the newest 100 runs of a set, with their results', async () => {
    const app = await open();
    await app.call('cases.create', { case_id: 'a', expected: ONCE });
    const results = [{ case_id: 'a', result: 'pass' as const }];
    const { case_run_id } = await app.call('case_runs.create', { results });
    for (let n = 0; n < 100; n++) await app.call('case_runs.create', { results });
    expect((await app.call('case_runs.list', { limit: 1000 })).runs).toHaveLength(100);
    expect(await refusal(app.call('case_runs.read', { case_run_id }))).toMatchObject({ code: 'not_found' });
    const { account_id } = caller();
    const { read } = app.kernel.services.database.forAccount(account_id);
    const kept = await read.get<{ n: number }>(
      sql`SELECT CAST(count(*) AS BIGINT) AS n FROM case_results WHERE account_id = ${account_id}`,
    );
    expect(kept?.n).toBe(100);
  });

  it('lose the words of who posted them when that agent is erased', async () => {
    const app = await open();
    await app.call('cases.create', { case_id: 'lawn', task_input: 'water the lawn' });
    const posted = (reason: string, agent_id: string) =>
      app.call(
        'case_runs.create',
        { label: reason, results: [{ case_id: 'lawn', result: 'fail', reason }] },
        { agent_id },
      );
    const { case_run_id } = await posted('too dry', 'agent/leaving');
    const kept = await posted('too wet', 'agent/staying');
    await app.call('agents.erase', { agent_id: 'agent/leaving' });
    expect(await app.call('case_runs.read', { case_run_id })).toMatchObject({ label: '', results: [{ reason: '' }] });
    expect(await app.call('case_runs.read', { case_run_id: kept.case_run_id })).toMatchObject({
      ...{ label: 'too wet', agent_id: 'agent/staying', results: [{ reason: 'too wet' }] },
    });
  });

  it('refuse results that fit no case, two for one, and neither a trace nor a result', async () => {
    const app = await open();
    await app.call('cases.create', { case_id: 'a', expected: ONCE });
    const refused = async (results: object[]) =>
      (await refusal(app.call('case_runs.create', { results } as never))).code;
    expect(await refused([{ case_id: 'other', result: 'pass' }])).toBe('not_found');
    expect(
      await refused([
        { case_id: 'a', result: 'pass' },
        { case_id: 'a', result: 'fail' },
      ]),
    ).toBe('invalid_input');
    expect(await refused([{ case_id: 'a' }])).toBe('invalid_input');
    expect(await refused([{ case_id: 'a', result: 'pass', trace_id: 'x' }])).toBe('invalid_input');
    expect(await refused([{ case_id: 'a', trace_id: 'x' }])).toBe('not_found');
    expect((await app.call('case_runs.list', {})).runs).toEqual([]);
  });

  it('are made from no private trace, and hide what the reader of a run may not see', async () => {
    const app = await open();
    const owner = { agent_id: 'agent/owner' };
    const other = { agent_id: 'agent/other' };
    const at = { entity_path: 'own', key: 'x' };
    await app.call('entries.write', { ...at, value: 1, shared: false }, owner);
    const trace_id = await traced(app, 1, { causal_entries: [{ ...at, version: 1 }], as: owner });
    expect(await refusal(app.call('cases.create', { case_id: 'b', trace_id }, owner))).toMatchObject({
      code: 'invalid_input',
    });
    expect(await refusal(app.call('cases.create', { case_id: 'b', trace_id }, other))).toMatchObject({
      code: 'not_found',
    });
    await app.call('cases.create', { case_id: 'a', expected: ONCE });
    const { case_run_id, results } = await app.call(
      'case_runs.create',
      { results: [{ case_id: 'a', trace_id }] },
      owner,
    );
    expect(results).toMatchObject([{ result: 'pass', trace_id, reason: expect.any(String) }]);
    const seen = await app.call('case_runs.read', { case_run_id }, other);
    expect(seen.results).toMatchObject([{ result: 'pass', trace_id: null, reason: null }]);
  });
});
