import { type OperationName, type Output, operations, type Request } from '@mem-service/contract';
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
  /** Default: a random one. */
  sessionId?: string | undefined;
  /** Default: that of the client. */
  agentId?: string | undefined;
  /** Told of what could not be recorded in the background. Default: the first is written with `console.warn`. */
  onError?: ((error: unknown) => void) | undefined;
  /** How many records may wait in the background; what comes on top is dropped, and told to `onError`. Default 1000. */
  maxQueued?: number | undefined;
  /** How long `flush`, `close` and `commitOutcome` wait for them. Default 10 s. */
  flushTimeoutMs?: number | undefined;
};

type SessionIdentity = { sessionId: string; agentId: string | undefined };
type Recording<N extends OperationName> = (
  input: Omit<Camel<Request<N>>, keyof SessionIdentity>,
  options?: CallOptions,
) => Promise<Camel<Output<N>>>;

/** One piece of work: what is read, written and recorded with it belongs together, and its outcome seals it. */
export type Session = Methods &
  Spans & {
    readonly sessionId: string;
    readonly agentId: string | undefined;
    readonly status: 'open' | 'sealed' | 'closed';
    recordContext: Recording<'sessions.record_context'>;
    recordAction: Recording<'sessions.record_action'>;
    recordLlmCall: Recording<'sessions.record_llm_call'>;
    recordAttempt: Recording<'sessions.record_attempt'>;
    /** Takes an error as it was thrown, too. */
    recordError(
      error: Error | Omit<Camel<Request<'sessions.record_error'>>, keyof SessionIdentity>,
      options?: CallOptions,
    ): Promise<Camel<Output<'sessions.record_error'>>>;
    setAttributes(
      attributes: Record<string, string | number | boolean | null>,
      options?: CallOptions,
    ): Promise<Camel<Output<'sessions.set_attributes'>>>;
    explain(options?: CallOptions): Promise<Camel<Output<'sessions.explain'>>>;
    /** Tries something. Where it throws, that is recorded as a failed attempt, and the error thrown on. */
    attempt<T>(work: () => T | Promise<T>): Promise<T>;
    /** Says how it went, which seals the session as a trace. From then on its methods are refused. */
    commitOutcome: Recording<'outcomes.commit'>;
    /** Waits for what is recorded in the background. */
    flush(): Promise<void>;
    /** The same, and ends the session here. Without an outcome it stays open at the service, under its id. */
    close(): Promise<void>;
    /** Told of what could not be recorded; never throws. */
    onError(error: unknown): void;
    [Symbol.asyncDispose](): Promise<void>;
  };

const active = createStorage<{ session: Session; span: Span }>();

/** The session of the span that is running. Undefined outside of one, and where the runtime cannot tell (browsers). */
export const activeSession = (): Session | undefined => active.getStore()?.session;

export function createSession(client: ClientOptions, options: SessionOptions): Session {
  const { sessionId = newKey(), agentId = client.agentId, maxQueued = 1000, flushTimeoutMs = 10_000 } = options;
  const bound = { ...client, agentId, sessionId };
  const send = createSend(bound);
  const onError = createReport(sessionId, options.onError);
  const life = new SessionLifecycle({ sessionId, agentId });
  const recorder = new BackgroundRecorder({
    send: (name, input, signal) => send(operations[name], input, { signal }),
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

/** Older browsers do not have it; what compiles `await using` for them looks for it under this name. */
const ASYNC_DISPOSE = (Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')) as typeof Symbol.asyncDispose;

type SessionBackground = { recorder: BackgroundRecorder; spans: SpanLog };

class SessionLifecycle {
  status: Session['status'] = 'open';
  reason: MemError | undefined;
  readonly #author: SessionIdentity;

  constructor(author: SessionIdentity) {
    this.#author = author;
  }

  /** Whether a call is about this session, and not one that it names itself. */
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
    // A new one each time, so that its stack tells who was late.
    if (this.reason) throw new MemError(this.reason.problem);
  }
}

function guardedSend(send: Send, life: SessionLifecycle, { recorder, spans }: SessionBackground): Send {
  return async (operation, input, options) => {
    life.check();
    // What asks for the records of the session must find those that are still on their way.
    const { needs_notes, seals } = operation;
    if (needs_notes !== 'of all servers' || !life.isMeant(input, options)) return send(operation, input, options);
    const isSeal = seals !== undefined && input[seals.unless] !== true;
    if (isSeal) spans.recordRunning();
    await unlessAborted(recorder.flush(), options.signal);
    if (!isSeal) return send(operation, input, options);
    recorder.hold();
    let answer: string;
    try {
      answer = await send(operation, input, options);
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
  return async function* events(operation, input, options) {
    life.check();
    yield* follow(operation, input, options);
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
      // Whoever listens must not break what is recorded.
    }
  };
}
