import { Fault } from '@mem-service/contract';
import { MergedStatements, StorageError, type Transaction, type TransactionKind } from '../db/index.ts';
import { isAccountGone } from './account-gone.ts';
import { hashRequest, type JobResult, replayStoredAnswers } from './idempotency.ts';
import { inputSize } from './input-size.ts';
import { byAccount, type Lane, Lanes, MAX_BATCH, type QueuedWrite, takeBatch, type WriteJob } from './lanes.ts';
import type { LogPosition } from './log-position.ts';
import type { Services } from './module.ts';
import type { OwnerStorage } from './owner-storage.ts';
import { type AccountRow, lockFreeAccounts } from './queries.ts';
import { runAll } from './run-writes.ts';
import { type LogEvent, Work, type WorkAccount } from './work.ts';

const MAX_GATHER_MS = 10;
const MAX_WAITING_WRITES = 10_000;
const MAX_WAITING_CHARS = 256 * 1024 * 1024;
/** Times that a write finds its account locked before it waits for the lock. */
const MAX_MISSED = 2;

/** Another transaction has locked the account. */
class AccountBusy extends Error {}

export type CommitObserver = {
  committed(events: readonly LogEvent[], accountId: string, after: LogPosition): void;
  batch(size: number): void;
  /** Called with the account locked; returns the writes that may run. */
  stillAdmitted(
    work: Work,
    jobs: readonly QueuedWrite[],
    finish: (job: QueuedWrite, result: JobResult) => void,
  ): Promise<readonly QueuedWrite[]>;
};

/**
 * Group commit. Writes that arrive together share one transaction and one flush to disk; a write that fails does not
 * affect the others. No request is answered before its transaction is durable.
 */
export class Committer {
  readonly #services: Services;
  readonly #observer: CommitObserver;
  readonly #lanes: Lanes;
  readonly #running = new Map<string, Promise<void>>();
  #waitingChars = 0;
  #isNewConnected = false;

  constructor(services: Services, observer: CommitObserver) {
    this.#services = services;
    this.#observer = observer;
    this.#lanes = new Lanes(services);
  }

  submit(job: WriteJob): Promise<unknown> {
    const { replica, roomOwners } = this.#services;
    if (replica) return Promise.reject(replica.refusal());
    const owner = roomOwners?.ownerOf(job.caller.account_id);
    return owner instanceof Promise ? owner.then((known) => this.#submit(job, known)) : this.#submit(job, owner);
  }

  #submit(job: WriteJob, owner: OwnerStorage | undefined): Promise<unknown> {
    const size = inputSize(job.input);
    const lane = this.#lanes.laneOf(job, size);
    if (this.#isFull(lane.queue, size)) {
      if (!this.#running.has(lane.name)) this.#lanes.remove(lane);
      return Promise.reject(new Fault('unavailable', 'too many writes are waiting', { retry_after: 1 }));
    }
    return new Promise((resolve, reject) => {
      const { idempotency_key } = job.caller;
      const request_hash = idempotency_key === undefined ? undefined : hashRequest(job.name, job.input, job.caller);
      this.#enqueue(lane, { idempotency_key, request_hash, size, owner, resolve, reject, missed: 0, ...job });
    });
  }

  #enqueue(lane: Lane, job: QueuedWrite): void {
    this.#lanes.add(lane, job);
    this.#waitingChars += job.size;
    if (!this.#running.has(lane.name)) this.#running.set(lane.name, this.#drain(lane));
  }

  /** Waiting writes are held in memory. An empty queue always takes one write. */
  #isFull(queue: QueuedWrite[], size: number): boolean {
    const { max_waiting_writes = MAX_WAITING_WRITES, max_waiting_chars = MAX_WAITING_CHARS } = this.#services.limits;
    if (queue.length >= max_waiting_writes) return true;
    return this.#waitingChars > 0 && this.#waitingChars + size > max_waiting_chars;
  }

  get queued(): number {
    return this.#lanes.queued;
  }

