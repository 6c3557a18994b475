import { pause } from '../turns.ts';
import { RunningThread } from './running-thread.ts';
import { failed, readOutput } from './thread-outputs.ts';
import {
  type CallInput,
  type CallOutcome,
  type OptionalMethod,
  THREAD_LIMITS,
  type ThreadLimits,
  type ThreadMessage,
  type ThreadSpec,
} from './thread-types.ts';
import type { InboundEvent, Transformed } from './types.ts';

type QueuedCall = { input: CallInput; resolve: (outcome: CallOutcome) => void; arrived: number };
type QueuedEvent = { text: string; resolve: (transformed: Transformed) => void; arrived: number; isDone: boolean };
type CurrentJob = { id: number; since: number } & ({ call: QueuedCall } | { batch: QueuedEvent[]; done: number });
type WaitingStart = { resolve: (methods: ReadonlySet<OptionalMethod> | string) => void };

const TICK_MS = 50;
const IDLE_MS = 120_000;
/** A message is no longer than this, or has one event. */
const MESSAGE_CHARS = 1024 * 1024;
const RETRY_MS = { first: 100, longest: 30_000 };

/**
 * The thread of one connector. It does one thing at a time: a call, or a batch of all events that have arrived meanwhile. It
 * starts when it is needed, ends when it has been idle, and is stopped when it takes too long.
 */
export class ConnectorThread {
  readonly #spec: ThreadSpec;
  readonly #limits: ThreadLimits;
  readonly #calls: QueuedCall[] = [];
  #events: QueuedEvent[] = [];
  #queuedChars = 0;
  #thread: RunningThread | undefined;
  #methods: ReadonlySet<OptionalMethod> | undefined;
  #isReady = false;
  #job: CurrentJob | undefined;
  #startedAt = 0;
  #starts: WaitingStart[] = [];
  #ends = 0;
  /** Why it could not start, and when it may try again. */
  #rest: { reason: string; until: number } | undefined;
  #tick: NodeJS.Timeout | undefined;
  #lastTick = 0;
  #idleSince = 0;
  #nextId = 1;
  #isClosed = false;

  constructor(spec: ThreadSpec) {
    this.#spec = spec;
    this.#limits = { ...THREAD_LIMITS, ...spec.limits };
  }

  /** Too much is waiting already. */
  get isFull(): boolean {
    const { queued_events, queued_chars } = this.#limits;
    return (
      this.#events.length >= queued_events || this.#queuedChars >= queued_chars || this.#calls.length >= queued_events
    );
  }

  /** The optional methods that the connector has, or why it does not run. */
  methods(): Promise<ReadonlySet<OptionalMethod> | string> {
    if (this.#methods) return Promise.resolve(this.#methods);
    return new Promise((resolve) => {
      this.#starts.push({ resolve });
      this.#next();
    });
  }

  call(input: CallInput): Promise<CallOutcome> {
    return new Promise((resolve) => {
      this.#calls.push({ input, resolve, arrived: performance.now() });
      this.#next();
    });
  }

  transform(events: readonly InboundEvent[]): Promise<Transformed[]> {
    const all = events.map((event) => this.#enqueue(JSON.stringify(event)));
    this.#next();
    return Promise.all(all);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.stop('the service is being stopped');
    await this.#thread?.ended;
    this.#failAll('the service is being stopped');
    clearInterval(this.#tick);
  }

  #enqueue(text: string): Promise<Transformed> {
    if (this.isFull) return Promise.resolve(failed('too many events are waiting for this connector', true));
    this.#queuedChars += text.length;
    return new Promise((resolve) => {
      this.#events.push({ text, resolve, arrived: performance.now(), isDone: false });
    });
  }

  get #isAsked(): boolean {
    return this.#calls.length + this.#events.length + this.#starts.length > 0;
  }

  /** Starts the thread if there is something to do, and gives it the next thing. */
  #next(): void {
    if (this.#isClosed) this.#failAll('the service is being stopped');
    if (!this.#isAsked || this.#job) return;
    this.#watch();
    if (!this.#thread) this.#start();
    else if (this.#isReady) this.#postNext();
  }

  #postNext(): void {
    const begun = { id: this.#nextId++, since: performance.now() };
    const call = this.#calls.shift();
    const batch = call ? [] : this.#takeBatch();
    if (call) this.#post({ ...begun, call }, call.input);
    else if (batch.length > 0) this.#post({ ...begun, batch, done: 0 }, { events: batch.map(({ text }) => text) });
  }

  #post(job: CurrentJob, message: object): void {
    this.#job = job;
    this.#thread?.post({ ...message, id: job.id });
  }

  #takeBatch(): QueuedEvent[] {
    let [count, chars] = [0, 0];
    for (const { text } of this.#events) {
      if (count > 0 && (count >= this.#spec.batch_size || chars + text.length > MESSAGE_CHARS)) break;
      count++;
      chars += text.length;
    }
    this.#queuedChars -= chars;
    return this.#events.splice(0, count);
  }

  #start(): void {
    const now = performance.now();
    if (this.#rest && now < this.#rest.until) {
      if (this.#rest.reason) this.#failAll(this.#rest.reason);
      return;
    }
    this.#startedAt = now;
    this.#isReady = false;
    this.#thread = new RunningThread(this.#spec, this.#limits, {
      onReady: (methods) => this.#begin(methods),
      onMessage: (message) => void this.#receive(message),
      onEnd: (reason, isBroken) => this.#end(reason, isBroken),
    });
  }

  #begin(methods: ReadonlySet<OptionalMethod>): void {
    this.#methods = methods;
    this.#isReady = true;
    this.#rest = undefined;
    for (const { resolve } of this.#starts.splice(0)) resolve(methods);
    this.#next();
    if (!this.#job) this.#thread?.rest();
  }

  async #receive({ id, output, outputs, failure }: ThreadMessage): Promise<void> {
    const job = this.#job;
    if (!job || id !== job.id) return;
    this.#ends = 0;
    if ('call' in job) {
      this.#finish();
      return job.call.resolve(typeof failure === 'string' ? { failed: failure } : { output: parsed(output) });
    }
    if (!Array.isArray(outputs)) return;
    const finished = job.batch.slice(job.done, job.done + outputs.length);
    job.done += finished.length;
    job.since = performance.now();
    if (job.done >= job.batch.length) this.#finish();
    const { max_value_bytes } = this.#spec;
    for (const [i, event] of finished.entries()) {
      await pause();
      resolveEvent(event, readOutput(outputs[i], { max_value_bytes, max_result_chars: 2 * max_value_bytes }));
    }
  }

  #finish(): void {
    this.#job = undefined;
    this.#idleSince = performance.now();
    this.#next();
    if (!this.#job) this.#thread?.rest();
  }

  /** The event that the thread was at has failed. Those after it are tried again in the next thread. */
  #end(reason: string, isBroken: boolean): void {
    const { position = 0 } = this.#thread ?? {};
    this.#thread = undefined;
    this.#isReady = false;
    const job = this.#job;
    this.#job = undefined;
    const isExpected = !job && !isBroken;
    if (!isExpected && !this.#isClosed) {
      this.#spec.onWarning(`connector ${this.#spec.name}: ${reason}`);
      this.#ends++;
      const delay = this.#ends < 2 && !isBroken ? 0 : Math.min(RETRY_MS.longest, RETRY_MS.first * 2 ** this.#ends);
      this.#rest = { reason: isBroken ? reason : '', until: performance.now() + delay };
    }
    if (job && 'call' in job) job.call.resolve({ failed: reason });
    else if (job) this.#putBack(job, { reason, position });
    if (isBroken) this.#failAll(reason);
    this.#next();
  }

  #putBack({ batch, done }: { batch: QueuedEvent[]; done: number }, end: { reason: string; position: number }): void {
    const at = Math.min(Math.max(end.position, done), batch.length - 1);
    const left = batch.slice(done).filter((event) => event !== batch[at] && !event.isDone);
    for (const { text } of left) this.#queuedChars += text.length;
    this.#events = [...left, ...this.#events];
    const event = batch[at];
    if (event) resolveEvent(event, failed(end.reason, true));
  }

