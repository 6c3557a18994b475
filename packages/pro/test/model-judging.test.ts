import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, caller, openTestApp, readyPlace, type TestApp } from '../../../tests/support/app.ts';
import { answers, type ChatServer, judgingBy, says, startChatServer } from '../../../tests/support/chat-server.ts';
import { programOf } from '../../../tests/support/program.ts';
import { listTracesBetween } from '../../server/src/module.ts';
import { loadOneJudged } from '../src/evaluation/load-traces.ts';
import { judgeOnce } from '../src/outside-model/index.ts';

const POLITE = { kind: 'llm' as const, prompt: 'The answer is polite.' };
const NO_DELETE = { kind: 'code' as const, checks: [{ check: 'tool_forbidden' as const, tool: 'delete' }] };
const PASS = says({ result: 'pass', score: 1 });
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const traced = async (app: TestApp) => (await app.call('traces.create', { response_text: 'Gladly.' })).trace_id;
const several = async (app: TestApp, n: number) => {
  const ids: string[] = [];
  for (let i = 0; i < n; i++) ids.push(await traced(app));
  return ids;
};

describe.each(backends)('judging by a model on %s', (backend) => {
  const open = async (server: ChatServer, more: object = {}) => {
    const app = await openTestApp(backend, { settings: judgingBy(server, more) });
    onTestFinished(() => app.close());
    return app;
  };
  const resultsOf = async (app: TestApp, judge_id = 'polite') =>
    (await app.call('verdicts.list', { judge_id, limit: 100 })).verdicts.map(({ result }) => result);
  const define = (app: TestApp, status: 'active' | 'draft' = 'active') =>
    app.call('judges.create', { judge_id: 'polite', definition: POLITE, status });

  it('follows new traces, each once, and asks about no others', async () => {
    const server = await startChatServer();
    const app = await open(server);
    await traced(app);
    await caughtUp(app);
    await define(app);
    await app.call('judges.create', { judge_id: 'other', definition: POLITE, for_agent: 'agent/other' });
    await several(app, 3);
    await caughtUp(app);
    await caughtUp(app);
    expect(await resultsOf(app)).toEqual(['pass', 'pass', 'pass']);
    expect(await resultsOf(app, 'other')).toEqual([]);
    expect(server.questions).toHaveLength(3);
  });

  it('does not hold up judges that ask no model', async () => {
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const server = await startChatServer(async (question, response, no) => {
      await held;
      await PASS(question, response, no);
    });
    const app = await open(server);
    await define(app);
    await app.call('judges.create', { judge_id: 'no-delete', definition: NO_DELETE });
    await several(app, 2);
    const all = caughtUp(app);
    await expect.poll(() => resultsOf(app, 'no-delete')).toEqual(['pass', 'pass']);
    await expect.poll(() => server.questions.length).toBeGreaterThan(0);
    await several(app, 1);
    await expect.poll(() => resultsOf(app, 'no-delete')).toHaveLength(3);
    expect(await resultsOf(app)).toEqual([]);
    go();
    await all;
    await caughtUp(app);
    expect(await resultsOf(app)).toEqual(['pass', 'pass', 'pass']);
  });

  /** A server that answers once it is let go. */
  const startHeld = async () => {
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const server = await startChatServer(async (question, response, no) => {
      await held;
      await PASS(question, response, no);
    });
    return { server, go };
  };
  const judged = (app: TestApp, trace_id: string) => app.call('verdicts.judge', { trace_id, judge_id: 'polite' });

  it.each(['the follower', 'a caller'])(
    'asks once about each trace, however many want to know, after %s',
    async (by) => {
      const { server, go } = await startHeld();
      const app = await open(server);
      await define(app, by === 'a caller' ? 'draft' : 'active');
      const ids = await several(app, 4);
      const called = () => ids.flatMap((trace_id) => [judged(app, trace_id), judged(app, trace_id)]);
      const early = by === 'a caller' ? called() : [];
      const followed = caughtUp(app);
      // The follower may have seen the first trace alone.
      await expect.poll(() => server.questions.length).toBeGreaterThan(0);
      await app.call('judges.update', { judge_id: 'polite', status: 'active' });
      const { backfill_id } = await app.call('backfills.create', { judge_id: 'polite' });
      const late = called();
      // Time for those who join to ask, if they did.
      await new Promise((resolve) => setTimeout(resolve, 200));
      go();
      const answered = await Promise.all([...early, ...late]);
      await followed;
      await caughtUp(app);
      expect(server.questions).toHaveLength(4);
      expect(new Set(answered.map(({ model_call }) => model_call?.call_id)).size).toBe(4);
      expect(await resultsOf(app)).toEqual(Array(4).fill('pass'));
      expect((await app.call('budgets.read', {})).day).toMatchObject({ calls: 4, cost_usd: 0.08 });
      expect(await app.call('backfills.read', { backfill_id })).toMatchObject({ status: 'done', traces: 4 });
    },
  );

  it('asks no more about a trace of which a backfill has the answer and has not stored it yet', async () => {
    const { server, go } = await startHeld();
    const { reply } = server;
    server.reply = (question, response, no) => (no === 1 ? PASS : reply)(question, response, no);
    const app = await open(server);
    await define(app, 'draft');
    const ids = await several(app, 5);
    await app.call('backfills.create', { judge_id: 'polite' });
    const run = caughtUp(app);
    // Four at a time: the fifth follows an answer.
    await expect.poll(() => server.questions.length).toBe(5);
    expect(await resultsOf(app)).toEqual([]);
    const asked = ids.map((trace_id) => judged(app, trace_id));
    expect(await Promise.race(asked)).toMatchObject({ result: 'pass', model_call: { attempts: 1 } });
    go();
    await Promise.all([run, ...asked]);
    await caughtUp(app);
    expect(await resultsOf(app)).toHaveLength(5);
    expect(server.questions).toHaveLength(5);
  });

  it('asks again after an error, and gives it to those who waited for the same answer', async () => {
    const server = await startChatServer(answers(400, { error: 'no' }));
    const app = await open(server);
    await define(app, 'draft');
    const trace_id = await traced(app);
    const failed = await Promise.all([judged(app, trace_id), judged(app, trace_id)]);
    expect(failed).toMatchObject([{ result: 'error' }, { result: 'error' }]);
    const before = server.questions.length;
    expect(new Set(failed.map(({ model_call }) => model_call?.call_id)).size).toBe(1);
    server.reply = PASS;
    expect(await judged(app, trace_id)).toMatchObject({ result: 'pass' });
    expect(server.questions).toHaveLength(before + 1);
  });

  it('goes on for the others when one who waits stops, and ends with the last', async () => {
    const { server, go } = await startHeld();
    const app = await open(server);
    await define(app, 'draft');
    const { services } = app.kernel;
    const { account_id } = caller();
    await traced(app);
    const { scan } = services.database.forAccount(account_id);
    const [{ seq } = { seq: 0 }] = await listTracesBetween(scan, {
      ...{ account_id, agent_id: null, from: 0, before: Number.MAX_SAFE_INTEGER, limit: 1 },
    });
    const trace = await loadOneJudged({ query: scan, dialect: services.database.dialect, account_id }, seq);
    if (!trace) throw new Error('there is no trace');
    const ask = () => {
      const stop = new AbortController();
      const asked = {
        account_id,
        definition: { ...POLITE, pass_at: 0.5 },
        trace,
        judge_id: 'polite',
        judge_version: 1,
      };
      return { stop, answer: judgeOnce(services, { ...asked, signal: stop.signal }) };
    };
    const [one, two] = [ask(), ask()];
    await expect.poll(() => server.questions.length).toBe(1);
    one.stop.abort();
    expect(await one.answer).toMatchObject({ isOfServer: true, finding: { result: 'error' }, model_call: null });
    two.stop.abort();
    expect(await two.answer).toMatchObject({ isOfServer: true, finding: { result: 'error' } });
    const [three, four] = [ask(), ask()];
    await expect.poll(() => server.questions.length).toBe(2);
    three.stop.abort();
    await three.answer;
    go();
    expect(await four.answer).toMatchObject({ finding: { result: 'pass' }, model_call: { attempts: 1 } });
    expect(server.questions).toHaveLength(2);
  });

  it('waits for a server that is away, and gives up after a while', async () => {
    const server = await startChatServer(answers(503, {}));
    const app = await open(server);
    await define(app);
    await traced(app);
    await caughtUp(app);
    expect(await resultsOf(app)).toEqual([]);
    server.reply = PASS;
    app.clock.advance(60_000);
    await caughtUp(app);
    expect(await resultsOf(app)).toEqual(['pass']);
    server.reply = answers(503, {});
    await traced(app);
    await caughtUp(app);
    app.clock.advance(HOUR);
    await caughtUp(app);
    expect(await resultsOf(app)).toEqual(['error', 'pass']);
  });

  it('stays within the budget, however many ask at once, and leaves skipped verdicts beyond it', async () => {
    const server = await startChatServer();
    const app = await open(server);
    await define(app, 'draft');
    const ids = await several(app, 12);
    await app.call('budgets.set', { day_calls: 5 });
    const asked = await Promise.allSettled(
      ids.map((trace_id) => app.call('verdicts.judge', { trace_id, judge_id: 'polite' })),
    );
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(server.questions).toHaveLength(5);
    expect((await app.call('budgets.read', {})).day).toMatchObject({ calls: 5, max_calls: 5, is_spent: true });
    const last = app.call('verdicts.judge', { trace_id: await traced(app), judge_id: 'polite' });
    expect(await refusal(last)).toMatchObject({ code: 'budget_spent', status: 402 });
    await app.call('judges.update', { judge_id: 'polite', status: 'active' });
    const late = await traced(app);
    await caughtUp(app);
    const [skipped] = (await app.call('verdicts.list', { trace_id: late })).verdicts;
    expect(skipped).toMatchObject({
      result: 'skipped',
      model_call: { attempts: 0, cost_usd: 0, error: 'budget_spent' },
    });
    expect(skipped?.reason).toContain('5 calls in a day');
    app.clock.advance(DAY);
    expect(await app.call('verdicts.judge', { trace_id: late, judge_id: 'polite' })).toMatchObject({ result: 'pass' });
  });

  it('spends no more money than the budget has, on several servers', async () => {
    const server = await startChatServer();
    const app = await open(server);
    await define(app, 'draft');
    const ids = await several(app, 10);
    const other = await openTestApp(backend, { place: app.place, settings: judgingBy(server), clock: app.clock });
    onTestFinished(() => other.close());
    // A call costs 0.02; about 0.22 are reserved for it while it is under way.
    await app.call('budgets.set', { month_usd: 0.5 });
    await Promise.allSettled(
      ids.map((trace_id, n) => (n % 2 ? app : other).call('verdicts.judge', { trace_id, judge_id: 'polite' })),
    );
    const { month } = await app.call('budgets.read', {});
    expect(month.cost_usd).toBeCloseTo(0.02 * server.questions.length, 9);
    expect(month.cost_usd).toBeLessThanOrEqual(0.5);
    expect(server.questions.length).toBeGreaterThanOrEqual(2);
  });

  it('refuses a budget in money for a model without a price, and keeps to the bound of the operator', async () => {
    const server = await startChatServer();
    const app = await open(server, { price: null, calls_per_day: 1 });
    await define(app, 'draft');
    const [one = '', two = ''] = await several(app, 2);
    expect(await refusal(app.call('budgets.set', { day_usd: 1, day_calls: 100 }))).toMatchObject({
      ...{
        code: 'invalid_input',
        errors: [{ path: 'day_usd', message: expect.stringContaining('MEM_JUDGE_INPUT_PRICE') }],
      },
    });
    expect(await app.call('budgets.set', { day_calls: 100, day_usd: null })).toMatchObject({ day: { max_usd: null } });
    expect(await app.call('verdicts.judge', { trace_id: one, judge_id: 'polite' })).toMatchObject({ cost_usd: null });
    const beyond = app.call('verdicts.judge', { trace_id: two, judge_id: 'polite' });
    expect(await refusal(beyond)).toMatchObject({ code: 'budget_spent' });
  });

  it('spends no more dollars a day than the operator allows, whatever the budget of the account', async () => {
    const server = await startChatServer();
    const app = await open(server, { usd_per_day: 0.3 });
    await define(app, 'draft');
    const [one = '', two = '', three = ''] = await several(app, 3);
    await app.call('budgets.set', { day_usd: 100 });
    expect((await app.call('budgets.read', {})).day).toMatchObject({ max_usd: 0.3 });
    // A call costs 0.02, and about 0.22 are reserved for it while it is under way.
    for (const trace_id of [one, two]) await app.call('verdicts.judge', { trace_id, judge_id: 'polite' });
    await app.call('budgets.set', { day_usd: 0.05 });
    const own = app.call('verdicts.judge', { trace_id: three, judge_id: 'polite' });
    expect(await refusal(own)).toMatchObject({ code: 'budget_spent', detail: expect.stringContaining('0.05 dollars') });
    await app.call('budgets.set', { day_usd: null });
    expect((await app.call('budgets.read', {})).day).toMatchObject({ max_usd: 0.3, cost_usd: 0.04 });
    const asked = [];
    for (const trace_id of [three, ...(await several(app, 10))])
      asked.push(await app.call('verdicts.judge', { trace_id, judge_id: 'polite' }).catch((fault) => fault));
    expect(asked[0]).toMatchObject({ result: 'pass' });
    expect(asked.at(-1)).toMatchObject({
      code: 'budget_spent',
      message: expect.stringContaining('0.3 dollars in a day'),
    });
    const { cost_usd } = (await app.call('budgets.read', {})).day;
    expect(cost_usd).toBeLessThanOrEqual(0.3);
    expect(cost_usd).toBeCloseTo(0.02 * server.questions.length, 9);
    app.clock.advance(DAY);
    expect(await app.call('budgets.read', {})).toMatchObject({
      day: { max_usd: 0.3, cost_usd: 0 },
      month: { max_usd: null },
    });
  });

  it('asks no model without a price where the operator allows so many dollars', async () => {
    const server = await startChatServer();
    const app = await open(server, { price: null, usd_per_day: 1 });
    await define(app, 'draft');
    const unpriced = app.call('verdicts.judge', { trace_id: await traced(app), judge_id: 'polite' });
    expect(await refusal(unpriced)).toMatchObject({ code: 'model_not_configured' });
    expect(server.questions).toHaveLength(0);
  });

  it('of the past stops when the budget is spent, and goes on later with what is left', async () => {
    const server = await startChatServer();
    const app = await open(server);
    await define(app, 'draft');
    await several(app, 10);
    await app.call('budgets.set', { day_calls: 4 });
    const { backfill_id } = await app.call('backfills.create', { judge_id: 'polite' });
    await caughtUp(app);
    const stopped = await app.call('backfills.read', { backfill_id });
    expect(stopped).toMatchObject({
      status: 'stopped',
      ...{ verdicts: 4, traces: 4 },
      reason: expect.stringContaining('4 calls in a day'),
    });
    expect(stopped.progress).toBeGreaterThan(0.2);
    expect(stopped.progress).toBeLessThan(0.6);
    expect(await resultsOf(app)).toHaveLength(4);
    await app.call('budgets.set', { day_calls: null });
    const again = await app.call('backfills.create', { judge_id: 'polite' });
    await caughtUp(app);
    expect(await app.call('backfills.read', { backfill_id: again.backfill_id })).toMatchObject({
      status: 'done',
      verdicts: 6,
      traces: 10,
    });
    expect(server.questions).toHaveLength(10);
    server.reply = answers(500, {});
    await several(app, 1);
    const third = await app.call('backfills.create', { judge_id: 'polite' });
    await caughtUp(app);
    expect(await app.call('backfills.read', { backfill_id: third.backfill_id })).toMatchObject({
      status: 'stopped',
      ...{ verdicts: 0, traces: 10 },
    });
    await app.call('backfills.create', {});
    await caughtUp(app);
    expect(await resultsOf(app)).toHaveLength(10);
  });

  it('forgets the words of a model with the payloads of a trace', async () => {
    const app = await open(await startChatServer(says({ result: 'fail', score: 0, reason: 'it says Gladly' })));
    await define(app, 'draft');
    const trace_id = await traced(app);
    await app.call('verdicts.judge', { trace_id, judge_id: 'polite' });
    await app.call('retention.set', { payloads_days: 1 });
    app.clock.advance(2 * DAY);
    await caughtUp(app);
    await caughtUp(app);
    expect((await app.call('verdicts.list', { trace_id })).verdicts).toMatchObject([{ result: 'fail', reason: '' }]);
  });

  it('goes on after the process was killed while a model was asked, and judges each trace once', async () => {
    const place = await readyPlace(backend);
    const TRACES = 6;
    const server = await startChatServer((question, response, no) =>
      no <= 2 ? PASS(question, response, no) : undefined,
    );
    const app = await openTestApp(backend, { place, settings: judgingBy(server) });
    await define(app);
    const now = app.clock.now() + 60_000;
    await app.close();
    const program = await programOf(join(import.meta.dirname, 'model-judging-process.ts'));
    const { dataDir, postgresDsn } = place.options;
    const given = { dataDir, postgresDsn, now, traces: TRACES, settings: judgingBy(server) };
    const child = spawn(process.execPath, [program, JSON.stringify(given)], { stdio: ['ignore', 'ignore', 'pipe'] });
    const over = once(child, 'exit');
    let output = '';
    child.stderr.on('data', (chunk) => (output += chunk));
    await expect.poll(() => `${server.questions.length >= 3} ${output}`).toBe('true ');
    child.kill('SIGKILL');
    await over;
    server.reply = PASS;
    const next = await openTestApp(backend, { place, settings: judgingBy(server) });
    onTestFinished(() => next.close());
    next.clock.advance(600_000);
    await caughtUp(next);
    await caughtUp(next);
    const { verdicts } = await next.call('verdicts.list', { limit: 100 });
    expect(verdicts.map(({ result }) => result)).toEqual(Array(TRACES).fill('pass'));
    expect(server.questions.length).toBeLessThanOrEqual(TRACES + 4);
    // What was reserved and not asked any more stays counted.
    expect((await next.call('budgets.read', {})).day.calls).toBeGreaterThanOrEqual(server.questions.length);
  });
});
