import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp, type TestOptions } from '../../../tests/support/app.ts';
import { readAccount, type UsagePlan } from '../../server/src/kernel/index.ts';

const ACCOUNT = '00000000-0000-0000-0000-00000000000a';
const control = { account_id: '', actor: 'control', control: true as const };
const admin = { account_id: ACCOUNT, agent_id: 'agent/admin' };
const DAY_MS = 86_400_000;

const UNLIMITED = { ops_per_month: null };
const plans: Record<string, UsagePlan> = { large: UNLIMITED, small: { ...UNLIMITED, storage_bytes: 30_000 } };
const hosted: TestOptions = { hosted: true, rateLimits: false, rowSecurity: 'on', settings: { plans } };

const CHECK = { check: 'pattern' as const, in: 'task_input' as const, pattern: 'z'.repeat(480) };
const definition = { kind: 'code' as const, checks: Array.from({ length: 20 }, () => CHECK) };
const TEXTS = ['trace_id', 'agent_id', 'judge_id', 'reason', 'evidence', 'model_call'];

describe.each(backends)('what verdicts take on %s', (backend) => {
  async function open(plan: string) {
    const app = await openTestApp(backend, hosted);
    onTestFinished(() => app.close());
    await app.call('accounts.create', { account_id: ACCOUNT, name: 'Example', plan }, control);
    return app;
  }
  const read = (app: TestApp) => app.kernel.services.database.forAccount(ACCOUNT).read;
  const used = async (app: TestApp) => (await readAccount(read(app), ACCOUNT))?.storage_bytes ?? 0;
  const listed = async (app: TestApp) => (await app.call('verdicts.list', {}, admin)).verdicts;
  async function summed(app: TestApp, table: string, columns: readonly string[]) {
    const bytes = columns.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ');
    const text = `SELECT CAST(coalesce(sum(${bytes}), 0) AS BIGINT) AS n FROM ${table} WHERE account_id = ?`;
    return (await read(app).get<{ n: number }>({ text, values: [ACCOUNT] }))?.n ?? 0;
  }
  const taken = (app: TestApp) => summed(app, 'verdicts', TEXTS);
  async function run(app: TestApp, session_id: string, agent_id = 'agent/runner') {
    const as = { account_id: ACCOUNT, agent_id, session_id };
    const outcome = { outcome_ref: session_id, outcome_type: 'success' as const, task_input: 'q' };
    return (await app.call('outcomes.commit', outcome, as)).trace_id as string;
  }
  async function addJudges(app: TestApp, count: number) {
    for (let n = 0; n < count; n++) await app.call('judges.create', { judge_id: `j${n}`, definition }, admin);
  }

  it('counts as storage of the account, until the traces go', async () => {
    const app = await open('large');
    await addJudges(app, 3);
    await caughtUp(app);
    await run(app, 'one');
    await run(app, 'two', 'agent/gone');
    const before = await used(app);
    await caughtUp(app);
    const verdicts = await listed(app);
    expect(verdicts).toHaveLength(6);
    for (const { reason } of verdicts) expect(reason).toHaveLength(500);
    expect((await used(app)) - before).toBe(await taken(app));
    expect(await taken(app)).toBeGreaterThan(6 * 500);
    await app.call('agents.erase', { agent_id: 'agent/gone' } as never, admin);
    expect(await listed(app)).toHaveLength(3);
    app.clock.advance(31 * DAY_MS);
    await app.call('retention.set', { traces_days: 30 }, admin);
    await caughtUp(app);
    await app.jobs.sweep();
    expect(await listed(app)).toEqual([]);
    // Definitions of judges are kept.
    expect(await used(app)).toBe(await summed(app, 'judge_versions', ['definition']));
  });

  it('is not stored beyond the plan, and what follows the log goes on', async () => {
    const app = await open('large');
    await addJudges(app, 3);
    await caughtUp(app);
    const trace_id = await run(app, 'one');
    await app.call('accounts.update', { account_id: ACCOUNT, plan: 'small' }, control);
    await caughtUp(app);
    expect(await listed(app)).toEqual([]);
    const judging = app.call('verdicts.judge', { trace_id, judge_id: 'j0' }, admin);
    expect(await refusal(judging)).toMatchObject({ code: 'over_limit', limit: 'storage_bytes' });
    const backfill = async () => {
      const { backfill_id } = await app.call('backfills.create', {}, admin);
      await caughtUp(app);
      return app.call('backfills.read', { backfill_id }, admin);
    };
    const stopped = { status: 'stopped', verdicts: 0, reason: expect.stringMatching(/^the plan has 30000 bytes/) };
    expect(await backfill()).toMatchObject(stopped);
    await app.call('accounts.update', { account_id: ACCOUNT, plan: 'large' }, control);
    const next = await run(app, 'two');
    await caughtUp(app);
    expect((await listed(app)).map((one) => one.trace_id)).toEqual([next, next, next]);
    expect(await backfill()).toMatchObject({ status: 'done', verdicts: 3 });
    expect(await listed(app)).toHaveLength(6);
  });

  it('counts the reasons of case runs too, until newer ones take their place or their agent goes', async () => {
    const app = await open('large');
    const trace_id = await run(app, 'one', 'agent/gone');
    const expected = { kind: 'code' as const, checks: [{ check: 'outcome' as const, in: ['success' as const] }] };
    await app.call('cases.create', { case_id: 'first', trace_id, task_input: 'q', expected }, admin);
    const before = await used(app);
    const post = (result: object) =>
      app.call('case_runs.create', { results: [{ case_id: 'first', ...result }] } as never, admin);
    const taken = async () => (await used(app)) - before;
    for (let n = 0; n < 101; n++) await post({ result: 'pass', reason: 'é'.repeat(100 + n) });
    expect(await taken()).toBe(100 * 200 + 2 * 5050);
    await post({ trace_id });
    expect(await taken()).toBe(await summed(app, 'case_results', ['reason']));
    await app.call('agents.erase', { agent_id: 'agent/gone' } as never, admin);
    expect(await summed(app, 'case_results', ['reason'])).toBe(99 * 200 + 2 * 5049);
  });
});
