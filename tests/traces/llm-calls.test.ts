import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../packages/server/src/config.ts';
import { newPath, newSession } from '../sessions/support.ts';
import { backends, openTestApp, type TestOptions } from '../support/app.ts';

const PRICES = { 'my-model': { input_per_1m: 1, output_per_1m: 10, cached_input_per_1m: 0.5 } };
const MILLION = 1_000_000;

async function open(backend: (typeof backends)[number], options: TestOptions = {}) {
  const app = await openTestApp(backend, options);
  onTestFinished(() => app.close());
  const seal = async (as: object, input: object = {}) => {
    const outcome = { outcome_ref: newPath(), outcome_type: 'success' as const, ...input };
    const { trace_id } = await app.call('outcomes.commit', outcome, as);
    return app.call('traces.read', { trace_id: trace_id as string });
  };
  return { app, seal };
}

describe.each(backends)('calls of language models on %s', (backend) => {
  it('are priced by the table, and one that cannot be priced is null and never zero', async () => {
    const { app, seal } = await open(backend);
    const session = newSession();
    const call = (input: object) => app.call('sessions.record_llm_call', { model: 'gpt-4o', ...input }, session);
    expect(await call({ input_tokens: MILLION, output_tokens: MILLION })).toMatchObject({ cost_usd: 12.5 });
    expect(await call({ model: 'nobody-knows', input_tokens: 5 })).toMatchObject({ cost_usd: null });
    expect(await call({ model: 'nobody-knows', input_tokens: 5, cost_usd: 0 })).toMatchObject({ cost_usd: 0 });
    expect(await call({ input_tokens: MILLION, cost_usd: 0.25 })).toMatchObject({ cost_usd: 0.25 });
    expect(await call({})).toMatchObject({ cost_usd: null });
    expect(await seal(session)).toMatchObject({
      total_llm_calls: 5,
      total_tokens: 3 * MILLION + 10,
      total_cost_usd: null,
      known_cost_usd: 12.75,
    });
  });

  it('of one trace have a whole cost when all are known, and none when there are none', async () => {
    const { seal } = await open(backend);
    const call = { model: 'gpt-4o', input_tokens: MILLION, output_tokens: 0 };
    expect(await seal(newSession(), { llm_calls: [call, { ...call, cost_usd: 1 }] })).toMatchObject({
      total_cost_usd: 3.5,
      known_cost_usd: 3.5,
    });
    expect(await seal(newSession())).toMatchObject({ total_llm_calls: 0, total_cost_usd: null, known_cost_usd: null });
  });

  it('come from the session, the metadata and the outcome; one that says nothing is left out', async () => {
    const { app, seal } = await open(backend);
    const session = newSession();
    const recorded = {
      model: 'a',
      call_id: 'c-1',
      latency_ms: 3,
      started_at: '2026-01-01T01:00:00+01:00',
      temperature: 0,
    };
    await app.call('sessions.record_llm_call', recorded, session);
    const { session_metadata } = await seal(session, {
      session_metadata: { llm_calls: [{ model: 'b' }, {}, { provider: 'nothing more' }] },
      llm_calls: [{ input_tokens: 7 }],
    });
    expect(session_metadata.llm_calls).toMatchObject([
      {
        call_id: 'c-1',
        model: 'a',
        provider: '',
        input_tokens: 0,
        output_tokens: 0,
        cost_usd: null,
        latency_ms: 3,
        started_at: '2026-01-01T00:00:00.000Z',
        temperature: 0,
      },
      { model: 'b', latency_ms: null, started_at: '2026-01-01T00:00:00.000Z' },
      { model: '', input_tokens: 7 },
    ]);
    // How long a call took without a latency is not known either.
    const [timed, untimed] = (session_metadata.spans as object[]) ?? [];
    expect(timed).toMatchObject({ name: 'a', duration_ms: 3, ended_at: '2026-01-01T00:00:00.003Z' });
    expect(untimed).toMatchObject({ name: 'b', status: 'ok', duration_ms: null, ended_at: null });
  });

  it('are refused with what is wrong, and nothing is recorded', async () => {
    const { app } = await open(backend);
    const session = newSession();
    for (const bad of [
      { model: '' },
      { model: 'a', input_tokens: -1 },
      { model: 'a', cost_usd: -1 },
      { input_tokens: 1 },
    ])
      await expect(app.call('sessions.record_llm_call', bad as never, session)).rejects.toMatchObject({
        code: 'invalid_input',
      });
    expect((await app.call('sessions.explain', {}, session)).llm_calls).toEqual([]);
  });

  it('are priced by the table of the operator alone where there is one', async () => {
    const { app } = await open(backend, { settings: { llm_prices: PRICES } });
    const cost = async (input: object) =>
      (await app.call('sessions.record_llm_call', { model: 'my-model', ...input }, newSession())).cost_usd;
    expect(await cost({ input_tokens: MILLION, output_tokens: MILLION })).toBe(11);
    expect(await cost({ input_tokens: MILLION, cached_input_tokens: MILLION / 2 })).toBe(0.75);
    expect(await cost({ model: 'my-model-2026-01-01', input_tokens: MILLION })).toBe(1);
    expect(await cost({ model: 'gpt-4o', input_tokens: MILLION })).toBeNull();
  });
});

describe('MEM_LLM_PRICE_TABLE', () => {
  it('is the table itself, or the name of its file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mem-prices-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'prices.json');
    writeFileSync(file, JSON.stringify(PRICES));
    for (const MEM_LLM_PRICE_TABLE of [JSON.stringify(PRICES), file])
      expect(readConfig({ MEM_LLM_PRICE_TABLE }).settings.llm_prices).toEqual(PRICES);
    expect(readConfig({}).settings.llm_prices).toBeNull();
  });

  it.each(['{', '{"a": 1}', '{"a": {"input_per_1m": -1, "output_per_1m": 1}}', '/no/such/file.json'])(
    'stops the start when it is none: %s',
    (MEM_LLM_PRICE_TABLE) => {
      expect(() => readConfig({ MEM_LLM_PRICE_TABLE })).toThrow(/MEM_LLM_PRICE_TABLE is not a price table/);
    },
  );
});
