import { activeSession, type Client, createClient, isMemError, type Session, type Span } from '@mem-service/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { json, neverAnswer, standIn } from './stand-in.ts';

describe('a session of the client', () => {
  let app: TestApp;
  let server: TestServer;
  let mem: Client;
  let errors: unknown[];
  let session: Session;
  beforeAll(async () => {
    app = await openTestApp('sqlite');
    server = await listen(app);
    mem = createClient({ url: server.url, agentId: 'agent/sdk' });
    await mem.entries.write({ entityPath: 'a', key: 'k', value: 1, confidence: 0.5 });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });
  beforeEach(() => {
    errors = [];
    session = mem.session({ onError: (error) => errors.push(error) });
  });
  afterEach(() => session.close());

  const seal = async (of: Session = session) => {
    const { traceId } = await of.commitOutcome({ outcomeRef: `r-${of.sessionId}`, outcomeType: 'success' });
    return mem.traces.read({ traceId: traceId as string });
  };
  type SpanTree = Record<string, unknown> & { spanId: string; parentSpanId: string | null; name: string };
  const spansOf = (trace: Awaited<ReturnType<typeof seal>>) => {
    const spans = trace.sessionMetadata.spans as unknown as SpanTree[];
    return new Map(spans.map((span) => [span.name, span]));
  };
  /** Each span with the name of the one above it. */
  const placesOf = (trace: Awaited<ReturnType<typeof seal>>) => {
    const spans = [...spansOf(trace).values()];
    const nameOf = (id: string | null) => spans.find(({ spanId }) => spanId === id)?.name ?? null;
    return Object.fromEntries(spans.map(({ name, parentSpanId }) => [name, nameOf(parentSpanId)]));
  };

  it('keeps what is read and recorded in it together, apart from others, until its outcome', async () => {
    const other = mem.session();
    await other.entries.read({ entityPath: 'a', key: 'k' });
    await session.entries.read({ entityPath: 'a', key: 'k' });
    await session.recordContext({ label: 'ticket', summary: 'slow' });
    await session.recordAction({ toolName: 'deploy', arguments: { service_name: 'x' } });
    await session.recordError(new TypeError('no such thing'));
    await session.recordLlmCall({ model: 'gpt-4o', inputTokens: 10, outputTokens: 1 });
    await session.setAttributes({ team: 'payments' });
    const explained = await session.explain();
    expect(explained).toMatchObject({ status: 'open', sessionId: session.sessionId, agentId: 'agent/sdk' });
    const outcome = await session.commitOutcome({ outcomeRef: 'deploy-1', outcomeType: 'success' });
    expect(outcome.entries).toMatchObject([{ key: 'k', applied: true }]);
    expect(await mem.traces.read({ traceId: outcome.traceId as string })).toMatchObject({
      sessionId: session.sessionId,
      causalEntries: [{ entityPath: 'a', key: 'k', value: 1 }],
      externalContexts: [{ label: 'ticket' }],
      toolCalls: [{ toolName: 'deploy', arguments: { service_name: 'x' } }],
      errorEvents: [{ errorType: 'TypeError', message: 'no such thing', stackTrace: expect.stringContaining('at ') }],
      totalLlmCalls: 1,
      attributes: { team: 'payments' },
    });
    expect((await other.explain()).causalChainLength).toBe(1);
    await other.close();
    expect(session.sessionId).toMatch(/^[0-9a-f]{32}$/);
    expect(session.sessionId).not.toBe(other.sessionId);
  });

  it('takes the names it is given', async () => {
    const named = mem.session({ sessionId: 'task-7', agentId: 'agent/other' });
    const { provenance } = await named.entries.write({ entityPath: 'a', key: 'named', value: 1 });
    expect(provenance).toMatchObject({ sessionId: 'task-7', agentId: 'agent/other' });
    await named.close();
  });

  it('says so when it is used after its outcome, or after it was closed', async () => {
    const read = (of: Session) => of.entries.read({ entityPath: 'a', key: 'k' });
    await seal();
    expect(session.status).toBe('sealed');
    const late = [
      read(session),
      session.recordContext({ label: 'l', summary: 's' }),
      session.span('s', () => 1),
      seal(),
    ];
    for (const use of late) {
      const refusal = await use.then(
        () => undefined,
        (error) => error,
      );
      expect(isMemError(refusal, 'conflict')).toBe(true);
      expect(refusal.message).toContain(`the session ${session.sessionId} was sealed by its outcome r-`);
    }
    await expect(session.stream().next()).rejects.toThrow('was sealed');
    expect(() => session.startSpan('s')).toThrow('was sealed');

    const left = mem.session();
    await left.close();
    await left.close();
    expect(left.status).toBe('closed');
    await expect(read(left)).rejects.toThrow('was closed');
  });

  it('stays open when its outcome is refused, and when the outcome is of another session', async () => {
    await expect(session.commitOutcome({ outcomeRef: '', outcomeType: 'success' })).rejects.toThrow();
    expect(session.status).toBe('open');
    await session.outcomes.commit({ outcomeRef: 'theirs', outcomeType: 'success' }, { sessionId: 'another' });
    expect(session.status).toBe('open');
    await session.span('after the refusal', () => {});
    expect(spansOf(await seal()).get('after the refusal')).toMatchObject({ status: 'ok' });
  });

  it('is closed by `await using`', async () => {
    let kept: Session;
    {
      await using used = mem.session();
      kept = used;
      used.startSpan('left running');
    }
    expect(kept.status).toBe('closed');
    const again = mem.session({ sessionId: kept.sessionId });
    expect(spansOf(await seal(again)).get('left running')).toMatchObject({ status: 'running' });
  });

  it('nests spans through awaits, also where they run at the same time', async () => {
    const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
    const result = await session.span('task', { kind: 'agent', input: { asked: 'why' } }, async (task) => {
      expect(activeSession()).toBe(session);
      await Promise.all(
        ['left', 'right'].map((name) =>
          session.span(name, { kind: 'tool' }, async () => {
            await pause();
            await session.span(`${name} leaf`, pause);
          }),
        ),
      );
      await session.span('apart', { parent: null }, pause);
      task.set({ output: 'because', attributes: { tries: 2 } });
      return 42;
    });
    expect(result).toBe(42);
    expect(activeSession()).toBeUndefined();
    const trace = await seal();
    expect(placesOf(trace)).toEqual({
      task: null,
      left: 'task',
      right: 'task',
      'left leaf': 'left',
      'right leaf': 'right',
      apart: null,
    });
    expect(spansOf(trace).get('task')).toMatchObject({
      kind: 'agent',
      status: 'ok',
      input: { asked: 'why' },
      output: 'because',
      attributes: { tries: 2 },
      durationMs: expect.any(Number),
    });
    expect(errors).toEqual([]);
  });

  it('nests spans by hand where the runtime does not follow', async () => {
    const parent = session.startSpan('parent');
    await parent.span('child', (child) => child.span('grandchild', () => {}));
    parent.startSpan('started').end({ output: [1], attributes: { ok: true } });
    parent.startLlmCall({ model: 'm', provider: 'p' }).end({ inputTokens: 3 });
    parent.end();
    parent.end({ error: 'too late' });
    const trace = await seal();
    expect(placesOf(trace)).toEqual({
      parent: null,
      child: 'parent',
      grandchild: 'child',
      started: 'parent',
      'llm m': 'parent',
    });
    expect(spansOf(trace).get('parent')).toMatchObject({ status: 'ok' });
  });

  it('does not mix the spans of two sessions', async () => {
    const inner = mem.session();
    await session.span('outer', () => inner.span('inner', () => expect(activeSession()).toBe(inner)));
    expect(placesOf(await seal(inner))).toEqual({ inner: null });
    expect(placesOf(await seal())).toEqual({ outer: null });
  });

  it('records a span that fails, and throws what it threw', async () => {
    const failure = new RangeError('too far');
    await expect(session.span('fails', () => Promise.reject(failure))).rejects.toBe(failure);
    expect(spansOf(await seal()).get('fails')).toMatchObject({ status: 'error', error: 'RangeError: too far' });
  });

  it('records as running what has not ended when it is sealed', async () => {
    let outer: Span | undefined;
    const trace = await session.span('task', async (span) => {
      outer = span;
      return seal();
    });
    outer?.end();
    expect(spansOf(trace).get('task')).toMatchObject({ status: 'running' });
    expect(errors).toEqual([]);
    // What ended later has not begun a new session under the old name.
    await expect(mem.session({ sessionId: session.sessionId }).explain()).resolves.toMatchObject({ spans: [] });
  });

  it('closes an attempt that failed, with what was read for it', async () => {
    const failure = new Error('came back');
    const tried = session.attempt(async () => {
      await session.entries.read({ entityPath: 'a', key: 'k' });
      session.startSpan('first try').end();
      throw failure;
    });
    await expect(tried).rejects.toBe(failure);
    expect(await session.attempt(() => 'second')).toBe('second');
    const outcome = await session.commitOutcome({ outcomeRef: 'attempts', outcomeType: 'success' });
    expect(outcome.entries).toMatchObject([{ key: 'k', attempt: 1, outcomeType: 'minor_failure' }]);
    const trace = await mem.traces.read({ traceId: outcome.traceId as string });
    expect(trace.attempts).toMatchObject([{ attempt: 1, summary: 'came back' }]);
  });

  it('leaves out what cannot be sent, and names pictures by their length', async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    session.startSpan('circle', { input: circle }).end();
    const input = { text: 'so '.repeat(100_000), image: `data:image/png;base64,${'QUJD'.repeat(1000)}` };
    session.startSpan('picture', { input: { image: input.image } }).end();
    session.startSpan('long', { input }).end();
    const spans = spansOf(await seal());
    expect(spans.get('circle')).toMatchObject({ status: 'ok', input: null });
    expect(spans.get('picture')).toMatchObject({ input: { image: '[4022 characters left out]' } });
    expect(spans.get('long')).toMatchObject({ input_truncated: true });
    expect(errors).toHaveLength(1);
  });

  it('has the service redact the contents of spans', async () => {
    session.startSpan('s', { input: { password: 'hunter2-hunter2' } }).end();
    expect(JSON.stringify(spansOf(await seal()).get('s'))).not.toContain('hunter2');
  });
});

