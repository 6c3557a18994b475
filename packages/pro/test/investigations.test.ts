import { describe, expect, it, onTestFinished } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp, type TestOptions } from '../../../tests/support/app.ts';
import { answers, inTurn, judgingBy, startChatServer, writes } from '../../../tests/support/chat-server.ts';

type GivenLine = { no: number; step: string; chosen_by: string; reason: string | null; found: string; data: never };

const AGENT = 'agent/test';
const QUESTION = 'Why do runs fail?';

/** Runs that fail since an entry has another version. */
async function story(app: TestApp): Promise<void> {
  const at = { entity_path: 'billing', key: 'limit' };
  for (const version of [1, 2]) {
    await app.call('entries.write', { ...at, value: version, agent_id: 'agent/writer' });
    for (let n = 0; n < 12; n++) {
      app.clock.advance(60_000);
      const isBad = version === 2 && n % 6 !== 5;
      await app.call('outcomes.commit', {
        ...{ outcome_ref: `run-${version}-${n}`, outcome_type: isBad ? 'critical_failure' : 'success' },
        causal_entry_keys: ['billing/limit'],
        causal_entry_versions: { 'billing/limit': version },
        tool_calls: [{ tool_name: isBad ? 'refund' : 'pay', arguments: {} }],
      });
    }
  }
  await app.jobs.sweep();
}

