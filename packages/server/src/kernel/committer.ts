import { Fault, type OperationName } from '@mem-service/contract';
import { StorageError, type Transaction } from '../db/index.ts';
import type { Caller } from './caller.ts';
import {
  hashRequest,
  type IdempotentRequest,
  idempotentName,
  type JobResult,
  replayStoredAnswers,
  storeAnswer,
} from './idempotency.ts';
import { inputSize } from './input-size.ts';
import { writeCharge } from './metering.ts';
import type { HandlerOptions, Services } from './module.ts';
import type { NotesGaps } from './notes-gap.ts';
import type { WriteResult } from './result.ts';
import type { Lineage } from './view.ts';
import { type LogEvent, Work } from './work.ts';

type AnyWriteItem = {
  input: unknown;
  caller: Caller;
  lineage?: Lineage;
  gaps?: NotesGaps | undefined;
  prepared?: unknown;
};
type WriteHandlerOptions = Pick<HandlerOptions<OperationName>, 'exclusive' | 'unaudited'>;
type OneHandler = WriteHandlerOptions & {
  kind: 'write';
  run: (work: Work, item: never) => Promise<WriteResult<unknown>>;
};
type SetHandler = WriteHandlerOptions & {
  kind: 'set';
  run: (work: Work, items: never) => Promise<(WriteResult<unknown> | Fault)[]>;
};

/** A queued write: its handler, input and caller. */
export type WriteJob = AnyWriteItem & { name: string; handler: OneHandler | SetHandler };

type QueuedWrite = WriteJob &
  IdempotentRequest & { size: number; resolve: (output: unknown) => void; reject: (error: unknown) => void };

type HandlerResult = WriteResult<unknown> | { error: unknown };

const MAX_BATCH = 256;
const MAX_GATHER_MS = 10;
const MAX_WAITING_WRITES = 10_000;
const MAX_WAITING_CHARS = 256 * 1024 * 1024;

export type CommitObserver = {
  committed(events: readonly LogEvent[], accountId: string): void;
  batch(size: number): void;
};

/**
 * Group commit. Writes that arrive together share one transaction and one flush to disk; a write that fails does not
 * affect the others. No request is answered before its transaction is durable.
 */
export class Committer {
  readonly #services: Services;
  readonly #observer: CommitObserver;
  readonly #lanes = new Map<string, QueuedWrite[]>();
  readonly #running = new Map<string, Promise<void>>();
  #waitingChars = 0;
  #isNewConnected = false;

  constructor(services: Services, observer: CommitObserver) {
    this.#services = services;
    this.#observer = observer;
  }

  submit(job: WriteJob): Promise<unknown> {
    const lane = this.#services.database.dialect.lane(job.caller.account_id);
    const queue = this.#lanes.get(lane) ?? [];
    const size = inputSize(job.input);
    if (this.#isFull(queue, size))
      return Promise.reject(new Fault('unavailable', 'too many writes are waiting', { retry_after: 1 }));
    this.#lanes.set(lane, queue);
    return new Promise((resolve, reject) => {
      const { idempotency_key } = job.caller;
      const request_hash = idempotency_key === undefined ? undefined : hashRequest(job.name, job.input, job.caller);
      queue.push({ idempotency_key, request_hash, size, resolve, reject, ...job });
      this.#waitingChars += size;
      if (!this.#running.has(lane)) this.#running.set(lane, this.#drain(lane, queue));
    });
  }

  /** Waiting writes are held in memory. An empty queue always takes one write. */
  #isFull(queue: QueuedWrite[], size: number): boolean {
    const { max_waiting_writes = MAX_WAITING_WRITES, max_waiting_chars = MAX_WAITING_CHARS } = this.#services.limits;
    if (queue.length >= max_waiting_writes) return true;
    return this.#waitingChars > 0 && this.#waitingChars + size > max_waiting_chars;
  }

  get queued(): number {
    let count = 0;
    for (const queue of this.#lanes.values()) count += queue.length;
    return count;
  }

  async close(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async #drain(lane: string, queue: QueuedWrite[]): Promise<void> {
    while (queue.length > 0) {
      await this.#gather(queue);
      const batch = takeBatch(queue);
      await this.#commit(batch);
      for (const { size } of batch) this.#waitingChars -= size;
    }
    this.#running.delete(lane);
    this.#lanes.delete(lane);
  }

  /** Called for each new connection. Its request may be a write that can still join the batch. */
  connectionAccepted(): void {
    this.#isNewConnected = true;
  }

  /**
   * Lets requests join the batch that have already arrived on the sockets. The event loop accepts one new connection per
   * turn, and a commit holds it for a whole turn: as long as a turn brings another write or connection, more are waiting.
   * A single writer waits for one turn only.
   */
  async #gather(queue: readonly QueuedWrite[]): Promise<void> {
    const deadline = performance.now() + MAX_GATHER_MS;
    let isGrowing = true;
    while (isGrowing) {
      const before = queue.length;
      const wasConnected = this.#isNewConnected;
      this.#isNewConnected = false;
      await new Promise(setImmediate);
      const isLarger = queue.length > before || wasConnected || this.#isNewConnected;
      isGrowing = isLarger && queue.length < MAX_BATCH && performance.now() < deadline;
    }
  }

  async #commit(batch: QueuedWrite[]): Promise<void> {
    this.#observer.batch(batch.length);
    try {
      await this.#commitTogether(batch);
    } catch (error) {
      if (batch.length === 1 || isOfStore(error)) for (const job of batch) job.reject(error);
      else await this.#commitOneByOne(batch);
    }
  }

