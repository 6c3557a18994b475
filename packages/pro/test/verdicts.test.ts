import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, caller, openTestApp, type TestApp } from '../../../tests/support/app.ts';
import { get, openHosted, post } from '../../../tests/support/hosted.ts';

const at = { entity_path: 'billing/rules', key: 'limit' };

describe.each(backends)('verdicts on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
    await app.call('judges.create', {
      ...{ judge_id: 'reads-no-rules', status: 'draft' },
      definition: { kind: 'code', checks: [{ check: 'memory_not_read', entity_path: 'billing/**' }] },
    });
    await app.call('judges.create', {
      ...{ judge_id: 'no-delete', status: 'draft' },
      definition: { kind: 'code', checks: [{ check: 'tool_forbidden', tool: 'delete' }] },
    });
  });

  afterEach(() => app.close());

  const traced = async (tool_name: string, more: object = {}) =>
    (await app.call('traces.create', { tool_calls: [{ tool_name, arguments: {} }], ...more })).trace_id;
  const judge = (trace_id: string, judge_id = 'no-delete') => app.call('verdicts.judge', { trace_id, judge_id });

  it('are given once for a version of a judge', async () => {
    const trace_id = await traced('delete');
    const verdict = await judge(trace_id);
    expect(verdict).toMatchObject({
      ...{ verdict_id: `${trace_id}.no-delete.1`, trace_id, judge_id: 'no-delete', judge_version: 1 },
      ...{ result: 'fail', judge_result: 'fail', score: 0, human: null, partial: false, cost_usd: null },
      ...{ agent_id: 'agent/test', reason: 'delete was called once; no call is allowed' },
    });
    app.clock.advance(60_000);
    expect(await judge(trace_id)).toEqual(verdict);
    expect(await app.call('verdicts.read', { verdict_id: verdict.verdict_id })).toEqual(verdict);
    await app.call('judges.update', { judge_id: 'no-delete', for_agent: 'agent/test' });
    expect(await judge(trace_id)).toMatchObject({ judge_version: 2 });
    const { verdicts } = await app.call('verdicts.list', { trace_id });
    expect(verdicts.map(({ judge_version }) => judge_version)).toEqual([2, 1]);
    for (const verdict_id of ['x', 'none.no-delete.1', `${trace_id}.none.1`, `${trace_id}.no-delete.7`])
      expect(await refusal(app.call('verdicts.read', { verdict_id })), verdict_id).toMatchObject({ code: 'not_found' });
  });

  it('name the memory that they rest on, and no longer once it is erased', async () => {
    await app.call('entries.write', { ...at, value: 10 });
    const trace_id = await traced('pay', { causal_entries: [{ ...at, version: 1 }] });
    const { verdict_id, memory } = await judge(trace_id, 'reads-no-rules');
    expect(memory).toEqual([{ ...at, branch: 'main', version: 1 }]);
    await app.call('entries.erase', { entity_path: at.entity_path, key: at.key });
    expect(await app.call('verdicts.read', { verdict_id })).toMatchObject({ result: 'fail', memory: [] });
  });

  it('are listed of the newest traces first, by judge, agent, result and time, in pages', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) {
      const trace_id = await traced(n % 2 === 0 ? 'delete' : 'pay', { agent_id: `agent/${n % 3}` });
      await judge(trace_id);
      if (n < 2) await judge(trace_id, 'reads-no-rules');
      ids.push(trace_id);
      app.clock.advance(60_000);
    }
    const list = async (input: object) => (await app.call('verdicts.list', input)).verdicts.map((one) => one.trace_id);
    const newest = ids.toReversed();
    expect(await list({ judge_id: 'no-delete' })).toEqual(newest);
    expect(await list({ result: 'fail', judge_id: 'no-delete' })).toEqual([ids[4], ids[2], ids[0]]);
    expect(await list({ agent_id: 'agent/1', judge_id: 'no-delete' })).toEqual([ids[4], ids[1]]);
    const middle = new Date(app.clock.now() - 3 * 60_000).toISOString();
    expect(await list({ judge_id: 'no-delete', since: middle })).toEqual(newest.slice(0, 3));
    expect(await list({ judge_id: 'no-delete', until: middle })).toEqual(newest.slice(3));
    const all: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await app.call('verdicts.list', { limit: 3, ...(cursor ? { cursor } : {}) });
      all.push(...page.verdicts.map(({ verdict_id }) => verdict_id));
      if (!page.next_cursor) break;
      cursor = page.next_cursor;
    }
    expect(new Set(all).size).toBe(8);
    expect(all).toEqual((await app.call('verdicts.list', {})).verdicts.map(({ verdict_id }) => verdict_id));
  });

  it('are overruled by a person, in all versions and those to come, until that is taken back', async () => {
    const trace_id = await traced('delete');
    await judge(trace_id);
    const given = { trace_id, judge_id: 'no-delete', result: 'pass', reason: 'it was asked to' } as const;
    expect(await app.call('verdicts.overrule', given)).toMatchObject({
      overruled: 1,
      human: { result: 'pass', reason: 'it was asked to', agent_id: 'agent/test' },
    });
    expect(await app.call('verdicts.overrule', given)).toMatchObject({ overruled: 0 });
    await app.call('judges.update', { judge_id: 'no-delete', for_agent: 'agent/test' });
    expect(await judge(trace_id)).toMatchObject({ judge_version: 2, result: 'pass', judge_result: 'fail' });
    expect((await app.call('verdicts.list', { result: 'fail' })).verdicts).toEqual([]);
    const back = await app.call('verdicts.overrule', { trace_id, judge_id: 'no-delete', result: null });
    expect(back).toEqual({ trace_id, judge_id: 'no-delete', human: null, overruled: 2 });
    expect((await app.call('verdicts.list', { result: 'fail' })).verdicts).toHaveLength(2);
  });

  it('are seen by those who see the trace', async () => {
    await app.call('entries.write', { ...at, value: 10, shared: false });
    const trace_id = await traced('delete', { causal_entries: [{ ...at, version: 1 }] });
    const { verdict_id, memory } = await judge(trace_id, 'reads-no-rules');
    expect(memory).toHaveLength(1);
    const other = { agent_id: 'agent/other' };
    expect(await refusal(app.call('verdicts.read', { verdict_id }, other))).toMatchObject({ code: 'not_found' });
    expect((await app.call('verdicts.list', {}, other)).verdicts).toEqual([]);
    expect(await refusal(app.call('verdicts.judge', { trace_id, judge_id: 'no-delete' }, other))).toMatchObject({
      code: 'not_found',
    });
    expect(
      await refusal(app.call('verdicts.overrule', { trace_id, judge_id: 'no-delete', result: 'pass' }, other)),
    ).toMatchObject({ code: 'not_found' });
  });

  it('go with their agent', async () => {
    const trace_id = await traced('delete', { agent_id: 'agent/gone' });
    await judge(trace_id);
    await app.call('verdicts.overrule', { trace_id, judge_id: 'no-delete', result: 'pass', reason: 'as asked' });
    await app.call('agents.erase', { agent_id: 'agent/gone' } as never, caller());
    expect((await app.call('verdicts.list', {})).verdicts).toEqual([]);
  });
});

