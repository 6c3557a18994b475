import { JsonText } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import { MAX_REDACT_CHARS } from './redact.ts';
import { capPayload } from './span-payloads.ts';
import { mergeSpansInSteps, normalizeSpan } from './spans.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 31, 12, 0, seconds)).toISOString();
function mergeSpans(parts: Parameters<typeof mergeSpansInSteps>[0]) {
  const steps = mergeSpansInSteps(parts);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

const one = (...parts: Record<string, unknown>[]) => mergeSpans(parts.map((part) => ({ span_id: 's', ...part })))[0];
const limit = { maxChars: 1000 };

describe('capPayload', () => {
  it('keeps a value that fits as it is', () => {
    for (const value of ['text', 7, false, null, [1, { a: 'b' }], { a: null }]) {
      expect(capPayload(value, 100)).toEqual({ value, truncated: false });
    }
    expect(capPayload('a'.repeat(10), 10)).toEqual({ value: 'a'.repeat(10), truncated: false });
    expect(capPayload(undefined, 10)).toEqual({ value: null, truncated: false });
  });

  it('makes text of what does not', () => {
    expect(capPayload('a'.repeat(11), 10)).toEqual({ value: 'a'.repeat(10), truncated: true });
    expect(capPayload({ name: 'a long one' }, 10)).toEqual({ value: '{"name":"a', truncated: true });
    expect(capPayload([1, 2, 3], 0)).toEqual({ value: '', truncated: true });
    expect(capPayload('ab😀', 3)).toEqual({ value: 'ab', truncated: true });
  });

  it('redacts before it cuts', () => {
    expect(capPayload({ password: 'hunter2' }, 100)).toEqual({
      value: { password: '[REDACTED:assignment]' },
      truncated: false,
    });
    expect(capPayload('run with password=hunter2', 20)).toEqual({ value: 'run with password=', truncated: true });
  });

  it('says so when redaction cut a text', () => {
    const long = 'a'.repeat(MAX_REDACT_CHARS + 1);
    const kept = long.slice(1);
    expect(capPayload(long, 1_000_000)).toEqual({ value: kept, truncated: true });
    expect(capPayload({ a: [long] }, 1_000_000)).toEqual({ value: { a: [kept] }, truncated: true });
    expect(capPayload(new JsonText(`{"a":"${kept}"}`), 1_000_000)).toEqual({ value: { a: kept }, truncated: false });
  });

  it('takes what is nested deep', () => {
    const deep = JSON.parse('['.repeat(5000) + ']'.repeat(5000));
    expect(JSON.stringify(capPayload(deep, 1000).value)).toContain('[REDACTED:too_deep]');
  });
});

describe('normalizeSpan', () => {
  it('keeps what was given and adds nothing', () => {
    expect(normalizeSpan({ span_id: 's' }, limit)).toEqual({ span_id: 's' });
    const span = {
      span_id: 's',
      parent_span_id: 'p',
      name: 'deploy',
      kind: 'tool',
      status: 'ok',
      error: 'none',
      started_at: at(0),
      ended_at: at(1),
      duration_ms: 1000,
      input: { a: 1 },
      input_truncated: false,
      output: null,
      output_truncated: false,
      attributes: { a: 1 },
      model: 'm',
      input_tokens: 1,
      output_tokens: 2,
      cost_usd: 0,
    };
    expect(normalizeSpan(span, limit)).toEqual(span);
  });

  it('leaves out what has no meaning', () => {
    const odd = {
      name: 7,
      kind: 'spirit',
      status: 'fine',
      started_at: 'now',
      duration_ms: -1,
      attributes: [1],
      extra: 1,
    };
    const empty = { parent_span_id: null, error: '', model: null, input_tokens: Number.NaN, input: undefined };
    expect(normalizeSpan({ span_id: 's', ...odd, ...empty }, limit)).toEqual({ span_id: 's' });
  });

  it('redacts names, errors, attributes and payloads', () => {
    const secret = 'password=hunter2';
    const hidden = 'password=[REDACTED:assignment]';
    expect(
      normalizeSpan(
        { span_id: 's', name: ` ${secret} `, error: secret, attributes: { token: 'abc' }, input: secret },
        limit,
      ),
    ).toEqual({
      span_id: 's',
      name: hidden,
      error: hidden,
      attributes: { token: '[REDACTED:assignment]' },
      input: hidden,
      input_truncated: false,
    });
  });

  it('caps payloads and remembers that the client did', () => {
    const given = { span_id: 's', input: 'a'.repeat(2000), output: 'b', output_truncated: true };
    expect(normalizeSpan(given, limit)).toEqual({
      span_id: 's',
      input: 'a'.repeat(1000),
      input_truncated: true,
      output: 'b',
      output_truncated: true,
    });
  });

  it('puts times into UTC', () => {
    const given = { span_id: 's', started_at: '2026-01-31T13:00:00+01:00', ended_at: '2026-01-31T12:00:01Z' };
    expect(normalizeSpan(given, limit)).toEqual({ span_id: 's', started_at: at(0), ended_at: at(1) });
  });
});

describe('mergeSpans', () => {
  it('fills in what was not said', () => {
    expect(one({})).toEqual({
      span_id: 's',
      parent_span_id: null,
      name: '',
      kind: 'agent',
      status: 'running',
      error: null,
      started_at: null,
      ended_at: null,
      duration_ms: null,
      input: null,
      output: null,
      input_truncated: false,
      output_truncated: false,
      attributes: {},
    });
  });

  it('puts together what was said at the start and at the end', () => {
    const start = { name: 'deploy', kind: 'tool', status: 'running', input: { a: 1 }, attributes: { a: 1, b: 1 } };
    const end = { kind: 'agent', status: 'ok', output: null, attributes: { b: 2 }, parent_span_id: null, name: null };
    expect(one({ ...start, recorded_at: at(0) }, { ...end, recorded_at: at(5) })).toMatchObject({
      name: 'deploy',
      kind: 'tool',
      status: 'ok',
      input: { a: 1 },
      output: null,
      attributes: { a: 1, b: 2 },
      started_at: at(0),
      ended_at: at(5),
      duration_ms: 5000,
    });
  });

  it('keeps the order in which spans were first recorded, and resolves their parents', () => {
    const spans = mergeSpans([
      { span_id: 'b', parent_span_id: 'a' },
      { span_id: 'a', parent_span_id: 'gone' },
      { span_id: 'b', name: 'again' },
    ]);
    expect(spans.map(({ span_id, parent_span_id, name }) => [span_id, parent_span_id, name])).toEqual([
      ['b', 'a', 'again'],
      ['a', null, ''],
    ]);
  });

  it.each([
    ['an end and a start', { started_at: at(0), ended_at: at(2) }, [at(0), at(2), 2000]],
    ['a start and a duration', { started_at: at(0), duration_ms: 2000 }, [at(0), at(2), 2000]],
    ['an end and a duration', { ended_at: at(2), duration_ms: 2000 }, [at(0), at(2), 2000]],
    ['a duration, told at its end', { duration_ms: 2000, recorded_at: at(9) }, [at(7), at(9), 2000]],
    [
      'a duration that was measured better',
      { started_at: at(0), ended_at: at(2), duration_ms: 1999.5 },
      [at(0), at(2), 1999.5],
    ],
    ['an end before the start', { started_at: at(2), ended_at: at(0) }, [at(2), at(0), 0]],
    ['nothing but that it is over', { status: 'ok', recorded_at: at(9) }, [at(9), at(9), null]],
    ['an end, told a little later', { ended_at: at(2), recorded_at: at(3) }, [at(2), at(2), null]],
    ['nothing but that it runs', { status: 'running', recorded_at: at(9) }, [at(9), null, null]],
    ['a duration beyond all times', { started_at: at(0), duration_ms: 1e300 }, [at(0), null, 1e300]],
  ])('tells the times by %s', (_, part, [started_at, ended_at, duration_ms]) => {
    expect(one(part)).toMatchObject({ started_at, ended_at, duration_ms });
  });

  it.each([
    [{}, 'running'],
    [{ ended_at: at(1) }, 'ok'],
    [{ duration_ms: 0 }, 'ok'],
    [{ status: 'running', ended_at: at(1) }, 'ok'],
    [{ error: 'x' }, 'error'],
    [{ status: 'running', error: 'x' }, 'running'],
    [{ status: 'running', error: 'x', ended_at: at(1) }, 'error'],
    [{ status: 'ok', error: 'x' }, 'ok'],
    [{ status: 'error' }, 'error'],
  ])('takes %j for %s', (part, status) => {
    expect(one(part)?.status).toBe(status);
  });

  it('keeps a member called __proto__ a member', () => {
    const span = one({ attributes: JSON.parse('{"__proto__": "x"}') });
    expect(JSON.stringify(span?.attributes)).toBe('{"__proto__":"x"}');
  });
});
