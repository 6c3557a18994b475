import { describe, expect, it } from 'vitest';
import { type CallContext, normalizeCall, normalizeCalls, totalsOf } from './llm-calls.ts';

const now = '2026-01-31T12:00:00.000Z';
const context = (): CallContext => {
  let ids = 0;
  return { prices: { m: { input_per_1m: 1, output_per_1m: 2 } }, now, newId: () => `id-${++ids}` };
};
const filled = { call_id: 'id-1', provider: '', latency_ms: null, started_at: now };

describe('normalizeCall', () => {
  it('keeps what was given', () => {
    const given = {
      call_id: 'c1',
      model: 'm',
      provider: 'p',
      input_tokens: 10,
      output_tokens: 5,
      cost_usd: 0.25,
      latency_ms: 12.5,
      started_at: '2026-01-31T10:00:00.000Z',
    };
    expect(normalizeCall(given, context())).toEqual({ call: given });
  });

  it('fills in what was not, and prices the call', () => {
    expect(normalizeCall({ model: ' m ', input_tokens: 1_000_000, output_tokens: 500_000 }, context())).toEqual({
      call: { ...filled, model: 'm', input_tokens: 1_000_000, output_tokens: 500_000, cost_usd: 2 },
    });
    expect(normalizeCall({ model: 'm', call_id: null, cost_usd: null, started_at: null }, context())).toEqual({
      call: { ...filled, model: 'm', input_tokens: 0, output_tokens: 0, cost_usd: null },
    });
  });

  it('has no cost for a model without a price, and keeps a cost of nothing that was given', () => {
    expect(normalizeCall({ model: 'x', input_tokens: 5 }, context())).toMatchObject({ call: { cost_usd: null } });
    expect(normalizeCall({ model: 'x', cost_usd: 0 }, context())).toMatchObject({ call: { cost_usd: 0 } });
  });

  it('keeps other fields, without their secrets', () => {
    const given = { model: 'm', temperature: 0.2, finish_reason: 'stop', error: 'password=hunter2', api_key: 'abc' };
    expect(normalizeCall({ ...given, cached_input_tokens: 3, nothing: undefined }, context())).toEqual({
      call: {
        ...filled,
        model: 'm',
        input_tokens: 0,
        output_tokens: 0,
        cost_usd: null,
        temperature: 0.2,
        finish_reason: 'stop',
        error: 'password=[REDACTED:assignment]',
        api_key: '[REDACTED:assignment]',
        cached_input_tokens: 3,
      },
    });
  });

  it('puts times into UTC', () => {
    const given = { model: 'm', started_at: '2026-01-31T12:00:00+02:00' };
    expect(normalizeCall(given, context())).toMatchObject({ call: { started_at: '2026-01-31T10:00:00.000Z' } });
  });

  it.each([
    ['model', undefined],
    ['model', null],
    ['model', ''],
    ['model', '   '],
    ['model', 'm'.repeat(257)],
    ['model', 'm\0'],
    ['model', 7],
    ['provider', 7],
    ['call_id', ''],
    ['input_tokens', -1],
    ['input_tokens', 1.5],
    ['output_tokens', '12'],
    ['output_tokens', Number.NaN],
    ['cached_input_tokens', -1],
    ['cost_usd', -0.01],
    ['cost_usd', Number.POSITIVE_INFINITY],
    ['latency_ms', '5'],
    ['started_at', 'yesterday'],
  ])('says that %s is not to be %j', (path, value) => {
    expect(normalizeCall({ model: 'm', [path]: value }, context())).toEqual({
      errors: [{ path, message: expect.stringMatching(/^(is|must)/) }],
    });
  });

  it('reports every problem', () => {
    const result = normalizeCall({ input_tokens: -1, cost_usd: 'free' }, context());
    expect('errors' in result && result.errors.map(({ path }) => path)).toEqual(['model', 'input_tokens', 'cost_usd']);
  });

  it('keeps a field called __proto__ a field', () => {
    const result = normalizeCall(JSON.parse('{"model": "m", "__proto__": {"model": "x"}}'), context());
    expect(JSON.stringify(result)).toContain('"__proto__":{"model":"x"}');
    const listed = normalizeCalls(
      [JSON.parse('{"model": "m", "__proto__": 1, "constructor": 2, "toString": 3}')],
      context(),
    );
    expect(JSON.stringify(listed)).toContain('"__proto__":1,"constructor":2,"toString":3');
  });
});

describe('normalizeCalls', () => {
  it('leaves out what says nothing', () => {
    const given = [
      {},
      null,
      'call',
      [],
      { provider: 'p', latency_ms: 5 },
      { model: '  ', input_tokens: 0 },
      { model: 'm' },
      { output_tokens: 7 },
    ];
    expect(normalizeCalls(given, context())).toEqual([
      { ...filled, model: 'm', input_tokens: 0, output_tokens: 0, cost_usd: null },
      { ...filled, call_id: 'id-2', model: '', input_tokens: 0, output_tokens: 7, cost_usd: null },
    ]);
  });

  it('takes a bad field for one that was not given', () => {
    const given = {
      model: 'm',
      input_tokens: -5,
      output_tokens: 1_000_000,
      cost_usd: '3',
      started_at: 5,
      latency_ms: -1,
    };
    expect(normalizeCalls([{ ...given, cached_input_tokens: 'x', temperature: 1 }], context())).toEqual([
      { ...filled, model: 'm', input_tokens: 0, output_tokens: 1_000_000, cost_usd: 2, temperature: 1 },
    ]);
  });
});

describe('totalsOf', () => {
  const call = (input_tokens: number, output_tokens: number, cost_usd: number | null) => ({
    input_tokens,
    output_tokens,
    cost_usd,
  });

  it('adds up calls that all have a cost', () => {
    expect(totalsOf([call(10, 5, 0.1), call(1, 2, 0.2)])).toEqual({
      total_llm_calls: 2,
      total_input_tokens: 11,
      total_output_tokens: 7,
      total_tokens: 18,
      total_cost_usd: 0.3,
      known_cost_usd: 0.3,
    });
  });

  it('has no total where one cost is unknown, but what is known', () => {
    expect(totalsOf([call(10, 5, 0.1), call(1, 2, null)])).toMatchObject({ total_cost_usd: null, known_cost_usd: 0.1 });
    expect(totalsOf([call(1, 2, null)])).toMatchObject({ total_cost_usd: null, known_cost_usd: null });
  });

  it('does not take no calls for calls that cost nothing', () => {
    expect(totalsOf([])).toEqual({
      total_llm_calls: 0,
      total_input_tokens: 0,
      total_output_tokens: 0,
      total_tokens: 0,
      total_cost_usd: null,
      known_cost_usd: null,
    });
    expect(totalsOf([call(0, 0, 0)])).toMatchObject({ total_cost_usd: 0, known_cost_usd: 0 });
  });
});
