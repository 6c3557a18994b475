import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { longestTurnOf } from '../support/turns.ts';
import { exportOf, newTraceId, otelSpan } from './support.ts';

const MAX_MS = 50;

/** What instrumented clients of models send with a call. */
const ORDINARY = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.system': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.response.model': 'gpt-4o-2024-08-06',
  'gen_ai.usage.input_tokens': 120,
  'gen_ai.usage.output_tokens': 48,
  'gen_ai.request.temperature': 0.2,
  'server.address': 'api.example.com',
  'server.port': 443,
  'http.response.status_code': 200,
  'app.step': 'plan the next step',
  'app.tenant': 'acme',
};

describe.each(backends)('an export of many spans on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp(backend);
    server = await listen(app);
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  it('takes thousands of ordinary spans in one request, in JSON', async () => {
    const traceId = newTraceId();
    const spans = Array.from({ length: 2500 }, () => otelSpan({ traceId, attributes: ORDINARY }));
    const answer = await fetch(`${server.url}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(exportOf(spans)),
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ recorded: [{ spans: 2500, llm_calls: 2500 }], duplicate_spans: 0 });
  });

  it('lets other requests have their turn, also where each span has a trace of its own', async () => {
    const spans = () => Array.from({ length: 4000 }, () => otelSpan({ attributes: { 'gen_ai.system': 'x' } }));
    const inputs = [0, 1, 2].map(() => ({ ...exportOf(spans()), session_id: newTraceId() }));
    await new Promise(setImmediate);
    const longest = await longestTurnOf((n) => app.call('sessions.ingest_otlp', inputs[n] as never));
    expect(longest).toBeLessThan(MAX_MS);
  });
});
