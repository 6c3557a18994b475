import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const noDelete = { kind: 'code' as const, checks: [{ check: 'tool_forbidden' as const, tool: 'delete' }] };
const noFailure = {
  kind: 'code' as const,
  checks: [{ check: 'most' as const, of: 'failed_tool_calls' as const, limit: 0 }],
};

describe.each(backends)('evaluation on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const defined = (judge_id: string, definition: typeof noDelete | typeof noFailure = noDelete) =>
    app.call('judges.create', { judge_id, definition, status: 'draft' } as never);
  const traced = async (tool_name: string, more: object = {}) =>
    (await app.call('traces.create', { tool_calls: [{ tool_name, arguments: {} }], ...more } as never)).trace_id;
  const judge = (trace_id: string, judge_id = 'no-delete') => app.call('verdicts.judge', { trace_id, judge_id });

  describe('the starter judges', () => {
    it('are defined once, and what is there stays as it is', async () => {
      const { created, existing } = await app.call('judges.seed', { for_agent: 'agent/bot' });
      expect(existing).toEqual([]);
      expect(created).toHaveLength(10);
      for (const one of created)
        expect(one).toMatchObject({ version: 1, status: 'active', for_agent: 'agent/bot', sampling_rate: 1 });
      await app.call('judges.update', {
        judge_id: 'starter-cost',
        definition: { kind: 'code', checks: [{ check: 'most', of: 'cost_usd', limit: 9 }] },
      } as never);
      await app.call('judges.delete', { judge_id: 'starter-duration' });
      const again = await app.call('judges.seed', {});
      expect(again).toEqual({ created: [], existing: created.map(({ judge_id }) => judge_id).sort() });
      expect(await app.call('judges.read', { judge_id: 'starter-cost' })).toMatchObject({ version: 2 });
      expect(await app.call('judges.read', { judge_id: 'starter-duration' })).toMatchObject({ status: 'archived' });
      const other = await app.call('judges.seed', { prefix: 'bot-', status: 'draft' });
      expect(other.created.map(({ judge_id }) => judge_id)).toContain('bot-no-errors');
    });

    it('add those that are missing', async () => {
      await defined('starter-answers');
      const { created, existing } = await app.call('judges.seed', {});
      expect(existing).toEqual(['starter-answers']);
      expect(created).toHaveLength(9);
    });

    it('are refused as a whole where there is no room for all, of which archived judges take none', async () => {
      for (let n = 0; n < 495; n++) await defined(`judge-${n}`);
      expect(await refusal(app.call('judges.seed', {}))).toMatchObject({ code: 'conflict' });
      expect((await app.call('judges.list', { limit: 1000 })).judges).toHaveLength(495);
      for (let n = 0; n < 5; n++) await app.call('judges.delete', { judge_id: `judge-${n}` });
      expect((await app.call('judges.seed', {})).created).toHaveLength(10);
      const back = { judge_id: 'judge-0', status: 'active' as const };
      expect(await refusal(app.call('judges.update', back))).toMatchObject({ code: 'conflict' });
      expect(await app.call('judges.update', { judge_id: 'judge-0', name: 'Gone' })).toMatchObject({ name: 'Gone' });
      await app.call('judges.delete', { judge_id: 'judge-10' });
      expect(await app.call('judges.update', back)).toMatchObject({ status: 'active' });
    });

    it('say something about every trace', async () => {
      const { created } = await app.call('judges.seed', { status: 'draft' });
      const tried = async (trace: object) => {
        const { trace_id } = await app.call('traces.create', trace as never);
        const found: Record<string, string> = {};
        for (const { judge_id, definition } of created) {
          const { results } = await app.call('judges.dry_run', { definition, trace_ids: [trace_id] } as never);
          found[judge_id.replace('starter-', '')] = results[0]?.result as string;
        }
        return found;
      };
      expect(await tried({})).toEqual({
        ...{ 'good-outcome': 'skipped', 'no-failed-tools': 'skipped', 'no-errors': 'pass', answers: 'skipped' },
        ...{ 'no-refusal': 'skipped', 'no-secrets': 'pass', 'no-runaway': 'pass', cost: 'skipped' },
        ...{ duration: expect.any(String), 'well-run': expect.any(String) },
      });
      const good = await tried({
        ...{ task_input: 'Pay the bill', response_text: 'It is paid.' },
        tool_calls: [{ tool_name: 'pay', arguments: { bill: 7 }, success: true }],
      });
      expect(good).toMatchObject({
        'no-failed-tools': 'pass',
        answers: 'pass',
        'no-refusal': 'pass',
        'no-secrets': 'pass',
      });
      const bad = await tried({
        ...{ task_input: 'Pay the bill', response_text: "I can't help with that." },
        tool_calls: [{ tool_name: 'pay', arguments: {}, success: false }],
      });
      expect(bad).toMatchObject({
        'no-failed-tools': 'fail',
        answers: 'pass',
        'no-refusal': 'fail',
        'well-run': 'fail',
      });
      expect(await tried({ task_input: 'Pay the bill' })).toMatchObject({ answers: 'fail' });
    });
  });

  describe('the detection rate', () => {
    it('compares a judge with what people found', async () => {
      await defined('no-delete');
      await defined('second');
      await defined('third', noFailure);
      const found = { tf: 3, ff: 1, tp: 4, fp: 2 };
      const label = async (tool: string, result: 'pass' | 'fail', count: number) => {
        for (let n = 0; n < count; n++) {
          const trace_id = await traced(tool);
          for (const judge_id of ['no-delete', 'second', 'third']) await judge(trace_id, judge_id);
          await app.call('verdicts.overrule', { trace_id, judge_id: 'no-delete', result });
        }
      };
      await label('delete', 'fail', found.tf);
      await label('delete', 'pass', found.ff);
      await label('pay', 'pass', found.tp);
      await label('pay', 'fail', found.fp);
      await judge(await traced('pay'));
      await app.call('verdicts.overrule', { trace_id: await traced('pay'), judge_id: 'no-delete', result: 'pass' });
      const rate = await app.call('judges.detection_rate', { judge_id: 'no-delete' });
      expect(rate).toMatchObject({
        ...{ judge_version: 1, labelled: 11, undecided: 1, complete: true },
        confusion: { true_fail: 3, false_fail: 1, true_pass: 4, false_pass: 2 },
        precision: { rate: 3 / 4, count: 3, of: 4 },
        recall: { rate: 3 / 5, count: 3, of: 5 },
        agreement: { rate: 7 / 10, count: 7, of: 10 },
      });
      expect(rate.precision.low).toBeGreaterThan(0.2);
      expect(rate.precision.high).toBeLessThan(1);
      expect(rate.kappa).toBeCloseTo(0.4);
      expect(rate.judges).toMatchObject([
        { judge_id: 'second', agreement: { rate: 1, of: 10 }, kappa: 1 },
        { judge_id: 'third', agreement: { rate: 6 / 10, of: 10 }, kappa: 0 },
      ]);
      await app.call('judges.update', { judge_id: 'no-delete', definition: noFailure } as never);
      expect(await app.call('judges.detection_rate', { judge_id: 'no-delete' })).toMatchObject({
        ...{ judge_version: 2, labelled: 11, undecided: 11, kappa: null, judges: [] },
        precision: { rate: null, of: 0 },
      });
      const first = await app.call('judges.detection_rate', { judge_id: 'no-delete', judge_version: 1 });
      expect(first).toEqual(rate);
      for (const input of [{ judge_id: 'none' }, { judge_id: 'second', judge_version: 7 }])
        expect(await refusal(app.call('judges.detection_rate', input))).toMatchObject({ code: 'not_found' });
    });

    it('is of a time, and of traces that the caller may see', async () => {
      await defined('no-delete');
      const at = { entity_path: 'billing/rules', key: 'limit' };
      await app.call('entries.write', { ...at, value: 10, shared: false });
      const open = await traced('pay');
      await judge(open);
      await app.call('verdicts.overrule', { trace_id: open, judge_id: 'no-delete', result: 'pass' });
      app.clock.advance(60_000);
      const since = new Date(app.clock.now()).toISOString();
      const hidden = await traced('delete', { causal_entries: [{ ...at, version: 1 }] });
      await judge(hidden);
      await app.call('verdicts.overrule', { trace_id: hidden, judge_id: 'no-delete', result: 'fail' });
      const labelled = async (input: object, as: object = {}) =>
        (await app.call('judges.detection_rate', { judge_id: 'no-delete', ...input }, as)).labelled;
      expect(await labelled({})).toBe(2);
      expect(await labelled({ since })).toBe(1);
      expect(await labelled({ until: since })).toBe(1);
      expect(await labelled({}, { agent_id: 'agent/other' })).toBe(1);
      expect(await labelled({ since }, { agent_id: 'agent/other' })).toBe(0);
    });
  });

  describe('the summary', () => {
    it('is empty where nothing was judged', async () => {
      expect(await app.call('verdicts.summarize', {})).toMatchObject({
        ...{ traces: 0, pass: 0, fail: 0, judges: [], agents: [], change: null, complete_since: null },
        pass_rate: { rate: null, of: 0 },
      });
    });

    it('counts a trace once for a judge, and shows the worst first', async () => {
      await defined('no-delete');
      await defined('no-failure', noFailure);
      for (let n = 0; n < 12; n++) {
        const agent_id = n % 3 === 0 ? 'agent/bad' : 'agent/good';
        const trace_id = await traced(agent_id === 'agent/bad' ? 'delete' : 'pay', { agent_id });
        await judge(trace_id);
        await judge(trace_id, 'no-failure');
        app.clock.advance(3_600_000);
      }
      const first = await traced('delete', { agent_id: 'agent/good' });
      await judge(first);
      await app.call('verdicts.overrule', { trace_id: first, judge_id: 'no-delete', result: 'pass' });
      await app.call('judges.update', { judge_id: 'no-delete', for_agent: 'agent/good' });
      await judge(first);
      const summary = await app.call('verdicts.summarize', {});
      expect(summary).toMatchObject({
        ...{ traces: 13, pass: 21, fail: 4, error: 0, skipped: 0, overruled: 1, complete_since: null },
        judges: [
          { judge_id: 'no-delete', pass: 9, fail: 4 },
          { judge_id: 'no-failure', pass: 12, fail: 0 },
        ],
        agents: [
          { agent_id: 'agent/bad', traces: 4, pass: 4, fail: 4 },
          { agent_id: 'agent/good', traces: 9, pass: 17, fail: 0 },
        ],
      });
      expect(summary.trend).toHaveLength(7);
      expect(summary.trend.at(-1)).toMatchObject({ pass: 21, fail: 4, until: summary.until });
      expect(summary.trend[0]?.since).toBe(summary.since);
      expect(summary.change).toBeNull();
      const good = await app.call('verdicts.summarize', { agent_id: 'agent/good' });
      expect(good).toMatchObject({ traces: 9, fail: 0, agents: [{ agent_id: 'agent/good' }] });
    });

    it('says whether it gets better within its time', async () => {
      await defined('no-delete');
      const since = new Date(app.clock.now()).toISOString();
      for (const tool of ['delete', 'pay']) {
        for (let n = 0; n < 10; n++) await judge(await traced(tool));
        app.clock.advance(24 * 3_600_000);
      }
      const until = new Date(app.clock.now()).toISOString();
      const { change, trend } = await app.call('verdicts.summarize', { since, until });
      expect(change).toMatchObject({ earlier: { rate: 0, of: 10 }, later: { rate: 1, of: 10 }, difference: 1 });
      expect(change?.p).toBeLessThan(0.001);
      expect(trend.map(({ pass, fail }) => [pass, fail])).toEqual([
        [0, 10],
        [0, 0],
        [0, 0],
        [10, 0],
        [0, 0],
        [0, 0],
        [0, 0],
      ]);
      app.clock.advance(20 * 24 * 3_600_000);
      expect(await app.call('verdicts.summarize', {})).toMatchObject({ traces: 0 });
      expect(await app.call('verdicts.summarize', { since: until, until: since })).toMatchObject({ traces: 0 });
    });

    it('has what the caller may see', async () => {
      await defined('no-delete');
      const at = { entity_path: 'billing/rules', key: 'limit' };
      await app.call('entries.write', { ...at, value: 10, shared: false });
      await judge(await traced('delete', { causal_entries: [{ ...at, version: 1 }] }));
      expect(await app.call('verdicts.summarize', {})).toMatchObject({ traces: 1, fail: 1 });
      const other = await app.call('verdicts.summarize', {}, { agent_id: 'agent/other' });
      expect(other).toMatchObject({ traces: 0, fail: 0, agents: [] });
    });
  });
});
