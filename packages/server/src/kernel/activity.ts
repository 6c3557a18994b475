import type { Caller } from './caller.ts';

/** What was called, in as much detail as the statistics need. */
export type CountedCall = {
  caller: Caller;
  effect: 'none' | 'read' | 'write' | 'control';
  ops: number;
  /** Names in a failed call are not counted. */
  failed: boolean;
  agent_id: string;
  paths: readonly string[];
  duration_ms: number;
};

export type CallTally = { requests: number; reads: number; writes: number; ops: number; errors: number };

/** The activity of an account since the last flush, within one day. */
export type DayTally = {
  day: string;
  total: CallTally;
  agents: Map<string, CallTally>;
  paths: Map<string, CallTally>;
  /** Requests by the minute of the day. */
  minutes: Map<number, number>;
  /** Requests by how long they took, see `bucketOf`. */
  latencies: Map<number, number>;
};

/** Adds a tally to the store. */
export type SaveActivity = (accountId: string, tally: DayTally) => Promise<void>;

const FLUSH_MS = 5_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** The most distinct names between two flushes; all further ones are counted as one. */
const MAX_NAMES = 2_000;
const MAX_ACCOUNTS = 10_000;
export const OTHERS = '';

export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Four buckets for each doubling, from a microsecond: a percentile computed from them is off by less than a tenth. */
export const bucketOf = (durationMs: number): number =>
  Math.max(0, Math.ceil(Math.log2(Math.max(durationMs, 0.001) * 1000) * 4));

const noTally = (): CallTally => ({ requests: 0, reads: 0, writes: 0, ops: 0, errors: 0 });

/** Counts requests in memory and flushes the counts every few seconds. */
export class Activity {
  #days = new Map<string, DayTally>();
  #keep: SaveActivity | undefined;
  #onError: (error: unknown) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  readonly #running = new Map<string, Promise<void>>();
  #dayNo = -1;
  #day = '';

  start(keep: SaveActivity, onError: (error: unknown) => void): void {
    this.#keep = keep;
    this.#onError = onError;
  }

  record(call: CountedCall, now: number): void {
    if (!this.#keep || (call.effect !== 'read' && call.effect !== 'write')) return;
    const day = this.#dayTally(call.caller.account_id, now);
    if (!day) return;
    add(day.total, call);
    if (!call.failed) {
      add(tallyFor(day.agents, call.agent_id), call);
      for (const path of call.paths) add(tallyFor(day.paths, path), call);
    }
    const minute = Math.floor((now % DAY_MS) / MINUTE_MS);
    day.minutes.set(minute, (day.minutes.get(minute) ?? 0) + 1);
    const bucket = bucketOf(call.duration_ms);
    day.latencies.set(bucket, (day.latencies.get(bucket) ?? 0) + 1);
  }

  #dayTally(accountId: string, now: number): DayTally | undefined {
    const no = Math.floor(now / DAY_MS);
    if (no !== this.#dayNo) {
      // Flush the counts of a day before the next day begins.
      if (this.#days.size > 0) void this.flushAll();
      this.#dayNo = no;
      this.#day = dayOf(now);
    }
    let tally = this.#days.get(accountId);
    if (!tally) {
      if (this.#days.size >= MAX_ACCOUNTS) return undefined;
      const maps = { agents: new Map(), paths: new Map(), minutes: new Map(), latencies: new Map() };
      tally = { day: this.#day, total: noTally(), ...maps };
      this.#days.set(accountId, tally);
      this.#timer ??= setTimeout(() => void this.flushAll(), FLUSH_MS).unref();
    }
    return tally;
  }

  /**
   * Resolves when the counts of the account are in the store. Counts that cannot be written are lost; they are only
   * statistics.
   */
  async flush(accountId: string): Promise<void> {
    const tally = this.#days.get(accountId);
    if (!tally || !this.#keep) return this.#running.get(accountId);
    this.#days.delete(accountId);
    const done = this.#keep(accountId, tally).catch(this.#onError);
    this.#running.set(accountId, done);
    await done;
    if (this.#running.get(accountId) === done) this.#running.delete(accountId);
  }

  async flushAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await Promise.all([...this.#days.keys()].map((accountId) => this.flush(accountId)));
  }

  async close(): Promise<void> {
    await this.flushAll();
    await Promise.all(this.#running.values());
    this.#keep = undefined;
  }
}

function add(tally: CallTally, { effect, ops, failed }: CountedCall): void {
  tally.requests++;
  if (effect === 'read') tally.reads++;
  else if (effect === 'write') tally.writes++;
  if (failed) tally.errors++;
  else tally.ops += ops;
}

function tallyFor(tallies: Map<string, CallTally>, name: string): CallTally {
  const known = tallies.get(name);
  if (known) return known;
  const isNew = tallies.size < MAX_NAMES;
  const tally = (isNew ? undefined : tallies.get(OTHERS)) ?? noTally();
  tallies.set(isNew ? name : OTHERS, tally);
  return tally;
}
