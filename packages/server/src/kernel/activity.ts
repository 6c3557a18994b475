import type { Caller } from './caller.ts';

/** What was asked for, as far as statistics tell it apart. */
export type CountedCall = {
  caller: Caller;
  effect: 'none' | 'read' | 'write' | 'control';
  ops: number;
  /** Nothing of a call that failed is taken at its word. */
  failed: boolean;
  agent_id: string;
  paths: readonly string[];
  duration_ms: number;
};

export type CallTally = { requests: number; reads: number; writes: number; ops: number; errors: number };

/** What an account did since the last time of asking, within one day. */
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

/** Adds it to what the store has. */
export type SaveActivity = (accountId: string, tally: DayTally) => Promise<void>;

const FLUSH_MS = 5_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Names told apart between two flushes; all others are one. */
const MAX_NAMES = 2_000;
const MAX_ACCOUNTS = 10_000;
export const OTHERS = '';

export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Four for each doubling, from a microsecond: a percentile read from them is off by less than a tenth. */
export const bucketOf = (durationMs: number): number =>
  Math.max(0, Math.ceil(Math.log2(Math.max(durationMs, 0.001) * 1000) * 4));

const noTally = (): CallTally => ({ requests: 0, reads: 0, writes: 0, ops: 0, errors: 0 });

/** Counts beside the requests, and hands over what it has counted every few seconds. */
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
      // What is counted of a day is handed over before the next begins.
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

  /** Settles once what was counted of the account is in the store. What could not be written is lost: it is a number. */
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
