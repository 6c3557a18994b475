import { pause } from '../turns.ts';
import { AccountPauses } from './account-pauses.ts';
import { ConnectorWorker } from './connector-worker.ts';
import { EventQueue, type QueuedEvent, resolveEvent } from './event-queue.ts';
import { failed, late, readOutput } from './thread-outputs.ts';
import { eventText, MESSAGE_CHARS, parsed } from './thread-texts.ts';
import {
  type CallInput,
  type CallOutcome,
  type OptionalMethod,
  THREAD_LIMITS,
  type ThreadLimits,
  type ThreadMessage,
  type ThreadSpec,
} from './thread-types.ts';
import type { InboundEvent, Transformed, TransformFor } from './types.ts';

/** Where a thread ended, why, and what else it had been given. */
type BatchEnd = { reason: string; position: number; left: readonly QueuedEvent[] };
type QueuedCall = { input: CallInput; resolve: (outcome: CallOutcome) => void; arrived: number };
type CurrentJob = { id: number; since: number } & ({ call: QueuedCall } | { batch: QueuedEvent[]; done: number });
type WaitingStart = { resolve: (methods: ReadonlySet<OptionalMethod> | string) => void; arrived: number };

const TICK_MS = 50;
const IDLE_MS = 120_000;
const SLICE = 16;
const PAUSED = 'earlier events ended the thread of the connector: it takes this one later';
const MINUTE_MS = 60_000;
const RETRY_MS = { first: 100, longest: 30_000 };

/**
 * The thread of one connector. It does one thing at a time: a call, or a batch of all events that have arrived meanwhile. It
 * starts when it is needed, ends when it has been idle, and is stopped when it takes too long.
 */