  async close(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async #drain(lane: Lane): Promise<void> {
    const { queue } = lane;
    while (queue.length > 0) {
      if (!lane.isShared) await this.#lanes.unshared((queue[0] as QueuedWrite).caller.account_id);
      await this.#gather(queue);
      const { batch, missed } = await this.#lanes.whenFree(lane, () => this.#commit(lane));
      for (const { size } of batch) this.#waitingChars -= size;
      this.#lanes.ended(lane, batch);
      for (const [accountId, jobs] of byAccount(missed)) this.#retry(lane, accountId, jobs);
    }
    this.#running.delete(lane.name);
    this.#lanes.remove(lane);
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

  /** Returns the writes that it took from the lane, and those of them whose accounts are locked. */
  async #commit(lane: Lane): Promise<{ batch: readonly QueuedWrite[]; missed: QueuedWrite[] }> {
    let batch: readonly QueuedWrite[] = [];
    let missed: QueuedWrite[] = [];
    const take = () => {
      batch = takeBatch(lane.queue);
      this.#observer.batch(batch.length);
      return batch;
    };
    const accountId = (lane.queue[0] as QueuedWrite).caller.account_id;
    try {
      if (lane.isShared) missed = await this.#commitShared(take());
      else if (this.#lanes.isContended(accountId)) await this.#commitOnceLocked(accountId, take);
      else await this.#commitTogether(take());
    } catch (error) {
      if (batch.length === 0) take();
      if (batch.length === 1 || isOfStore(error)) for (const job of batch) job.reject(error);
      else await this.#commitOneByOne(batch);
    }
    return { batch, missed };
  }

  async #commitOneByOne(batch: readonly QueuedWrite[]): Promise<void> {
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

  async #commitTogether(batch: readonly QueuedWrite[]): Promise<void> {
    await this.#transact(async (tx, run) => {
      for (const [account_id, jobs] of byAccount(batch)) await run(this.#workOn(tx, { account_id }), jobs);
    }, batch[0]?.transaction);
  }

  /** Takes the writes once the account is locked: while another server holds it, more of them arrive. */
  async #commitOnceLocked(account_id: string, take: () => readonly QueuedWrite[]): Promise<void> {
    await this.#transact(async (tx, run) => {
      const work = this.#workOn(tx, { account_id });
      await work.locked;
      await run(work, take());
    });
  }

  /** One transaction for several accounts. Returns the writes of accounts that are locked elsewhere. */
  async #commitShared(batch: readonly QueuedWrite[]): Promise<QueuedWrite[]> {
    const groups = [...byAccount(batch)];
    const missed: QueuedWrite[] = [];
    await this.#transact(async (tx, run) => {
      const lock = this.#lockFree(
        tx,
        groups.map(([account_id]) => account_id),
      );
      const merged = new MergedStatements(tx);
      const parts = groups.map(async ([account_id, jobs]) => {
        const row = lock(account_id);
        try {
          await run(this.#workOn(merged.newPart(account_id), { account_id, row }), jobs);
        } catch (error) {
          if (error instanceof AccountBusy) missed.push(...jobs);
          else if (isAccountGone(error)) for (const job of jobs) job.reject(error);
          else throw error;
        }
      });
      // All of them end before the transaction does.
      const ends = await Promise.allSettled(parts);
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    });
    return missed;
  }

  #lockFree(tx: Transaction, accountIds: readonly string[]): (accountId: string) => Promise<AccountRow | undefined> {
    tx.enterAll(accountIds);
    const locking = lockFreeAccounts(tx, this.#services.database.dialect, accountIds);
    return async (accountId) => {
      const { locked, busy } = await locking;
      if (busy.has(accountId)) throw new AccountBusy();
      return locked.get(accountId);
    };
  }

  /** All of an account's writes go the same way, with those that wait behind them: they keep their order. */
  #retry(from: Lane, accountId: string, missed: readonly QueuedWrite[]): void {
    for (const job of missed) job.missed++;
    if (missed.some((job) => job.missed >= MAX_MISSED)) this.#lanes.setContended(accountId);
    const [first] = missed as [QueuedWrite];
    const to = this.#lanes.laneOf(first, first.size);
    const behind = to === from ? [] : from.queue.filter((job) => job.caller.account_id === accountId);
    if (behind.length > 0) {
      from.queue.splice(0, from.queue.length, ...from.queue.filter((job) => job.caller.account_id !== accountId));
      for (const job of behind) {
        this.#waitingChars -= job.size;
        job.missed = Math.max(job.missed, 1);
      }
      this.#lanes.ended(from, behind);
    }
    for (const job of [...missed, ...behind].reverse()) this.#enqueue(to, job);
  }

  #workOn(tx: Transaction, account: WorkAccount): Work {
    return new Work(this.#services, tx, account);
  }

  /** Answers once the transaction is durable. */
  async #transact(
    make: (tx: Transaction, run: (work: Work, jobs: readonly QueuedWrite[]) => Promise<void>) => Promise<void>,
    kind?: TransactionKind,
  ): Promise<void> {
    const finished = new Map<QueuedWrite, JobResult>();
    const works: Work[] = [];
    const begun: Work[] = [];
    const write = (tx: Transaction) =>
      make(tx, async (work, jobs) => {
        begun.push(work);
        await this.#runAccount(work, jobs, finished);
        works.push(work);
      });
    const { database, roomOwners } = this.#services;
    try {
      await database.transaction(write, kind);
      if (roomOwners) for (const work of works) roomOwners.committed(work);
    } finally {
      for (const work of begun) work.owner?.ended(work);
    }
    for (const [job, result] of finished) 'error' in result ? job.reject(result.error) : job.resolve(result.output);
    for (const work of works) this.#publish(work);
  }

  /** An error of a listener does not undo the commit. */
  #publish(work: Work): void {
    try {
      work.committed();
      if (work.events.length > 0) this.#observer.committed(work.events, work.account_id, work.start);
    } catch (error) {
      process.emitWarning(error as Error);
    }
  }

  async #runAccount(work: Work, jobs: readonly QueuedWrite[], finished: Map<QueuedWrite, JobResult>): Promise<void> {
    const { meter } = this.#services;
    const finish = (job: QueuedWrite, result: JobResult) => finished.set(job, result);
    let left = await this.#observer.stillAdmitted(work, await replayStoredAnswers(work, jobs, finish), finish);
    const [{ owner } = {}] = left;
    if (owner) {
      await work.locked;
      owner.enter(work);
    }
    while (left.length > 0) {
      const over: QueuedWrite[] = [];
      const refuse = (job: QueuedWrite, result: JobResult) => {
        over.push(job);
        finished.set(job, result);
      };
      const admitted = meter ? await meter.refuseOverPlan(work, left, refuse) : left;
      // What fails is not charged: those that found no room beside it are looked at again.
      left = (await runAll(work, admitted, finished)) ? over : [];
    }
    await work.flush();
    for (const { caller } of jobs) caller.seq = work.account.seq;
  }
}

/** Fails every write of a batch alike. A damaged page fails only those that need it. */
const isOfStore = (error: unknown): error is StorageError =>
  error instanceof StorageError && error.reason !== 'damaged';
