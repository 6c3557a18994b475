import type { Fault, OperationName } from '@mem-service/contract';
import type { TransactionKind } from '../db/index.ts';
import type { Caller } from './caller.ts';
import { type IdempotentRequest, idempotentName } from './idempotency.ts';
import type { HandlerOptions, Services } from './module.ts';
import type { NotesGaps } from './notes-gap.ts';
import type { OwnerStorage } from './owner-storage.ts';
import type { WriteResult } from './result.ts';
import type { Lineage } from './view.ts';
import type { Work } from './work.ts';

type AnyWriteItem = {
  input: unknown;
  caller: Caller;
  lineage?: Lineage;
  gaps?: NotesGaps | undefined;
  prepared?: unknown;
};
type WriteHandlerOptions = Pick<HandlerOptions<OperationName>, 'exclusive' | 'unaudited'>;
export type OneHandler = WriteHandlerOptions & {
  kind: 'write';
  run: (work: Work, item: never) => Promise<WriteResult<unknown>>;
};
export type SetHandler = WriteHandlerOptions & {
  kind: 'set';
  run: (work: Work, items: never) => Promise<(WriteResult<unknown> | Fault)[]>;
};

/** A queued write: its handler, input and caller. */
export type WriteJob = AnyWriteItem & {
  name: string;
  handler: OneHandler | SetHandler;
  /** It has a transaction of its own, off the main thread where there is one. */
  transaction?: TransactionKind | undefined;
};

/** Whether it shares its transaction with no other. */
export const isExclusive = ({ handler, transaction }: WriteJob): boolean =>
  handler.exclusive === true || transaction !== undefined;

export type QueuedWrite = WriteJob &
  IdempotentRequest & {
    size: number;
    /** Where it is in a room. */
    owner: OwnerStorage | undefined;
    resolve: (output: unknown) => void;
    reject: (error: unknown) => void;
    /** How often it found its account locked. */
    missed: number;
  };

/** Writes that wait for a transaction, and how they are taken from the queue. */
export type Lane = {
  name: string;
  queue: QueuedWrite[];
  /** Its transactions are for several accounts. */
  isShared: boolean;
};

export const MAX_BATCH = 256;
/** Larger writes go in transactions of their account alone: the others need not wait for them. */
const MAX_SHARED_CHARS = 16 * 1024;
/** Transactions of one account at a time, for each shared lane: of four connections, one is left for reads. */
const OWN_PER_SHARED_LANE = 2;
/** More writes of an account than that go in a lane of its own, so that others need not wait for them. */
const MAX_SHARING = 64;
/** An account that another server writes to waits for its turn in a lane of its own for this long. */
const CONTENDED_MS = 1000;
const MAX_CONTENDED = 10_000;

/**
 * Which writes share transactions. Where accounts can be locked one by one, small writes of several accounts do, in a few
 * lanes; everything else, and an account that others have locked, goes in a lane of the account.
 */
export class Lanes {
  readonly #services: Services;
  readonly #lanes = new Map<string, Lane>();
  readonly #contended = new Map<string, number>();
  /** Writes that each account has in shared lanes, and who waits until it has none. */
  readonly #sharing = new Map<string, number>();
  readonly #followers = new Map<string, () => void>();
  #ownRunning = 0;
  readonly #waitingOwn: (() => void)[] = [];

  constructor(services: Services) {
    this.#services = services;
  }

  laneOf({ caller: { account_id }, handler }: WriteJob, size: number): Lane {
    const { dialect, sharedLanes } = this.#services.database;
    const own = dialect.lane(account_id);
    // Behind what the account has in a lane of its own: an outcome must come after the notes of its session.
    const isShared =
      sharedLanes > 0 &&
      !this.#lanes.has(own) &&
      handler.kind === 'set' &&
      !handler.exclusive &&
      size <= MAX_SHARED_CHARS &&
      (this.#sharing.get(account_id) ?? 0) < MAX_SHARING &&
      !this.isContended(account_id);
    const name = isShared ? `shared ${hashOf(account_id) % sharedLanes}` : own;
    return this.#named(name, isShared);
  }

  #named(name: string, isShared: boolean): Lane {
    const known = this.#lanes.get(name);
    if (known) return known;
    const lane = { name, queue: [], isShared };
    this.#lanes.set(name, lane);
    return lane;
  }

