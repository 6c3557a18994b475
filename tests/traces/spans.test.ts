import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPath, newSession } from '../sessions/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

describe.each(backends)('spans on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend, { settings: { span_payload_max_chars: 100 } });
  });
  afterAll(() => app.close());

  const record = (as: object, input: object) => app.call('sessions.record_span', input as never, as);
  const seal = async (as: object, input: object = {}) => {
    const outcome = { outcome_ref: newPath(), outcome_type: 'success' as const, ...input };
    const { trace_id } = await app.call('outcomes.commit', outcome, as);
    return (await app.call('traces.read', { trace_id: trace_id as string })).session_metadata.spans;
  };

  it('that start and end later are one, with what was said at both times', async () => {
    const session = newSession();
    const { span_id } = await record(session, { name: 'deploy', kind: 'tool', input: { a: 1 }, attributes: { x: 1 } });
    const started_at = new Date(app.clock.now()).toISOString();
    expect((await app.call('sessions.explain', {}, session)).spans).toMatchObject([
      { span_id, status: 'running', started_at, ended_at: null, duration_ms: null },
    ]);
    app.clock.advance(2500);
    await record(session, { span_id, status: 'ok', output: [2], attributes: { y: true } });
    expect(await seal(session)).toMatchObject([
      {
        span_id,
        parent_span_id: null,
        name: 'deploy',
        kind: 'tool',
        status: 'ok',
        started_at,
        ended_at: new Date(app.clock.now()).toISOString(),
        duration_ms: 2500,
        input: { a: 1 },
        output: [2],
        input_truncated: false,
        attributes: { x: 1, y: true },
      },
    ]);
  });

  it('nest, and those whose parent is not there stand at the top', async () => {
    const session = newSession();
    await record(session, { span_id: 'a', name: 'a' });
    await record(session, { span_id: 'b', name: 'b', parent_span_id: 'a' });
    await record(session, { span_id: 'c', name: 'c', parent_span_id: 'nobody' });
    const spans = await seal(session, {
      session_metadata: { spans: [{ span_id: 'd', name: 'd', parent_span_id: 'b' }] },
    });
    expect(spans.map(({ span_id, parent_span_id }) => [span_id, parent_span_id])).toEqual([
      ['a', null],
      ['b', 'a'],
      ['c', null],
      ['d', 'b'],
    ]);
  });

  it('have payloads of bounded length, and say when they were cut', async () => {
    const session = newSession();
    const long = { list: Array.from({ length: 100 }, (_, i) => i) };
    await record(session, { name: 'long', input: long, output: 'x'.repeat(100) });
    await record(session, { name: 'longer', output: 'x'.repeat(101) });
    const [first, second] = (await seal(session)) as Record<string, unknown>[];
    expect(first).toMatchObject({ input_truncated: true, output: 'x'.repeat(100), output_truncated: false });
    expect(first?.input).toBe(JSON.stringify(long).slice(0, 100));
    expect(second).toMatchObject({ output: 'x'.repeat(100), output_truncated: true });
  });

  it('of an error keep it, and a new one needs a name', async () => {
    const session = newSession();
    await record(session, { name: 'fails', error: 'no such host', duration_ms: 5 });
    expect(await seal(session)).toMatchObject([{ status: 'error', error: 'no such host', duration_ms: 5 }]);
    await expect(record(session, { status: 'ok' })).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(record(session, { name: 'x', kind: 'unknown' })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('are not in lists, where they may be large', async () => {
    const session = newSession();
    await record(session, { name: 'x' });
    const outcome_ref = newPath();
    await app.call('outcomes.commit', { outcome_ref, outcome_type: 'success' }, session);
    const { traces } = await app.call('traces.list', { outcome_ref });
    expect(traces[0]?.session_metadata.spans).toEqual([]);
  });
});