describe.each(backends)('an investigation on %s', (backend) => {
  const open = async (options: TestOptions = {}) => {
    const app = await openTestApp(backend, options);
    onTestFinished(() => app.close());
    await story(app);
    return app;
  };
  const investigate = async (app: TestApp, more: object = {}, as: object = {}): Promise<GivenLine[]> => {
    const asked = { agent_id: AGENT, question: QUESTION, ...more };
    return ((await app.call('investigations.run', asked as never, as)) as never as { lines: GivenLine[] }).lines;
  };

  it('without a model follows a plan, and answers with what each step found', async () => {
    const app = await open();
    const lines = await investigate(app);
    expect(lines.map(({ no, step, chosen_by }) => [no, step, chosen_by])).toEqual([
      ...['segments', 'attribution', 'divergence', 'memory_changes', 'answer'].map((step, i) => [i + 1, step, 'plan']),
    ]);
    const [segments, attribution, divergence, changes, answer] = lines.map(({ found }) => found);
    expect(segments).toContain('10 of 24 runs failed');
    expect(attribution).toMatch(/^The suspect is version 2 of billing\/limit, written by agent\/writer on 20\S+Z: /);
    expect(attribution).toContain('10 of 10 failing runs read it, against 2 of 14 others.');
    expect(divergence).toContain('first differ');
    expect(changes).toContain('0 of 12 runs failed before, 10 of 12 since');
    expect(changes).toContain('version 2 of billing/limit');
    expect(answer?.startsWith(attribution as string)).toBe(true);
    expect(answer?.match(/version 2 of billing/g)).toHaveLength(1);
    expect(answer).toContain('No run had read the suspect before.');
    for (const found of [segments, answer]) expect(found).not.toMatch(/errors|ended as/);
    expect((await investigate(app, { max_steps: 1 })).map(({ step }) => step)).toEqual(['segments', 'answer']);
    const none = investigate(app, { trace_id: '01hzy3v9k2m8q4w6x0c5b7n1dp' });
    expect(await refusal(none)).toMatchObject({ code: 'not_found' });
  });

  it('says that there are no runs, or none with a result, and not that none failed', async () => {
    const app = await open();
    const nothing = 'There is no failing trace to compare.';
    const found = async (more: object) => (await investigate(app, more)).map((line) => line.found);
    const none = 'agent/none has no runs that you may see.';
    expect(await found({ agent_id: 'agent/none' })).toEqual([none, none, nothing, none, `${none} ${nothing}`]);
    const [since, until] = ['2001-01-01T00:00:00.000Z', '2001-02-01T00:00:00.000Z'];
    const [before] = await found({ since, until });
    expect(before).toBe(`${AGENT} has no runs since ${since} and before ${until} that you may see.`);
    const definition = { kind: 'code', checks: [{ check: 'outcome', in: ['success'] }] };
    const when = { check: 'tool_required', tool: 'none' };
    await app.call('judges.create', { judge_id: 'skips', definition: { ...definition, when } as never });
    expect((await found({ judge_id: 'skips' }))[0]).toBe(`${AGENT} has no runs judged by skips that you may see.`);
    const { traces } = await app.call('traces.list', { limit: 1 });
    await app.call('verdicts.judge', { trace_id: traces[0]?.trace_id as string, judge_id: 'skips' });
    const unknown = `None of the runs of ${AGENT} judged by skips has a known result.`;
    expect(await found({ judge_id: 'skips' })).toEqual([unknown, unknown, nothing, unknown, `${unknown} ${nothing}`]);
  });

  it('shows nobody what they may not see', async () => {
    const app = await open();
    const at = { entity_path: 'secret', key: 'plan' };
    await app.call('entries.write', { ...at, value: 1, shared: false });
    for (let n = 0; n < 12; n++)
      await app.call('outcomes.commit', {
        ...{ outcome_ref: `own-${n}`, outcome_type: 'critical_failure', causal_entry_keys: ['secret/plan'] },
      });
    await app.jobs.sweep();
    expect(JSON.stringify(await investigate(app))).toContain('secret');
    expect(JSON.stringify(await investigate(app, {}, { agent_id: 'agent/other' }))).not.toContain('secret');
  });

  it('with a model lets it choose the steps, within their number, and records each call', async () => {
    const chosen = (step: string, options: object = {}) =>
      writes(JSON.stringify({ step, reason: `look at ${step}`, options }));
    const server = await startChatServer(
      inTurn(
        chosen('memory_changes'),
        chosen('segments', { judge_id: 'none' }),
        writes(JSON.stringify({ answer: 'It is billing/limit.' })),
      ),
    );
    const app = await open({ settings: judgingBy(server) });
    const lines = await investigate(app, { max_steps: 2 });
    expect(lines).toMatchObject([
      { step: 'memory_changes', chosen_by: 'model', reason: 'look at memory_changes', model_call: { attempts: 1 } },
      { step: 'segments', found: 'It was refused: there is no judge none' },
      { step: 'answer', chosen_by: 'model', found: 'It is billing/limit.', model_call: { cost_usd: 0.02 } },
    ]);
    const asked = server.questions.map(({ body }) => body.messages[1]?.content ?? '');
    expect(asked[0]).toContain(QUESTION);
    expect(asked[1]).toContain('version 2 of billing/limit');
    expect(asked[2]).toContain('No steps are left');
    expect((await app.call('budgets.read', {})).day.calls).toBe(3);
  });

  it('goes on by the plan where the model fails or the budget is spent', async () => {
    const server = await startChatServer(inTurn(writes('{"step":"divergence"}'), answers(401, {})));
    const app = await open({ settings: judgingBy(server) });
    const lines = await investigate(app);
    expect(lines.map(({ step, chosen_by }) => `${step} by ${chosen_by}`)).toEqual([
      ...['divergence by model', 'segments by plan', 'attribution by plan', 'memory_changes by plan', 'answer by plan'],
    ]);
    expect(lines.at(-1)?.reason).toContain('it answers 401');
    expect(lines.at(-1)).toMatchObject({ model_call: { attempts: 1, error: 'refused' } });
    await app.call('budgets.set', { day_calls: 0 });
    expect((await investigate(app)).at(-1)).toMatchObject({
      step: 'answer',
      reason: expect.stringContaining('budget'),
      model_call: null,
    });
    expect(server.questions).toHaveLength(2);
  });

  it('shows the calls of a model whose answers cannot be used, which the budget counts', async () => {
    const server = await startChatServer(writes('I would rather not.'));
    const app = await open({ settings: judgingBy(server) });
    const answer = (await investigate(app)).at(-1);
    expect(answer).toMatchObject({ step: 'answer', model_call: { attempts: 3, error: 'unusable', cost_usd: 0.06 } });
    expect((await app.call('budgets.read', {})).day).toMatchObject({ calls: 3, cost_usd: 0.06 });
  });

  it('compares a failing run with the passing one that is most like it, not with the newest', async () => {
    const app = await open();
    const agent_id = 'agent/many-tasks';
    const worked = async (failed: boolean, { task, ...more }: { task: string; branch?: string }) => {
      app.clock.advance(60_000);
      const outcome = await app.call('outcomes.commit', {
        ...{ outcome_ref: task, outcome_type: failed ? 'failure' : 'success', agent_id, attributes: { task } },
        ...{ task_input: `Do the ${task} of order ${app.clock.now()}`, ...more },
        tool_calls: [{ tool_name: failed ? 'guess' : `book_${task}`, arguments: {} }],
      });
      return outcome.trace_id as string;
    };
    await worked(false, { task: 'refund' });
    const nearest = await worked(false, { task: 'refund' });
    for (const task of ['delivery', 'invoice']) await worked(false, { task });
    await app.call('branches.create', { name: 'try' });
    await worked(false, { task: 'refund', branch: 'try' });
    const failed = await worked(true, { task: 'refund' });
    await worked(false, { task: 'delivery' });
    await app.jobs.sweep();
    const lines = await investigate(app, { agent_id });
    const { data } = lines.find(({ step }) => step === 'divergence') as { data: { trace_ids: string[] } };
    expect(data.trace_ids).toEqual([failed, nearest]);
  });
});