  async #commitOneByOne(batch: QueuedWrite[]): Promise<void> {
    let gone: StorageError | undefined;
    for (const job of batch) {
      try {
        if (gone) throw gone;
        await this.#commitTogether([job]);
      } catch (error) {
        if (isOfStore(error) && error.reason !== 'full') gone = error;
        job.reject(error);
      }
    }
  }

  async #commitTogether(batch: QueuedWrite[]): Promise<void> {
    const finished = new Map<QueuedWrite, JobResult>();
    const works: Work[] = [];
    await this.#services.database.transaction(async (tx) => {
      for (const jobs of byAccount(batch)) works.push(await this.#runAccount(tx, jobs, finished));
    });
    for (const [job, result] of finished) 'error' in result ? job.reject(result.error) : job.resolve(result.output);
    for (const work of works) this.#publish(work);
  }

  /** An error of a listener does not undo the commit. */
  #publish(work: Work): void {
    try {
      work.committed();
      if (work.events.length > 0) this.#observer.committed(work.events, work.account_id);
    } catch (error) {
      process.emitWarning(error as Error);
    }
  }

  async #runAccount(tx: Transaction, jobs: QueuedWrite[], finished: Map<QueuedWrite, JobResult>): Promise<Work> {
    const work = new Work(this.#services, tx, (jobs[0] as QueuedWrite).caller.account_id);
    const { meter } = this.#services;
    const finish = (job: QueuedWrite, result: JobResult) => finished.set(job, result);
    const fresh = await replayStoredAnswers(work, jobs, finish);
    for (const run of groupForSetHandlers(meter ? await meter.refuseOverPlan(work, fresh, finish) : fresh)) {
      const results = await (run[0]?.handler.kind === 'set'
        ? runSet(work, run)
        : runSingly(work, run[0] as QueuedWrite));
      results.forEach((result, i) => {
        const job = run[i] as QueuedWrite;
        finished.set(job, result);
        if ('output' in result) record(work, job, result);
      });
    }
    await work.flush();
    return work;
  }
}

/** Fails every write of a batch alike. A damaged page fails only those that need it. */
const isOfStore = (error: unknown): error is StorageError =>
  error instanceof StorageError && error.reason !== 'damaged';

function byAccount(batch: QueuedWrite[]): Iterable<QueuedWrite[]> {
  const groups = new Map<string, QueuedWrite[]>();
  for (const job of batch) {
    const group = groups.get(job.caller.account_id);
    if (group) group.push(job);
    else groups.set(job.caller.account_id, [job]);
  }
  return groups.values();
}

/** Takes writes from the front of the queue; two requests with the same idempotency key never share a batch. */
function takeBatch(queue: QueuedWrite[]): QueuedWrite[] {
  const keys = new Set<string>();
  let count = 0;
  for (const job of queue) {
    if (count === MAX_BATCH || (job.handler.exclusive && count > 0)) break;
    const key = idempotentName(job);
    if (key !== undefined) {
      if (keys.has(key)) break;
      keys.add(key);
    }
    count++;
    if (job.handler.exclusive) break;
  }
  return queue.splice(0, count);
}

/** Groups neighbouring writes that a set handler takes together; every other write is its own group. */
function groupForSetHandlers(jobs: QueuedWrite[]): QueuedWrite[][] {
  const runs: QueuedWrite[][] = [];
  for (const job of jobs) {
    const last = runs.at(-1);
    if (last?.[0]?.name === job.name && job.handler.kind === 'set') last.push(job);
    else runs.push([job]);
  }
  return runs;
}

async function runSet(work: Work, run: QueuedWrite[]): Promise<HandlerResult[]> {
  const handler = run[0]?.handler as SetHandler;
  const results = await handler.run(work, run as never);
  if (results.length !== run.length) throw new Error(`${run[0]?.name} gave ${results.length} results`);
  return results.map((result) => (result instanceof Fault ? { error: result } : result));
}

async function runSingly(work: Work, job: QueuedWrite): Promise<HandlerResult[]> {
  const handler = job.handler as OneHandler;
  await work.locked;
  await work.waitForSent();
  const mark = work.mark();
  try {
    const result = await work.tx.savepoint(async () => {
      const ran = await handler.run(work, job as never);
      await work.waitForSent();
      return ran;
    });
    return [result];
  } catch (error) {
    if (error instanceof StorageError) throw error;
    work.reset(mark);
    return [{ error }];
  }
}

function record(work: Work, job: QueuedWrite, { output, change, holds }: WriteResult<unknown>): void {
  const ops = writeCharge(job);
  if (ops > 0) work.charge({ class: 'write', ops, requests: 1 });
  if (change && !job.handler.unaudited) {
    const { resource, before: before_hash, after: after_hash } = change;
    work.audit(job.caller, job.name, { resource, before_hash, after_hash });
  }
  storeAnswer(work, job, { output, holds });
}
