import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { chat, exportOf, type JsonObject, newSpanId, newTraceId, type OtelSpanOptions, otelSpan } from './support.ts';

describe.each(backends)('spans of an exporter on %s', (backend) => {
  let app: TestApp;
  let session = 0;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const newSession = () => `chat-${++session}`;
  const ingest = (spans: readonly OtelSpanOptions[], resource: JsonObject = {}, more: JsonObject = {}) =>
    app.call('sessions.ingest_otlp', { ...exportOf(spans.map(otelSpan), resource), ...more } as never);
  const open = (agent_id: string, session_id: string) => app.call('sessions.explain', {}, { agent_id, session_id });
  const seal = async (agent_id: string, session_id: string) => {
    const input = { outcome_ref: `run-${session_id}`, outcome_type: 'success' as const };
    const { trace_id } = await app.call('outcomes.commit', input, { agent_id, session_id });
    return app.call('traces.read', { trace_id: trace_id as string }, { agent_id });
  };

  it('become spans and priced calls of their session, and are sealed with its outcome', async () => {
    const name = newSession();
    const [traceId, root, call, tool] = [newTraceId(), newSpanId(), newSpanId(), newSpanId()];
    const agent = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'planner', 'session.id': name };
    const answer = await ingest([
      { traceId, spanId: call, parentSpanId: root, name: 'chat gpt-4o', at: 10, took: 1500, attributes: chat() },
      {
        traceId,
        spanId: tool,
        parentSpanId: root,
        name: 'execute_tool search',
        at: 20,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'search',
          'gen_ai.tool.call.arguments': '{"q":"rates"}',
          'gen_ai.tool.call.result': '3 hits',
        },
      },
      { traceId, spanId: root, name: 'invoke_agent planner', at: 0, took: 4000, attributes: agent },
    ]);
    expect(answer).toMatchObject({
      recorded: [{ agent_id: 'planner', session_id: name, spans: 3, llm_calls: 1 }],
      duplicate_spans: 0,
      ignored_spans: 0,
      unchanged: false,
    });
    expect(answer).not.toHaveProperty('partialSuccess');

    const trace = await seal('planner', name);
    const { spans, llm_calls } = trace.session_metadata;
    const id = (span: string) => `${traceId}-${span}`;
    expect(spans.map(({ span_id, parent_span_id, kind }) => [span_id, parent_span_id, kind])).toEqual([
      [id(call), id(root), 'llm'],
      [id(tool), id(root), 'tool'],
      [id(root), null, 'agent'],
    ]);
    expect(spans[0]).toMatchObject({
      name: 'chat gpt-4o',
      status: 'ok',
      started_at: '2026-01-01T00:00:00.010Z',
      ended_at: '2026-01-01T00:00:01.510Z',
      duration_ms: 1500,
      model: 'gpt-4o',
      input_tokens: 1000,
      output_tokens: 200,
      cost_usd: 0.0045,
    });
    expect(spans[1]).toMatchObject({ input: { q: 'rates' }, output: '3 hits' });
    expect(llm_calls).toEqual([
      expect.objectContaining({
        call_id: id(call),
        model: 'gpt-4o',
        provider: 'openai',
        input_tokens: 1000,
        output_tokens: 200,
        cost_usd: 0.0045,
        latency_ms: 1500,
        started_at: '2026-01-01T00:00:00.010Z',
      }),
    ]);
    expect(trace).toMatchObject({ total_llm_calls: 1, total_tokens: 1200, total_cost_usd: 0.0045 });
  });

  it('count once, however often a batch is sent, also after its session was sealed', async () => {
    const name = newSession();
    const traceId = newTraceId();
    const spans = [{ traceId, spanId: newSpanId(), attributes: chat({ 'session.id': name }) }];
    await ingest([...spans, ...spans], { 'service.name': 'bot' });
    expect(await ingest(spans, { 'service.name': 'bot' })).toMatchObject({ duplicate_spans: 1, unchanged: true });
    expect((await seal('bot', name)).total_llm_calls).toBe(1);
    expect(await ingest(spans, { 'service.name': 'bot' })).toMatchObject({ duplicate_spans: 1, recorded: [] });
    expect((await open('bot', name)).spans).toEqual([]);
  });

  it('of two traces may have the same id in one session, and stay two', async () => {
    const name = newSession();
    const spanId = newSpanId();
    for (const traceId of [newTraceId(), newTraceId()])
      await ingest([{ traceId, spanId, attributes: chat({ 'session.id': name }) }], { 'service.name': 'bot' });
    const { spans, llm_calls } = await open('bot', name);
    expect([spans.length, llm_calls.length]).toEqual([2, 2]);
  });

  it('find their parent when it comes in a later batch, and their session when the parent brings it', async () => {
    const name = newSession();
    const [traceId, root, child] = [newTraceId(), newSpanId(), newSpanId()];
    const first = await ingest([{ traceId, spanId: child, parentSpanId: root, attributes: chat() }], {
      'service.name': 'bot',
    });
    expect(first.recorded).toEqual([{ agent_id: 'bot', session_id: traceId, spans: 1, llm_calls: 1 }]);
    const agent = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'planner', 'session.id': name };
    await ingest([{ traceId, spanId: root, attributes: agent }], { 'service.name': 'bot' });

    const { spans, llm_calls } = await open('planner', name);
    expect(spans.map(({ span_id, parent_span_id }) => [span_id, parent_span_id])).toEqual([
      [`${traceId}-${child}`, `${traceId}-${root}`],
      [`${traceId}-${root}`, null],
    ]);
    expect(llm_calls.length).toBe(1);
    expect(await open('bot', traceId)).toMatchObject({ spans: [], llm_calls: [], session_started_at: null });
    expect(await ingest([{ traceId, spanId: child, attributes: chat() }])).toMatchObject({ duplicate_spans: 1 });
    expect((await seal('planner', name)).total_llm_calls).toBe(1);
  });

  it('go to the session named by the span, else its resource, else the request, else their trace', async () => {
    const [a, b, c] = [newSession(), newSession(), newSession()];
    const request = { session_id: c, agent_id: 'by-request' };
    const placeOf = async (attributes: JsonObject, resource: JsonObject = {}, more: JsonObject = request) => {
      const { recorded } = await ingest([{ attributes: chat(attributes) }], resource, more);
      return [recorded[0]?.agent_id, recorded[0]?.session_id];
    };
    const resource = { 'service.name': 'svc', 'session.id': b };
    expect(await placeOf({ 'session.id': a }, resource)).toEqual(['by-request', a]);
    expect(await placeOf({ 'gen_ai.conversation.id': a, 'gen_ai.agent.id': 'asst' }, resource)).toEqual(['asst', a]);
    expect(await placeOf({ 'session.id': b, 'mem.session_id': a, 'mem.agent_id': 'me' })).toEqual(['me', a]);
    expect(await placeOf({}, resource)).toEqual(['by-request', b]);
    expect(await placeOf({}, { 'service.name': 'svc' })).toEqual(['by-request', c]);
    expect(await placeOf({}, { 'service.name': 'svc' }, { session_id: c })).toEqual(['svc', c]);
    expect(await placeOf({}, { 'service.name': 'unknown_service:node' }, { session_id: c })).toEqual(['agent/test', c]);
    const traceId = newTraceId();
    const { recorded } = await ingest([{ traceId, attributes: chat() }]);
    expect(recorded).toEqual([{ agent_id: 'agent/test', session_id: traceId, spans: 1, llm_calls: 1 }]);
    // An invalid session name is ignored.
    const odd = await ingest([{ traceId, attributes: chat({ 'session.id': 'a\u0001b' }) }]);
    expect(odd.recorded).toMatchObject([{ session_id: traceId }]);
  });

  it('of other work are kept with the session of their trace, and passed over where there is none', async () => {
    const name = newSession();
    const traceId = newTraceId();
    const http = { 'http.request.method': 'GET', 'url.full': 'https://user:hunter2secret@example.test/' };
    const answer = await ingest([
      { traceId, name: 'GET', attributes: http },
      { traceId, attributes: chat({ 'session.id': name }) },
      { name: 'SELECT', attributes: { 'db.system': 'postgresql' } },
    ]);
    expect(answer).toMatchObject({ recorded: [{ session_id: name, spans: 2, llm_calls: 1 }], ignored_spans: 1 });
    expect(answer).not.toHaveProperty('partialSuccess');
    // The next batch of the trace names no session; the session of the first batch is used.
    const later = await ingest([{ traceId, name: 'POST', attributes: { 'http.request.method': 'POST' } }]);
    expect(later).toMatchObject({ recorded: [{ session_id: name, spans: 1, llm_calls: 0 }] });
    const { spans } = await open('agent/test', name);
    expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
      ['GET', 'agent'],
      ['work', 'llm'],
      ['POST', 'agent'],
    ]);
    expect(JSON.stringify(spans)).not.toContain('hunter2secret');
  });

  it('that are invalid are reported, while the others are stored', async () => {
    const name = newSession();
    const good = otelSpan({ attributes: chat({ 'session.id': name }) });
    const bad = [{ ...good, traceId: 'short' }, { ...good, spanId: '0'.repeat(16) }, { name: 'nothing' }];
    const answer = await app.call('sessions.ingest_otlp', exportOf([...bad, good]) as never);
    expect(answer).toMatchObject({
      partialSuccess: { rejectedSpans: '3', errorMessage: expect.stringContaining('traceId') },
      recorded: [{ session_id: name, spans: 1 }],
    });
  });

  it('are rejected and reported when their session is full', async () => {
    const name = newSession();
    const spans = Array.from({ length: 5100 }, () => ({ attributes: chat({ 'session.id': name }) }));
    const answer = await ingest(spans);
    expect(answer).toMatchObject({
      partialSuccess: { rejectedSpans: '100', errorMessage: expect.stringContaining('10,000 records') },
      recorded: [{ spans: 5000, llm_calls: 5000 }],
    });
  });

  it('hold the error, redacted and cut to size', async () => {
    const name = newSession();
    const key = 'sk-proj-Abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG';
    await ingest([
      {
        attributes: chat({
          'session.id': name,
          'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ content: `my key is ${key}` }] }]),
          'gen_ai.output.messages': 'x'.repeat(100_000),
          'app.note': key,
        }),
        status: { code: 2 },
        events: [
          {
            name: 'exception',
            attributes: { 'exception.type': 'TimeoutError', 'exception.message': `no answer ${key}` },
          },
        ],
      },
    ]);
    const { spans, llm_calls } = await open('agent/test', name);
    expect(spans[0]).toMatchObject({
      status: 'error',
      error: expect.stringContaining('no answer'),
      output_truncated: true,
      events: [{ name: 'exception', attributes: { 'exception.type': 'TimeoutError' } }],
    });
    expect(spans[0]?.output).toHaveLength(32_000);
    expect(llm_calls[0]).toMatchObject({ error: expect.stringContaining('no answer') });
    expect(JSON.stringify([spans, llm_calls])).not.toContain(key);
  });

  it('of models without a price have no cost', async () => {
    const name = newSession();
    await ingest([{ attributes: chat({ 'session.id': name, 'gen_ai.request.model': 'my-own-model' }) }]);
    expect((await open('agent/test', name)).llm_calls).toMatchObject([{ model: 'my-own-model', cost_usd: null }]);
  });

  it('are deleted after a week, not before', async () => {
    const rows = async () =>
      (await app.kernel.services.database.scan.all({ text: 'SELECT span_id FROM otel_spans', values: [] })).length;
    await ingest([{ attributes: chat() }]);
    const before = await rows();
    app.clock.advance(6 * 24 * 60 * 60 * 1000);
    await app.jobs.sweep();
    expect(await rows()).toBe(before);
    app.clock.advance(2 * 24 * 60 * 60 * 1000);
    await app.jobs.sweep();
    expect(await rows()).toBe(0);
  });

  it('leave one event for each session, shown on its timeline', async () => {
    const name = newSession();
    await ingest([{ attributes: chat({ 'session.id': name }) }, { attributes: chat({ 'session.id': name }) }]);
    const { events } = await app.call('agents.timeline', { agent_id: 'agent/test', limit: 1 });
    expect(events[0]).toMatchObject({ summary: 'Exported 2 spans with 2 calls of language models' });
  });
});
