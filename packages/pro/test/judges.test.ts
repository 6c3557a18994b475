import type { Request } from '@mem-service/contract';
import { sql } from '@mem-service/server/module';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, caller, openTestApp, type TestApp } from '../../../tests/support/app.ts';

type JudgeInput = Request<'judges.create'>['definition'];

const NO_DELETE: JudgeInput = { kind: 'code', checks: [{ check: 'tool_forbidden', tool: 'delete_*' }] };

describe.each(backends)('judges on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const define = (judge_id = 'no-delete') => app.call('judges.create', { judge_id, definition: NO_DELETE });

  it('are defined, listed by id, and read', async () => {
    expect(await define()).toMatchObject({
      ...{ judge_id: 'no-delete', version: 1, name: 'no-delete', status: 'active', sampling_rate: 1 },
      ...{ for_agent: null, for_path: null, definition: NO_DELETE, agent_id: 'agent/test' },
    });
    await app.call('judges.create', {
      ...{ judge_id: 'cheap', name: 'Cheap', for_agent: 'agent/b', for_path: 'billing/**', sampling_rate: 0.5 },
      definition: { kind: 'rubric', items: [{ name: 'cheap', check: { check: 'most', of: 'cost_usd', limit: 1 } }] },
    });
    const { judges, has_more } = await app.call('judges.list', {});
    expect(judges.map(({ judge_id }) => judge_id)).toEqual(['cheap', 'no-delete']);
    expect(has_more).toBe(false);
    const first = await app.call('judges.list', { limit: 1 });
    const second = await app.call('judges.list', { limit: 1, cursor: first.next_cursor as string });
    expect([...first.judges, ...second.judges]).toEqual(judges);
    const ofA = await app.call('judges.list', { for_agent: 'agent/a' });
    expect(ofA.judges.map(({ judge_id }) => judge_id)).toEqual(['no-delete']);
    expect(await app.call('judges.read', { judge_id: 'cheap' })).toEqual(judges[0]);
    expect(await refusal(define())).toMatchObject({ code: 'conflict', judge_id: 'no-delete' });
    expect(await refusal(app.call('judges.read', { judge_id: 'none' }))).toMatchObject({ code: 'not_found' });
  });

  it('have versions with a history, and changes that need none', async () => {
    await define();
    const same = await app.call('judges.update', { judge_id: 'no-delete', definition: NO_DELETE });
    expect(same.version).toBe(1);
    const renamed = await app.call('judges.update', {
      judge_id: 'no-delete',
      name: 'Deletes nothing',
      sampling_rate: 0.1,
    });
    expect(renamed).toMatchObject({ version: 1, name: 'Deletes nothing', sampling_rate: 0.1 });
    const stricter: JudgeInput = { kind: 'code', checks: [{ check: 'tool_forbidden', tool: '*' }] };
    const newer = await app.call('judges.update', { judge_id: 'no-delete', definition: stricter, if_version: 1 });
    expect(newer).toMatchObject({ version: 2, name: 'Deletes nothing', definition: stricter });
    expect(
      await refusal(app.call('judges.update', { judge_id: 'no-delete', for_agent: 'agent/a', if_version: 1 })),
    ).toMatchObject({ code: 'version_conflict', current_version: 2 });
    await app.call('judges.update', { judge_id: 'no-delete', for_agent: 'agent/a' });
    const { versions } = await app.call('judges.history', { judge_id: 'no-delete' });
    expect(versions.map(({ version, for_agent }) => [version, for_agent])).toEqual([
      [3, 'agent/a'],
      [2, null],
      [1, null],
    ]);
    expect(await app.call('judges.read', { judge_id: 'no-delete', version: 1 })).toMatchObject({
      ...{ version: 1, definition: NO_DELETE, for_agent: null },
    });
    expect(await app.call('judges.diff', { judge_id: 'no-delete', from: 1, to: 2 })).toEqual({
      ...{ judge_id: 'no-delete', from: 1, to: 2 },
      changes: [{ path: 'definition.checks.0.tool', before: 'delete_*', after: '*' }],
    });
    expect(await app.call('judges.diff', { judge_id: 'no-delete' })).toMatchObject({
      changes: [{ path: 'for_agent', before: null, after: 'agent/a' }],
    });
    expect(await refusal(app.call('judges.diff', { judge_id: 'no-delete', to: 9 }))).toMatchObject({
      code: 'not_found',
    });
  });

  it('have a thousand versions at most', async () => {
    await define();
    const judge_id = 'no-delete';
    const { account_id } = caller();
    await app.kernel.services.database.transaction(async (tx) => {
      await tx.run(sql`UPDATE judges SET version = 999 WHERE account_id = ${account_id} AND judge_id = ${judge_id}`);
      await tx.run(
        sql`UPDATE judge_versions SET version = 999 WHERE account_id = ${account_id} AND judge_id = ${judge_id}`,
      );
    });
    expect(await app.call('judges.update', { judge_id, for_agent: 'agent/a' })).toMatchObject({ version: 1000 });
    const more = app.call('judges.update', { judge_id, for_agent: 'agent/b' });
    expect(await refusal(more)).toMatchObject({
      code: 'conflict',
      status: 409,
      detail: expect.stringContaining('1000 versions'),
    });
    expect(await app.call('judges.update', { judge_id, name: 'Last' })).toMatchObject({ version: 1000, name: 'Last' });
  });

  it('are archived, and come back', async () => {
    await define();
    expect(await app.call('judges.delete', { judge_id: 'no-delete' })).toMatchObject({
      status: 'archived',
      version: 1,
    });
    expect((await app.call('judges.list', {})).judges).toEqual([]);
    expect((await app.call('judges.list', { status: 'archived' })).judges).toHaveLength(1);
    expect(await app.call('judges.update', { judge_id: 'no-delete', status: 'active' })).toMatchObject({
      status: 'active',
    });
  });

  it('are refused where the definition cannot work, with the place of each problem', async () => {
    const wrong: JudgeInput = {
      kind: 'code',
      checks: [
        { check: 'pattern', pattern: '(' },
        { check: 'json_path', path: 'a' },
      ],
    };
    const refused = await refusal(app.call('judges.create', { judge_id: 'wrong', definition: wrong }));
    expect(refused).toMatchObject({
      code: 'invalid_input',
      errors: [{ path: 'definition.checks.0.pattern' }, { path: 'definition.checks.1.path' }],
    });
  });

  it('can be tried on traces before they are defined', async () => {
    const traced = async (tool_name: string) => {
      const { trace_id } = await app.call('traces.create', {
        tool_calls: [{ tool_name, arguments: {} }],
        outcome_type: 'success',
        outcome_ref: tool_name,
      });
      return trace_id;
    };
    const trace_ids = [await traced('delete_all'), await traced('search')];
    const { results } = await app.call('judges.dry_run', { definition: NO_DELETE, trace_ids });
    expect(results.map(({ trace_id, result, score }) => [trace_id, result, score])).toEqual([
      [trace_ids[0], 'fail', 0],
      [trace_ids[1], 'pass', 1],
    ]);
    expect((await app.call('verdicts.list', {})).verdicts).toEqual([]);
    await define();
    expect((await app.call('judges.dry_run', { judge_id: 'no-delete', trace_ids })).results).toEqual(results);
    expect(await refusal(app.call('judges.dry_run', { trace_ids }))).toMatchObject({ code: 'invalid_input' });
    expect(await refusal(app.call('judges.dry_run', { judge_id: 'no-delete', trace_ids: ['none'] }))).toMatchObject({
      code: 'not_found',
    });
  });

  it('are tried a few at a time in an account', async () => {
    const { trace_id } = await app.call('outcomes.commit', { outcome_ref: 'run', outcome_type: 'success' });
    const tries = Array.from({ length: 8 }, () =>
      app.call('judges.dry_run', { definition: NO_DELETE, trace_ids: [trace_id as string] }),
    );
    const answers = await Promise.allSettled(tries);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    const refused = answers.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({ code: 'rate_limited' });
    // Those that have ended make room.
    const again = app.call('judges.dry_run', { definition: NO_DELETE, trace_ids: [trace_id as string] });
    expect((await again).results).toHaveLength(1);
  });
});
