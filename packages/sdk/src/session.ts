import type { OperationName, Output, Request } from '@mem-service/contract';
import { routes } from '@mem-service/contract/client';
import { createStorage } from './active.ts';
import type { Camel } from './camel.ts';
import { MemError, problemOf } from './error.ts';
import { createLines } from './lines.ts';
import { createMethods } from './methods.ts';
import { cut, errorText } from './payload.ts';
import { BackgroundRecorder } from './recorder.ts';
import type { Span, Spans } from './span-types.ts';
import { SpanLog } from './spans.ts';
import { createStream } from './stream.ts';
import { type CallOptions, type ClientOptions, createSend, newKey, type Send, unlessAborted } from './transport.ts';
import type { Methods } from './types.ts';

export type SessionOptions = {
  /** Default: a random id. */
  sessionId?: string | undefined;
  /** Default: the agent of the client. */
  agentId?: string | undefined;
  /** Receives errors of background records. Default: the first is written with `console.warn`. */
  onError?: ((error: unknown) => void) | undefined;
  /** The limit of queued background records; further ones are dropped and reported to `onError`. Default 1000. */
  maxQueued?: number | undefined;
  /** How long `flush`, `close` and `commitOutcome` wait for queued records. Default 10 s. */
  flushTimeoutMs?: number | undefined;
};

type SessionIdentity = { sessionId: string; agentId: string | undefined };
type Recording<N extends OperationName> = (
  input: Omit<Camel<Request<N>>, keyof SessionIdentity>,
  options?: CallOptions,
) => Promise<Camel<Output<N>>>;

/** One piece of work: its reads, writes and records belong together, and its outcome seals them. */
export type Session = Methods &
  Spans & {
    readonly sessionId: string;
    readonly agentId: string | undefined;
    readonly status: 'open' | 'sealed' | 'closed';
    recordContext: Recording<'sessions.record_context'>;
    recordAction: Recording<'sessions.record_action'>;
    recordLlmCall: Recording<'sessions.record_llm_call'>;
    recordAttempt: Recording<'sessions.record_attempt'>;
    /** Also accepts an error as it was thrown. */
    recordError(
      error: Error | Omit<Camel<Request<'sessions.record_error'>>, keyof SessionIdentity>,
      options?: CallOptions,
    ): Promise<Camel<Output<'sessions.record_error'>>>;
    setAttributes(
      attributes: Record<string, string | number | boolean | null>,
      options?: CallOptions,
    ): Promise<Camel<Output<'sessions.set_attributes'>>>;
    explain(options?: CallOptions): Promise<Camel<Output<'sessions.explain'>>>;
    /** Runs the work. If it throws, the failed attempt is recorded and the error is rethrown. */
    attempt<T>(work: () => T | Promise<T>): Promise<T>;
    /** Reports the outcome, which seals the session as a trace. After that the session's methods are refused. */
    commitOutcome: Recording<'outcomes.commit'>;
    /** Waits until queued records are sent. */
    flush(): Promise<void>;
    /** Flushes, and ends the session in this process. Without an outcome it stays open in the service, under its id. */
    close(): Promise<void>;
    /** Receives errors of background records; never throws. */
    onError(error: unknown): void;
    [Symbol.asyncDispose](): Promise<void>;
  };

const active = createStorage<{ session: Session; span: Span }>();

/** The session of the active span. Undefined outside of a span, and where the runtime does not track it (browsers). */
export const activeSession = (): Session | undefined => active.getStore()?.session;

export function createSession(client: ClientOptions, options: SessionOptions): Session {
  const { sessionId = newKey(), agentId = client.agentId, maxQueued = 1000, flushTimeoutMs = 10_000 } = options;
  const bound = { ...client, agentId, sessionId };
  const send = createSend(bound);
  const onError = createReport(sessionId, options.onError);
  const life = new SessionLifecycle({ sessionId, agentId });
  const recorder = new BackgroundRecorder({
    send: (name, input, signal) => send(routes[name], input, { signal }),
    report: onError,
    maxQueued,
    flushTimeoutMs,
  });
  const spans = new SpanLog({
    recorder,
    report: onError,
    check: () => life.check(),
    run: (span, work) => active.run({ session, span }, work),
    active: () => (activeSession() === session ? active.getStore()?.span : undefined),
  });
  const background = { recorder, spans };
  const methods = createMethods({
    send: guardedSend(send, life, background),
    follow: followWhileOpen(createStream(bound), life),
    list: followWhileOpen(createLines(bound), life),
  });
  const session: Session = {
    ...methods,
    ...spans.below(() => undefined),
    ...recordingOf(methods, onError),
    sessionId,
    agentId,
    onError,
    get status() {
      return life.status;
    },
    flush: () => recorder.flush(),
    close: () => close(life, background),
    [ASYNC_DISPOSE]: () => close(life, background),
  } as Session;
  return session;
}