describe('a session whose service is in trouble', () => {
  it('does not hold up spans, and reports lost records, within bounds', async () => {
    const away = await standIn(neverAnswer);
    const errors: Error[] = [];
    const mem = createClient({ url: away.url, retries: 0 });
    const onError = (error: unknown) => void errors.push(error as Error);
    const session = mem.session({ onError, maxQueued: 10, flushTimeoutMs: 50 });
    for (let i = 0; i < 30; i++) expect(await session.span(`s${i}`, () => i)).toBe(i);
    await session.close();
    const dropped = errors.filter(({ message }) => message.startsWith('a record was dropped'));
    const givenUp = errors.filter(({ message }) => /^\d+ records were given up/.test(message));
    expect(dropped.length).toBeGreaterThanOrEqual(30 - 10 - 4);
    expect(givenUp).toHaveLength(1);
    expect(dropped.length + givenUp.reduce((sum, { message }) => sum + Number.parseInt(message, 10), 0)).toBe(30);
    await away.close();
  });

  it('holds no more than so much of what spans carry', async () => {
    const away = await standIn(neverAnswer);
    const errors: Error[] = [];
    const session = createClient({ url: away.url, retries: 0 }).session({
      onError: (error) => void errors.push(error as Error),
      flushTimeoutMs: 50,
    });
    const input = 'so '.repeat(80_000);
    for (let i = 0; i < 200; i++) session.startSpan('s', { input }).end();
    expect(errors.length).toBeGreaterThan(100);
    await session.close();
    await away.close();
  });

  it('can be stopped while it waits for its records', async () => {
    const away = await standIn(neverAnswer);
    const session = createClient({ url: away.url, retries: 0 }).session({ onError: () => {}, flushTimeoutMs: 200 });
    session.startSpan('s').end();
    const enough = new AbortController();
    const commit = session.commitOutcome({ outcomeRef: 'r', outcomeType: 'success' }, { signal: enough.signal });
    enough.abort(new Error('enough'));
    await expect(commit).rejects.toThrow('enough');
    expect(session.status).toBe('open');
    await session.close();
    await away.close();
  });

  it('warns once without an error listener, and survives a listener that throws', async () => {
    const refusing = await standIn(
      json(422, { code: 'invalid_input', status: 422, detail: 'no', title: '', type: '' }),
    );
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    try {
      const mem = createClient({ url: refusing.url });
      for (const options of [{}, { onError: () => JSON.parse('{') }]) {
        const session = mem.session(options);
        session.startSpan('one').end();
        session.startSpan('two').end();
        await session.close();
      }
      expect(refusing.seen).toHaveLength(4);
      expect(warn.mock.calls).toEqual([[expect.stringMatching(/^mem: not everything of session .*: MemError: no$/)]]);
    } finally {
      warn.mockRestore();
      await refusing.close();
    }
  });
});