export class ConnectorThread {
  readonly #spec: ThreadSpec;
  readonly #limits: ThreadLimits;
  readonly #calls: QueuedCall[] = [];
  readonly #events = new EventQueue();
  readonly #pauses: AccountPauses;
  #thread: ConnectorWorker | undefined;
  #methods: ReadonlySet<OptionalMethod> | undefined;
  #isReady = false;
  /** Given to the thread, in this order. */
  readonly #jobs: CurrentJob[] = [];
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
    this.#pauses = new AccountPauses(this.#limits.ends_a_minute, MINUTE_MS);
  }

  /** Too much is waiting already. */
  get isFull(): boolean {
    const { queued_events, queued_chars } = this.#limits;
    const { length, chars } = this.#events;
    return length >= queued_events || chars >= queued_chars || this.#calls.length >= queued_events;
  }

  /** The optional methods that the connector has, or why it does not run. */
  methods(): Promise<ReadonlySet<OptionalMethod> | string> {
    if (this.#methods) return Promise.resolve(this.#methods);
    return new Promise((resolve) => {
      this.#starts.push({ resolve, arrived: performance.now() });
      this.#next();
    });
  }

  call(input: CallInput): Promise<CallOutcome> {
    return new Promise((resolve) => {
      this.#calls.push({ input, resolve, arrived: performance.now() });
      this.#next();
    });
  }

  async transform(events: readonly InboundEvent[], { account_id = '' }: TransformFor = {}): Promise<Transformed[]> {
    const all: Promise<Transformed>[] = [];
    for (const [i, event] of events.entries()) {
      all.push(this.#enqueue(eventText(event), account_id));
      // The thread begins with the first while the others are written out.
      if (i % SLICE !== SLICE - 1) continue;
      this.#next();
      await pause();
    }
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

  #enqueue(text: string, account_id: string): Promise<Transformed> {
    if (this.#pauses.isPaused(account_id, performance.now())) return Promise.resolve(failed(PAUSED, true));
    if (this.isFull) return Promise.resolve(failed('too many events are waiting for this connector', true));
    return this.#events.add(text, account_id);
  }

  get #isAsked(): boolean {
    return this.#calls.length + this.#events.length + this.#starts.length > 0;
  }

  /** Starts the thread if there is something to do, and gives it the next thing. */
  #next(): void {
    if (this.#isClosed) this.#failAll('the service is being stopped');
    if (!this.#isAsked) return;
    this.#watch();
    if (!this.#thread) this.#start();
    else if (this.#isReady) this.#postNext();
  }

  /** A call waits for what was given to the thread before it, and nothing is given to it meanwhile. */
  #postNext(): void {
    const call = this.#jobs.length === 0 ? this.#calls.shift() : undefined;
    if (call) this.#post({ call }, call.input);
    else if (this.#calls.length === 0) this.#postBatch();
  }

  #postBatch(): void {
    let given = 0;
    for (const job of this.#jobs) given += 'batch' in job ? job.batch.length - job.done : this.#spec.batch_size;
    const batch = this.#events.take(this.#spec.batch_size - given, MESSAGE_CHARS);
    if (batch.length > 0) this.#post({ batch, done: 0 }, { events: batch.map(({ text }) => text) });
  }

  #post(work: { call: QueuedCall } | { batch: QueuedEvent[]; done: number }, message: object): void {
    const id = this.#nextId++;
    this.#jobs.push({ id, since: performance.now(), ...work });
    this.#thread?.post({ ...message, id });
  }

  #start(): void {
    const now = performance.now();
    if (this.#rest && now < this.#rest.until) {
      if (this.#rest.reason) this.#failAll(this.#rest.reason);
      return;
    }
    this.#startedAt = now;
    this.#isReady = false;
    this.#thread = new ConnectorWorker(this.#spec, this.#limits, {
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
    this.#restIfIdle();
  }

  async #receive({ id, output, outputs, failure }: ThreadMessage): Promise<void> {
    const [job] = this.#jobs;
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
    this.#jobs.shift();
    const now = performance.now();
    this.#idleSince = now;
    if (this.#jobs[0]) this.#jobs[0].since = now;
    this.#next();
    this.#restIfIdle();
  }

  /** The process may end while nothing is asked of the thread. */
  #restIfIdle(): void {
    if (this.#jobs.length === 0) this.#thread?.rest();
  }

  /** The event that the thread was at has failed. Those after it are tried again in the next thread. */
  #end(reason: string, isBroken: boolean): void {
    const [job, ...others] = this.#jobs.splice(0);
    const position = job ? (this.#thread?.positionIn(job.id) ?? 0) : 0;
    this.#thread = undefined;
    this.#isReady = false;
    const isExpected = !job && !isBroken;
    if (!isExpected && !this.#isClosed) {
      this.#spec.onWarning(`connector ${this.#spec.name}: ${reason}`);
      this.#ends++;
      const delay = this.#ends < 2 && !isBroken ? 0 : Math.min(RETRY_MS.longest, RETRY_MS.first * 2 ** this.#ends);
      this.#rest = { reason: isBroken ? reason : '', until: performance.now() + delay };
    }
    const left = others.flatMap((other) => ('batch' in other ? other.batch : []));
    if (job && 'call' in job) job.call.resolve({ failed: reason });
    if (job && 'batch' in job) this.#failOne(job, { reason, position, left });
    else this.#events.putBack(left);
    if (isBroken) this.#failAll(reason);
    this.#next();
  }

  /** Those that were not done are put back. */
  #failOne({ batch, done }: { batch: QueuedEvent[]; done: number }, { reason, position, left }: BatchEnd): void {
    const event = batch[Math.min(Math.max(position, done), batch.length - 1)];
    const others = batch.slice(done).filter((one) => one !== event);
    this.#events.putBack([...others, ...left], event?.account_id);
    if (!event) return;
    const now = performance.now();
    resolveEvent(event, late(reason));
    this.#pauses.addEnd(event.account_id, now);
    if (this.#pauses.isPaused(event.account_id, now)) this.#events.failAccount(event.account_id, PAUSED);
  }

  #failAll(reason: string): void {
    for (const { resolve } of this.#starts.splice(0)) resolve(reason);
    for (const { resolve } of this.#calls.splice(0)) resolve({ busy: reason });
    this.#events.failAll(reason);
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
    if (this.#jobs[0]) this.#jobs[0].since += held;
    this.#startedAt += held;
    this.#expire(now);
    const over = this.#overdue(now);
    if (over) this.#stop(over);
    else this.#next();
    if (this.#jobs.length > 0 || this.#isAsked) return;
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
    const [job] = this.#jobs;
    if (!job) return undefined;
    const spent = now - job.since;
    if ('call' in job) return spent > call_ms ? took(job.call.input.name, call_ms) : undefined;
    return spent > transform_ms ? took('transform', transform_ms) : undefined;
  }

  #expire(now: number): void {
    const { wait_ms } = this.#limits;
    const reason = `the connector was busy for ${wait_ms / 1000} s`;
    const isLate = ({ arrived }: { arrived: number }) => now - arrived > wait_ms;
    while (this.#calls[0] && isLate(this.#calls[0])) this.#calls.shift()?.resolve({ busy: reason });
    while (this.#starts[0] && isLate(this.#starts[0])) this.#starts.shift()?.resolve(reason);
    this.#events.expire(now - wait_ms, reason);
    for (const job of this.#jobs)
      if ('batch' in job) for (const event of job.batch) if (isLate(event)) resolveEvent(event, late(reason));
  }
}