/** Missing in older browsers; code that is compiled from `await using` for them looks for this name. */
const ASYNC_DISPOSE = (Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')) as typeof Symbol.asyncDispose;

type SessionBackground = { recorder: BackgroundRecorder; spans: SpanLog };

class SessionLifecycle {
  status: Session['status'] = 'open';
  reason: MemError | undefined;
  readonly #author: SessionIdentity;

  constructor(author: SessionIdentity) {
    this.#author = author;
  }

  /** Whether a call belongs to this session, and does not name another one. */
  isMeant(input: Record<string, unknown>, options: CallOptions): boolean {
    const { sessionId, agentId } = this.#author;
    const ofSession = (input.session_id ?? options.sessionId ?? sessionId) === sessionId;
    return ofSession && (input.agent_id ?? options.agentId ?? agentId) === agentId;
  }

  end(status: 'sealed' | 'closed', how: string): MemError {
    this.status = status;
    const detail = `the session ${this.#author.sessionId} ${how}; begin another one with session()`;
    this.reason = new MemError(problemOf('conflict', detail));
    return this.reason;
  }

  check(): void {
    // A new error each time, so that its stack shows the late call.
    if (this.reason) throw new MemError(this.reason.problem);
  }
}

function guardedSend(send: Send, life: SessionLifecycle, { recorder, spans }: SessionBackground): Send {
  return async (route, input, options) => {
    life.check();
    // An operation that reads the session's records must find those that are still queued.
    const { needs_notes, seals } = route;
    if (needs_notes !== 'of all servers' || !life.isMeant(input, options)) return send(route, input, options);
    const isSeal = seals !== undefined && input[seals.unless] !== true;
    if (isSeal) spans.recordRunning();
    await unlessAborted(recorder.flush(), options.signal);
    if (!isSeal) return send(route, input, options);
    recorder.hold();
    let answer: string;
    try {
      answer = await send(route, input, options);
    } catch (error) {
      recorder.release();
      throw error;
    }
    spans.dropOpen();
    recorder.end(life.end('sealed', `was sealed by its outcome ${input[seals.named_by]}`));
    return answer;
  };
}

function followWhileOpen(
  follow: ReturnType<typeof createStream>,
  life: SessionLifecycle,
): ReturnType<typeof createStream> {
  return async function* events(route, input, options) {
    life.check();
    yield* follow(route, input, options);
  };
}

async function close(life: SessionLifecycle, { recorder, spans }: SessionBackground): Promise<void> {
  if (life.status !== 'open') return;
  spans.recordRunning();
  spans.dropOpen();
  const reason = life.end('closed', 'was closed');
  await recorder.flush();
  recorder.end(reason);
}

function recordingOf({ sessions, outcomes }: Methods, onError: (error: unknown) => void) {
  return {
    recordContext: sessions.recordContext,
    recordAction: sessions.recordAction,
    recordLlmCall: sessions.recordLlmCall,
    recordAttempt: sessions.recordAttempt,
    commitOutcome: outcomes.commit,
    explain: (options?: CallOptions) => sessions.explain({}, options),
    setAttributes: (attributes: Record<string, unknown>, options?: CallOptions) =>
      sessions.setAttributes({ attributes }, options),
    recordError: (error: Error | Camel<Request<'sessions.record_error'>>, options?: CallOptions) =>
      sessions.recordError(error instanceof Error ? thrown(error) : error, options),
    async attempt<T>(work: () => T | Promise<T>): Promise<T> {
      try {
        return await work();
      } catch (error) {
        await sessions.recordAttempt({ summary: errorText(error) }).catch(onError);
        throw error;
      }
    },
  };
}

function thrown({ name, message, stack }: Error): Camel<Request<'sessions.record_error'>> {
  return { errorType: cut(name || 'Error', 256), message, ...(stack === undefined ? {} : { stackTrace: stack }) };
}

function createReport(sessionId: string, given: ((error: unknown) => void) | undefined): (error: unknown) => void {
  let isReported = false;
  const warn = (error: unknown) => {
    if (!isReported) console.warn(`mem: not everything of session ${sessionId} is recorded: ${errorText(error)}`);
    isReported = true;
  };
  return (error) => {
    try {
      (given ?? warn)(error);
    } catch {
      // An error in the caller's handler must not break recording.
    }
  };
}