describe.each(backends)('verdicts in the scope of a key on %s', (backend) => {
  it('give no reasons, which may name what is out of it', async () => {
    const service = await openHosted(backend);
    try {
      const { key: admin } = await service.newAccount();
      const { key } = await service.newKey(admin, { scopes: [{ pattern: 'open/**', permission: 'READ' }] });
      const made = async (path: string, body: object) => (await service.as(admin, post(path, body))).json;
      const causal_entries = [];
      for (const entity_path of ['open/a', 'secret/plans']) {
        await made('/api/v1/entries', { entity_path, key: 'k', value: 1 });
        causal_entries.push({ entity_path, key: 'k', version: 1 });
      }
      const definition = { kind: 'code', checks: [{ check: 'memory_not_read', entity_path: 'secret/plans' }] };
      await made('/api/v1/eval/judges', { judge_id: 'keeps-out', status: 'draft', definition });
      const { trace_id } = (await made('/api/v1/traces', { causal_entries })) as { trace_id: string };
      const verdict = await made(`/api/v1/eval/traces/${trace_id}/judge`, { judge_id: 'keeps-out' });
      expect(verdict).toMatchObject({ result: 'fail', reason: 'secret/plans was read' });
      const human = `/api/v1/eval/traces/${trace_id}/judges/keeps-out/human-verdict`;
      const body = JSON.stringify({ result: 'fail', reason: 'it read the secret plans' });
      expect((await service.as(admin, { method: 'PUT', path: human, body })).status).toBe(200);
      for (const path of [
        `/api/v1/eval/traces/${trace_id}/verdicts`,
        `/api/v1/eval/verdicts/${trace_id}.keeps-out.1`,
      ]) {
        const { status, text } = await service.as(key, get(path));
        expect(status).toBe(200);
        expect(text).toContain('"result":"fail"');
        expect(text).not.toContain('secret');
      }
    } finally {
      await service.close();
    }
  });
});