  #failAll(reason: string): void {
    for (const { resolve } of this.#starts.splice(0)) resolve(reason);
    for (const { resolve } of this.#calls.splice(0)) resolve({ busy: reason });
    for (const event of this.#events.splice(0)) resolveEvent(event, failed(reason, true));
    this.#queuedChars = 0;
  }

  #watch(): void {
    if (this.#tick) return;
    this.#lastTick = performance.now();
    this.#tick = setInterval(() => this.#check(), TICK_MS).unref();
  }

  /** Stops what takes too long, and gives up what has waited too long. */
  #check(): void {
    const now = performance.now();
    // A thread is not to blame for the time in which this one was held up.
    const held = now - this.#lastTick > 4 * TICK_MS ? now - this.#lastTick : 0;
    this.#lastTick = now;
    if (this.#job) this.#job.since += held;
    this.#startedAt += held;
    this.#expire(now);
    const over = this.#overdue(now);
    if (over) this.#stop(over);
    else if (!this.#job) this.#next();
    if (this.#job || this.#isAsked) return;
    if (this.#thread && now - this.#idleSince < IDLE_MS) return;
    clearInterval(this.#tick);
    this.#tick = undefined;
    this.#stop('has been idle');
  }

  /** It is given nothing more. */
  #stop(reason: string): void {
    this.#isReady = false;
    void this.#thread?.stop(reason);
  }

  #overdue(now: number): string | undefined {
    const { start_ms, call_ms, transform_ms } = this.#limits;
    const took = (what: string, ms: number) => `${what} took longer than ${ms / 1000} s`;
    if (this.#thread && !this.#isReady)
      return now - this.#startedAt > start_ms ? took('its start', start_ms) : undefined;
    if (!this.#job) return undefined;
    const spent = now - this.#job.since;
    if ('call' in this.#job) return spent > call_ms ? took(this.#job.call.input.name, call_ms) : undefined;
    return spent > transform_ms ? took('transform', transform_ms) : undefined;
  }

  #expire(now: number): void {
    const { wait_ms } = this.#limits;
    const reason = `the connector was busy for ${wait_ms / 1000} s`;
    const isLate = ({ arrived }: { arrived: number }) => now - arrived > wait_ms;
    while (this.#calls[0] && isLate(this.#calls[0])) this.#calls.shift()?.resolve({ busy: reason });
    while (this.#events[0] && isLate(this.#events[0])) {
      const event = this.#events.shift() as QueuedEvent;
      this.#queuedChars -= event.text.length;
      resolveEvent(event, failed(reason, true));
    }
    if (this.#job && 'batch' in this.#job)
      for (const event of this.#job.batch.slice(this.#job.done))
        if (isLate(event)) resolveEvent(event, failed(reason, true));
  }
}

/** The first result of an event counts. */
function resolveEvent(event: QueuedEvent, transformed: Transformed): void {
  if (event.isDone) return;
  event.isDone = true;
  event.resolve(transformed);
}

function parsed(output: unknown): unknown {
  try {
    return typeof output === 'string' && output.length <= MESSAGE_CHARS ? JSON.parse(output) : undefined;
  } catch {
    return undefined;
  }
}
