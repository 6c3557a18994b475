import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, 'instrumented-app.mjs');

/** Two of these libraries end no span for a call that fails. */
const LIBRARIES = [
  { library: '@opentelemetry/instrumentation-openai', reportsFailures: true },
  { library: '@traceloop/instrumentation-openai', reportsFailures: false },
  { library: '@arizeai/openinference-instrumentation-openai', reportsFailures: false },
];

describe.each(LIBRARIES)('a program with $library', ({ library, reportsFailures }) => {
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp('sqlite');
    server = await listen(app);
    await run(process.execPath, [program, library, server.url], { timeout: 25_000 });
  });
  afterAll(async () => {
    await server?.close();
    await app?.close();
  });

  it.each(['json', 'proto'])('that exports %s has its spans and calls in the sealed trace', async (form) => {
    const as = { agent_id: 'geographer', session_id: `${library} ${form}` };
    const { trace_id } = await app.call('outcomes.commit', { outcome_ref: as.session_id, outcome_type: 'success' }, as);
    const trace = await app.call('traces.read', { trace_id: trace_id as string }, as);
    const { spans, llm_calls } = trace.session_metadata;
    expect(await app.call('traces.verify', {}, as)).toMatchObject({ problems: [] });

    const top = spans.find(({ name }) => name === 'answer a question');
    expect(top).toMatchObject({ parent_span_id: null, status: 'ok', kind: 'agent' });
    const calls = spans.filter(({ kind }) => kind === 'llm');
    for (const call of calls) expect(call.parent_span_id).toBe(top?.span_id);
    expect(calls.map(({ status }) => status)).toEqual(reportsFailures ? ['ok', 'error'] : ['ok']);

    expect(llm_calls[0]).toMatchObject({
      model: 'gpt-4o-2024-08-06',
      input_tokens: 12,
      output_tokens: 3,
      cost_usd: 0.00006,
      provider: 'openai',
      latency_ms: expect.any(Number),
    });
    if (!reportsFailures) return;
    expect(calls[1]).toMatchObject({ error: expect.stringContaining('no such model') });
    expect(llm_calls[1]).toMatchObject({ model: 'no-model', cost_usd: null });
  });
});
