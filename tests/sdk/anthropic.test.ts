import Anthropic from '@anthropic-ai/sdk';
import type { Session } from '@mem-service/sdk';
import { instrumentAnthropic } from '@mem-service/sdk/anthropic';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bench, openBench } from './instrument-support.ts';

describe('an anthropic client that is instrumented', () => {
  let bench: Bench;
  let anthropic: Anthropic;
  let session: Session;
  let errors: unknown[];
  beforeAll(async () => {
    bench = await openBench();
  });
  afterAll(() => bench.close());
  beforeEach(() => {
    errors = [];
    anthropic = new Anthropic({ apiKey: 'sk-ant-test', baseURL: bench.providers.url, maxRetries: 0 });
    session = bench.mem.session({ onError: (error) => errors.push(error) });
  });
  afterEach(async () => {
    await session.close();
    expect(errors).toEqual([]);
  });

  const ask = (content: string) => ({
    model: 'claude-sonnet-4-20250514',
    max_tokens: 64,
    messages: [{ role: 'user' as const, content }],
  });
  const record = (options: Parameters<typeof instrumentAnthropic>[2] = {}) =>
    instrumentAnthropic(anthropic, session, options);
  /** The tokens from the cache are input, too. */
  const USAGE = { inputTokens: 2125, outputTokens: 15, cached_input_tokens: 2000 };
  const CALL = { ...USAGE, model: 'claude-sonnet-4-20250514', provider: 'anthropic', latencyMs: expect.any(Number) };

  it('records a message as a priced call and a span, below the span it was made in', async () => {
    record();
    const message = await session.span('task', () => anthropic.messages.create({ ...ask('hi'), system: 'be kind' }));
    expect(message.content).toMatchObject([{ type: 'text', text: 'Hello there!' }]);
    const { calls, spans, text } = await bench.sealed(session);
    expect(calls).toMatchObject([{ ...CALL, finish_reason: 'end_turn', costUsd: expect.any(Number) }]);
    const task = spans.find(({ name }) => name === 'task');
    expect(spans.find(({ kind }) => kind === 'llm')).toMatchObject({
      spanId: calls[0]?.callId,
      parentSpanId: task?.spanId,
      name: 'messages claude-sonnet-4-20250514',
      attributes: { provider: 'anthropic', operation: 'messages', cache_creation_input_tokens: 100 },
    });
    expect(text).not.toContain('Hello there!');
    expect(text).not.toContain('be kind');
  });

  it('records a stream of events, with its usage and the time of its first piece', async () => {
    record();
    const types: string[] = [];
    for await (const { type } of await anthropic.messages.create({ ...ask('hi'), stream: true })) types.push(type);
    expect([types[0], types.at(-1)]).toEqual(['message_start', 'message_stop']);
    const { calls, spans } = await bench.sealed(session);
    expect(calls).toMatchObject([{ ...CALL, finish_reason: 'end_turn' }]);
    expect(spans).toMatchObject([
      { status: 'ok', attributes: { stream: true, time_to_first_token_ms: expect.any(Number) } },
    ]);
  });

  it('keeps what messages.stream can do, and records it once', async () => {
    record({ captureContent: true });
    const stream = anthropic.messages.stream(ask('hi'));
    const received: string[] = [];
    stream.on('text', (text) => received.push(text));
    const { response, data } = await stream.withResponse();
    expect(response.status).toBe(200);
    expect(data).toBe(stream);
    expect(await stream.finalText()).toBe('Hello there!');
    expect((await stream.finalMessage()).usage.output_tokens).toBe(15);
    expect(received).toEqual(['Hello', ' there!']);
    const events: string[] = [];
    for await (const { type } of anthropic.messages.stream(ask('tool'))) events.push(type);
    expect(events.at(-1)).toBe('message_stop');
    const { calls, spans } = await bench.sealed(session);
    expect(calls.map(({ finish_reason }) => finish_reason)).toEqual(['end_turn', 'tool_use']);
    expect(spans).toMatchObject([
      { output: [{ type: 'text', text: 'Hello there!' }] },
      {
        input: { messages: [{ role: 'user', content: 'tool' }] },
        output: [{ type: 'tool_use', name: 'get_weather', partial_json: '{"location": "Berlin"}' }],
        attributes: { tools_called: 'get_weather' },
      },
    ]);
  });

  it('records a tool call, and the other ways to a message', async () => {
    record({ captureContent: true });
    const message = await anthropic.messages.create(ask('tool'));
    expect(message.stop_reason).toBe('tool_use');
    await anthropic.beta.messages.create(ask('hi'));
    expect((await anthropic.beta.messages.stream(ask('hi')).finalMessage()).content).toHaveLength(1);
    const { calls, spans } = await bench.sealed(session);
    expect(calls.map(({ finish_reason }) => finish_reason)).toEqual(['tool_use', 'end_turn', 'end_turn']);
    expect(spans[0]).toMatchObject({
      output: [{ type: 'tool_use', input: { location: 'Berlin' } }],
      attributes: { tools_called: 'get_weather' },
    });
  });

  it('records what is left early or aborted, and how far it came', async () => {
    record();
    for await (const event of await anthropic.messages.create({ ...ask('hang'), stream: true }))
      if (event.type === 'content_block_delta') break;
    for await (const event of anthropic.messages.stream(ask('hang'))) if (event.type === 'content_block_delta') break;
    const helped = anthropic.messages.stream(ask('hang'));
    helped.on('text', () => helped.abort());
    await expect(helped.done()).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
    const controller = new AbortController();
    const never = anthropic.messages.create(ask('never'), { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await expect(never).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
    const { calls, spans } = await bench.sealed(session);
    const cancelled = { inputTokens: 2125, finish_reason: 'cancelled' };
    expect(calls).toMatchObject([
      cancelled,
      cancelled,
      cancelled,
      { error: 'APIUserAbortError: Request was aborted.' },
    ]);
    expect(spans.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'error']);
    expect(spans[0]).toMatchObject({ attributes: { stopped_early: true } });
    expect(spans[3]).toMatchObject({ attributes: { aborted: true } });
  });

  it('records what fails, and throws the very same error', async () => {
    record();
    const plain = new Anthropic({ apiKey: 'k', baseURL: bench.providers.url, maxRetries: 0 });
    for (const words of ['busy', 'bad']) {
      const expected = await plain.messages.create(ask(words)).catch((error) => error);
      const error = await anthropic.messages.create(ask(words)).catch((error) => error);
      expect(error).toBeInstanceOf(expected.constructor);
      expect([error.status, error.message]).toEqual([expected.status, expected.message]);
    }
    for (const words of ['fault', 'break']) {
      const reading = async () => {
        for await (const _ of await anthropic.messages.create({ ...ask(words), stream: true }));
      };
      await expect(reading()).rejects.toThrow();
      await expect(anthropic.messages.stream(ask(words)).finalMessage()).rejects.toThrow();
    }
    const { calls, spans } = await bench.sealed(session);
    expect(calls).toHaveLength(6);
    for (const { error } of calls) expect(error).toMatch(/./);
    expect(spans.every(({ status }) => status === 'error')).toBe(true);
    expect(spans[0]).toMatchObject({ attributes: { http_status: 429, error_type: 'rate_limit_error' } });
    expect(spans[2]).toMatchObject({ attributes: { error_type: 'overloaded_error' } });
  });

  it('counts a call that the client makes several times as one', async () => {
    const retrying = new Anthropic({ apiKey: 'k', baseURL: bench.providers.url, maxRetries: 2 });
    instrumentAnthropic(retrying, session);
    const before = bench.providers.seen.length;
    await expect(retrying.messages.create(ask('busy'))).rejects.toMatchObject({ status: 429 });
    expect(bench.providers.seen.length).toBe(before + 3);
    expect((await bench.sealed(session)).calls).toHaveLength(1);
  });

  it('keeps what the promise of the client can do, and is as before once it is undone', async () => {
    const undo = record();
    const { data, request_id } = await anthropic.messages.create(ask('hi')).withResponse();
    expect([data.type, request_id]).toEqual(['message', 'req_011CSHoEeqs5C35K2UUqR7Fy']);
    const raw = await anthropic.messages.create(ask('hi')).asResponse();
    expect(await raw.json()).toMatchObject({ type: 'message' });
    undo();
    await anthropic.messages.create(ask('hi'));
    expect(Object.hasOwn(anthropic.messages, 'create')).toBe(false);
    expect((await bench.sealed(session)).calls).toHaveLength(2);
  });
});