  add({ queue, isShared }: Lane, job: QueuedWrite): void {
    // What was tried before comes before what arrived since.
    if (job.missed > 0) queue.unshift(job);
    else queue.push(job);
    const { account_id } = job.caller;
    if (isShared) this.#sharing.set(account_id, (this.#sharing.get(account_id) ?? 0) + 1);
  }

  /** The writes were done, or will be tried again. */
  ended({ isShared }: Lane, batch: readonly QueuedWrite[]): void {
    if (!isShared) return;
    for (const { caller } of batch) {
      const { account_id } = caller;
      const left = (this.#sharing.get(account_id) ?? 1) - 1;
      if (left > 0) {
        this.#sharing.set(account_id, left);
        continue;
      }
      this.#sharing.delete(account_id);
      this.#followers.get(account_id)?.();
      this.#followers.delete(account_id);
    }
  }

  /**
   * Runs a transaction of one account when fewer than a part of the connections are taken by such: each may wait for an
   * account that is locked elsewhere, and the others must still be served.
   */
  async whenFree<T>({ isShared }: Lane, run: () => Promise<T>): Promise<T> {
    const { sharedLanes } = this.#services.database;
    if (isShared || sharedLanes === 0) return run();
    while (this.#ownRunning >= sharedLanes * OWN_PER_SHARED_LANE)
      await new Promise<void>((resolve) => this.#waitingOwn.push(resolve));
    this.#ownRunning++;
    try {
      return await run();
    } finally {
      this.#ownRunning--;
      this.#waitingOwn.shift()?.();
    }
  }

  /** Waits until the account has no writes in shared lanes. */
  async unshared(accountId: string): Promise<void> {
    if (this.#sharing.has(accountId)) await new Promise<void>((resolve) => this.#followers.set(accountId, resolve));
  }

  remove({ name }: Lane): void {
    this.#lanes.delete(name);
  }

  get queued(): number {
    let count = 0;
    for (const { queue } of this.#lanes.values()) count += queue.length;
    return count;
  }

  isContended(accountId: string): boolean {
    const until = this.#contended.get(accountId);
    if (until === undefined) return false;
    if (performance.now() < until) return true;
    this.#contended.delete(accountId);
    return false;
  }

  setContended(accountId: string): void {
    if (this.#contended.size >= MAX_CONTENDED) this.#contended.clear();
    this.#contended.set(accountId, performance.now() + CONTENDED_MS);
  }
}

function hashOf(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) >>> 0;
  return hash;
}

export function byAccount(batch: readonly QueuedWrite[]): Map<string, QueuedWrite[]> {
  const groups = new Map<string, QueuedWrite[]>();
  for (const job of batch) {
    const group = groups.get(job.caller.account_id);
    if (group) group.push(job);
    else groups.set(job.caller.account_id, [job]);
  }
  return groups;
}

/**
 * Takes writes from the front of the queue; two requests with the same idempotency key never share a batch. The second waits,
 * with everything of its account that follows.
 */
export function takeBatch(queue: QueuedWrite[]): QueuedWrite[] {
  const keys = new Set<string>();
  const waiting = new Set<string>();
  const batch: QueuedWrite[] = [];
  const left: QueuedWrite[] = [];
  for (const job of queue) {
    const { account_id } = job.caller;
    const key = idempotentName(job);
    if (key !== undefined && keys.has(key)) waiting.add(account_id);
    if (batch.length === MAX_BATCH || (isExclusive(job) && batch.length > 0)) break;
    if (waiting.has(account_id)) {
      left.push(job);
      continue;
    }
    if (key !== undefined) keys.add(key);
    batch.push(job);
    if (isExclusive(job)) break;
  }
  queue.splice(0, batch.length + left.length, ...left);
  return batch;
}

/** Groups neighbouring writes that a set handler takes together; every other write is its own group. */
export function groupForSetHandlers(jobs: readonly QueuedWrite[]): QueuedWrite[][] {
  const runs: QueuedWrite[][] = [];
  for (const job of jobs) {
    const last = runs.at(-1);
    if (last?.[0]?.name === job.name && job.handler.kind === 'set') last.push(job);
    else runs.push([job]);
  }
  return runs;
}
