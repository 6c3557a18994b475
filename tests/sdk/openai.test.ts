import { createClient, type Session } from '@mem-service/sdk';
import { instrumentOpenAI } from '@mem-service/sdk/openai';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bench, openBench } from './instrument-support.ts';
import { neverAnswer, standIn } from './stand-in.ts';

describe('an openai client that is instrumented', () => {
  let bench: Bench;
  let openai: OpenAI;
  let session: Session;
  let errors: unknown[];
  beforeAll(async () => {
    bench = await openBench();
  });
  afterAll(() => bench.close());
  beforeEach(() => {
    errors = [];
    openai = new OpenAI({ apiKey: 'sk-test', baseURL: `${bench.providers.url}/v1`, maxRetries: 0 });
    session = bench.mem.session({ onError: (error) => errors.push(error) });
  });
  afterEach(async () => {
    await session.close();
    expect(errors).toEqual([]);
  });

  const ask = (content: string) => ({ model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content }] });
  const record = (options: Parameters<typeof instrumentOpenAI>[2] = {}) => instrumentOpenAI(openai, session, options);
  const CALL = {
    model: 'gpt-4o-mini-2024-07-18',
    provider: 'openai',
    latencyMs: expect.any(Number),
    startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  };
  const USAGE = { inputTokens: 1117, outputTokens: 46, cached_input_tokens: 1024 };

  it('records a chat completion as a priced call and a span, below the span it was made in', async () => {
    record();
    const completion = await session.span('task', () =>
      openai.chat.completions.create({ ...ask('hi'), temperature: 0.2 }),
    );
    expect(completion.choices[0]?.message.content).toBe('Hello there!');
    expect(completion._request_id).toBe('req_011CSHoEeqs5C35K2UUqR7Fy');
    const { calls, spans, text, totalTokens } = await bench.sealed(session);
    expect(calls).toMatchObject([
      { ...CALL, ...USAGE, temperature: 0.2, finish_reason: 'stop', costUsd: expect.any(Number) },
    ]);
    const task = spans.find(({ name }) => name === 'task');
    expect(spans.find(({ kind }) => kind === 'llm')).toMatchObject({
      spanId: calls[0]?.callId,
      parentSpanId: task?.spanId,
      name: 'chat gpt-4o-mini',
      status: 'ok',
      model: 'gpt-4o-mini-2024-07-18',
      attributes: { provider: 'openai', operation: 'chat', request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy' },
    });
    expect(totalTokens).toBe(1163);
    expect(text).not.toContain('Hello there!');
    expect(text).not.toContain('"hi"');
  });

  it('records content only where it is asked to, without secrets', async () => {
    record({ captureContent: true });
    await openai.chat.completions.create(ask('my password=hunter2-hunter2'));
    for await (const _ of await openai.chat.completions.create({ ...ask('tool'), stream: true }));
    const { spans, text } = await bench.sealed(session);
    expect(spans[0]).toMatchObject({ output: [{ role: 'assistant', content: 'Hello there!' }] });
    expect(spans[1]).toMatchObject({
      input: [{ role: 'user', content: 'tool' }],
      output: [{ tool_calls: [{ name: 'get_weather', arguments: '{"location":"Berlin"}' }] }],
    });
    expect(text).toContain('my password=');
    expect(text).not.toContain('hunter2');
  });

  it('records a stream that is read to its end, with its usage and the time of its first piece', async () => {
    record();
    const pieces: string[] = [];
    const stream = await openai.chat.completions.create({
      ...ask('hi'),
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta.content ?? (chunk.usage ? 'usage' : ''));
    expect(pieces).toEqual(['', 'Hello', ' there', '!', '', 'usage']);
    const { calls, spans } = await bench.sealed(session);
    expect(calls).toMatchObject([{ ...CALL, ...USAGE, finish_reason: 'stop' }]);
    expect(spans).toMatchObject([
      { status: 'ok', attributes: { stream: true, time_to_first_token_ms: expect.any(Number) } },
    ]);
  });

  it('does not ask for usage by itself: what is not known costs null, not nothing', async () => {
    record();
    for await (const _ of await openai.chat.completions.create({ ...ask('hi'), stream: true }));
    expect(bench.providers.seen.at(-1)?.body).not.toContain('stream_options');
    const { calls } = await bench.sealed(session);
    expect(calls).toMatchObject([{ ...CALL, costUsd: null, finish_reason: 'stop' }]);
  });

  it('asks for usage where it may, and keeps the piece to itself', async () => {
    record({ streamUsage: true });
    const read = async (more: object = {}) => {
      const stream = await openai.chat.completions.create({ ...ask('hi'), stream: true, ...more });
      let count = 0;
      for await (const chunk of stream) count += chunk.choices.length === 0 ? 100 : 1;
      return count;
    };
    expect(await read()).toBe(5);
    expect(JSON.parse(bench.providers.seen.at(-1)?.body ?? '')).toMatchObject({
      stream_options: { include_usage: true },
    });
    expect(await read({ stream_options: { include_usage: true } })).toBe(105);
    expect(await read({ stream_options: { include_usage: false } })).toBe(5);
    const { calls } = await bench.sealed(session);
    expect(calls.map(({ inputTokens }) => inputTokens)).toEqual([1117, 1117, 0]);
  });

  it('leaves a stream that is left early as it was, and records how far it came', async () => {
    record();
    for await (const chunk of await openai.chat.completions.create({ ...ask('hang'), stream: true }))
      if (chunk.choices[0]?.delta.content === 'Hello') break;
    const stopped = await openai.chat.completions.create({ ...ask('hang'), stream: true });
    let pieces = 0;
    for await (const _ of stopped) if (++pieces === 2) stopped.controller.abort();
    const { calls, spans } = await bench.sealed(session);
    expect(calls).toMatchObject([
      { ...CALL, finish_reason: 'cancelled' },
      { ...CALL, finish_reason: 'cancelled' },
    ]);
    for (const span of spans) expect(span).toMatchObject({ status: 'ok', attributes: { stopped_early: true } });
  });

  it('records what fails, and throws the very same error', async () => {
    record();
    const plain = new OpenAI({ apiKey: 'k', baseURL: openai.baseURL, maxRetries: 0 });
    for (const words of ['busy', 'bad']) {
      const expected = await plain.chat.completions.create(ask(words)).catch((error) => error);
      const error = await openai.chat.completions.create(ask(words)).catch((error) => error);
      expect(error).toBeInstanceOf(expected.constructor);
      expect([error.status, error.message, error.type]).toEqual([expected.status, expected.message, expected.type]);
    }
    const reading = async () => {
      for await (const _ of await openai.chat.completions.create({ ...ask('break'), stream: true }));
    };
    await expect(reading()).rejects.toThrow();
    const { calls, spans } = await bench.sealed(session);
    expect(calls.map(({ error }) => error)).toEqual([
      '429 Rate limit reached',
      '400 max_tokens: too large',
      expect.stringMatching(/./),
    ]);
    expect(spans).toMatchObject([
      { status: 'error', attributes: { http_status: 429, error_type: 'rate_limit_error' } },
      { status: 'error', attributes: { http_status: 400 } },
      { status: 'error' },
    ]);
  });

  it('records a call that is aborted', async () => {
    record();
    const controller = new AbortController();
    const call = openai.chat.completions.create(ask('never'), { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await expect(call).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    const { calls, spans } = await bench.sealed(session);
    expect(calls).toMatchObject([{ error: 'Request was aborted.' }]);
    expect(spans).toMatchObject([{ status: 'error', attributes: { aborted: true } }]);
  });

  it('keeps what the promise of the client can do', async () => {
    record();
    const { data, response, request_id } = await openai.chat.completions.create(ask('hi')).withResponse();
    expect(data.choices[0]?.message.content).toBe('Hello there!');
    expect([response.status, request_id]).toEqual([200, 'req_011CSHoEeqs5C35K2UUqR7Fy']);
    const raw = await openai.chat.completions.create(ask('hi')).asResponse();
    expect(await raw.json()).toMatchObject({ object: 'chat.completion' });
    let isOver = false;
    const chained = openai.chat.completions.create(ask('bad')).finally(() => {
      isOver = true;
    });
    expect(await chained.catch((error) => error.status)).toBe(400);
    expect(isOver).toBe(true);
    expect(await openai.chat.completions.create(ask('bad')).catch((error) => error.status)).toBe(400);
    expect(openai.chat.completions.create(ask('hi'))).toBeInstanceOf(Promise);
    const { calls, spans } = await bench.sealed(session);
    expect(calls).toMatchObject([
      USAGE,
      { inputTokens: 0 },
      { error: expect.any(String) },
      { error: expect.any(String) },
    ]);
    expect(spans[1]).toMatchObject({ attributes: { raw_response: true, http_status: 200 } });
    // The one that nobody waited for.
    expect(spans.filter(({ status }) => status === 'running')).toHaveLength(1);
  });

  it('keeps what its streams can do', async () => {
    record();
    const stream = await openai.chat.completions.create({ ...ask('hi'), stream: true });
    const count = async (of: AsyncIterable<unknown>) => {
      let pieces = 0;
      for await (const _ of of) pieces++;
      return pieces;
    };
    expect(await Promise.all(stream.tee().map(count))).toEqual([5, 5]);
    const again = await openai.chat.completions.create({ ...ask('hi'), stream: true });
    const lines = await new Response(again.toReadableStream() as ReadableStream).text();
    expect(lines.trim().split('\n')).toHaveLength(5);
    await expect(count(again)).rejects.toThrow('Cannot iterate over a consumed stream');
    expect((await bench.sealed(session)).calls).toHaveLength(2);
  });

  it('records what the helpers of the client do', async () => {
    record();
    const completion = await openai.chat.completions.stream({ ...ask('hi') }).finalChatCompletion();
    expect(completion.choices[0]?.message.content).toBe('Hello there!');
    const parsed = await openai.chat.completions.parse(ask('tool'));
    expect(parsed.choices[0]?.message.tool_calls?.[0]?.function.name).toBe('get_weather');
    expect(await openai.chat.completions.parse(ask('bad')).catch((error) => error.status)).toBe(400);
    const tool = {
      type: 'function' as const,
      function: { name: 'get_weather', description: '', parameters: {}, parse: JSON.parse, function: () => 'sunny' },
    };
    const runner = openai.chat.completions.runTools({ ...ask('tool'), tools: [tool] });
    expect(await runner.finalContent()).toBe('Hello there!');
    const { calls, spans } = await bench.sealed(session);
    expect(calls.map(({ finish_reason }) => finish_reason)).toEqual([
      'stop',
      'tool_calls',
      undefined,
      'tool_calls',
      'stop',
    ]);
    expect(spans[1]).toMatchObject({ attributes: { tools_called: 'get_weather' } });
  });

  it('records responses, whole and streamed', async () => {
    record({ captureContent: true });
    const response = await openai.responses.create({ model: 'gpt-4.1', input: 'hi', instructions: 'be kind' });
    expect(response.output_text).toBe('Hello there!');
    const types: string[] = [];
    for await (const { type } of await openai.responses.create({ model: 'gpt-4.1', input: 'hi', stream: true }))
      types.push(type);
    expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed']);
    expect((await openai.responses.stream({ model: 'gpt-4.1', input: 'hi' }).finalResponse()).status).toBe('completed');
    await openai.responses.create({ model: 'gpt-4.1', input: 'tool' });
    await expect(openai.responses.create({ model: 'gpt-4.1', input: 'busy' })).rejects.toMatchObject({ status: 429 });
    const { calls, spans } = await bench.sealed(session);
    const usage = {
      model: 'gpt-4.1',
      inputTokens: 36,
      outputTokens: 87,
      cached_input_tokens: 12,
      finish_reason: 'completed',
    };
    expect(calls).toMatchObject([usage, usage, usage, usage, { error: '429 Rate limit reached' }]);
    expect(spans[0]).toMatchObject({
      name: 'responses gpt-4.1',
      input: { instructions: 'be kind', input: 'hi' },
      output: [{ type: 'message', content: [{ text: 'Hello there!' }] }],
    });
    expect(spans[1]).toMatchObject({ attributes: { time_to_first_token_ms: expect.any(Number) } });
    expect(spans[3]).toMatchObject({ attributes: { tools_called: 'get_weather' } });
  });

  it('records embeddings, without their vectors', async () => {
    record({ captureContent: true });
    const { data } = await openai.embeddings.create({ model: 'text-embedding-3-small', input: 'words' });
    expect([...(data[0]?.embedding ?? [])]).toEqual([0.25, -0.5, 1]);
    const { calls, spans, text } = await bench.sealed(session);
    expect(calls).toMatchObject([{ model: 'text-embedding-3-small', inputTokens: 8, outputTokens: 0 }]);
    expect(spans).toMatchObject([{ name: 'embeddings text-embedding-3-small', input: 'words', output: null }]);
    expect(text).not.toContain('-0.5');
  });

  it('is as before once it is undone, also below another instrumentation', async () => {
    const before = openai.chat.completions.create;
    const undo = record();
    const other = bench.mem.session();
    const undoOther = instrumentOpenAI(openai, other);
    undo();
    await openai.chat.completions.create(ask('hi'));
    undoOther();
    await openai.chat.completions.create(ask('hi'));
    undo();
    expect((await bench.sealed(session)).calls).toHaveLength(0);
    expect((await bench.sealed(other)).calls).toHaveLength(1);
    const fresh = instrumentOpenAI(openai, session);
    fresh();
    expect(openai.chat.completions.create(ask('hi'))).toBeInstanceOf(Promise);
    const clean = new OpenAI({ apiKey: 'k' });
    instrumentOpenAI(clean, session)();
    expect(Object.hasOwn(clean.chat.completions, 'create')).toBe(false);
    expect(clean.chat.completions.create).toBe(before);
  });

  it('serves many sessions at once, each call in the one it was made in', async () => {
    const { activeSession } = await import('@mem-service/sdk');
    instrumentOpenAI(openai, activeSession, { provider: 'openrouter' });
    await openai.chat.completions.create(ask('outside'));
    const counts = await Promise.all(
      [1, 2, 3].map(async (count) => {
        const own = bench.mem.session();
        await own.span('task', async () => {
          for (let i = 0; i < count; i++) await openai.chat.completions.create(ask('hi'));
        });
        const { calls, spans } = await bench.sealed(own);
        expect(calls[0]).toMatchObject({ provider: 'openrouter' });
        expect(spans).toHaveLength(count + 1);
        return calls.length;
      }),
    );
    expect(counts).toEqual([1, 2, 3]);
  });

  it('goes on working after its session is sealed', async () => {
    record();
    const open = await openai.chat.completions.create({ ...ask('hi'), stream: true });
    await bench.sealed(session);
    let pieces = 0;
    for await (const _ of open) pieces++;
    expect(pieces).toBe(5);
    expect((await openai.chat.completions.create(ask('hi'))).choices).toHaveLength(1);
  });

  it('is not held up by a service that is away, or never answers', async () => {
    const silent = await standIn(neverAnswer);
    for (const url of [silent.url, 'http://127.0.0.1:1']) {
      const lost: unknown[] = [];
      const mem = createClient({ url, retries: 0, timeoutMs: 60_000 });
      const away = mem.session({ onError: (error) => lost.push(error), flushTimeoutMs: 50 });
      const undo = instrumentOpenAI(openai, away);
      for (let i = 0; i < 3; i++) expect((await openai.chat.completions.create(ask('hi'))).choices).toHaveLength(1);
      for await (const _ of await openai.chat.completions.create({ ...ask('hi'), stream: true }));
      undo();
      await away.close();
      expect(lost.length).toBeGreaterThan(0);
    }
    await silent.close();
  });

  it('is refused where it is no such client', () => {
    expect(() => instrumentOpenAI({}, session)).toThrow('chat.completions.create');
  });
});

it('a client of another kind that returns plain promises is recorded too', async () => {
  const bench = await openBench();
  try {
    const session = bench.mem.session();
    const fake = {
      chat: {
        completions: {
          create: async (_: unknown) => ({ model: 'm', usage: { prompt_tokens: 1, completion_tokens: 2 } }),
        },
      },
    };
    instrumentOpenAI(fake, session, { provider: 'local' });
    expect(await fake.chat.completions.create({ model: 'm' })).toMatchObject({ model: 'm' });
    expect((await bench.sealed(session)).calls).toMatchObject([{ model: 'm', provider: 'local', inputTokens: 1 }]);
  } finally {
    await bench.close();
  }
});
