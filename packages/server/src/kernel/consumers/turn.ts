import type { Transaction } from '../../db/index.ts';
import { isAccountGone } from '../account-gone.ts';
import { SELF_CALLER } from '../caller.ts';
import type { LogPosition } from '../log-position.ts';
import type { Kernel } from '../module.ts';
import { readAccount } from '../queries.ts';
import { unchanged } from '../result.ts';
import type { LogEvent, Work } from '../work.ts';
import { backoffMs } from './backoff.ts';
import {
  type ClaimTimes,
  type Consumer,
  type ConsumerContext,
  DEFAULT_BATCH_SIZE,
  DEFAULT_MAX_ATTEMPTS,
} from './consumer.ts';
import * as queries from './queries.ts';
import { ClaimLost, Interrupted, isOfHandler, mustHoldClaim, nameOf, Postponed } from './turn-errors.ts';
import type { WriteLoad } from './write-load.ts';

/** The most events searched for those that a consumer wants, before other accounts get their turn. */
export const SCAN = 5_000;
const RETRIES = 10;
/** How long to wait when the store cannot be reached. This does not count as a failure of the events. */
const STORE_AWAY_MS = 2_000;

export type TurnParts = {
  consumer: Consumer;
  kernel: Kernel;
  server_id: string;
  times: ClaimTimes;
  isStopping: () => boolean;
  /** Aborted when the service stops. */
  stopped: AbortSignal;
  onError: (error: unknown) => void;
  counted: { handled: number; failed: number };
  load: WriteLoad;
};

/** When the account is due again; undefined when nothing is left to do. */
export type Due = number | undefined;
export const AT_ONCE = Number.NEGATIVE_INFINITY;

type FinishEvents = (tx: Transaction) => Promise<number>;

/** One batch of one account: claims the cursor, handles the events, releases the cursor. */
export class Turn {
  readonly #parts: TurnParts;
  readonly #key: queries.CursorKey;
  #seq = 0;
  #attempts = 0;
  /** The event that is handled on its own. */
  #single: LogEvent | undefined;
  /** Dead letters are left to be retried. */
  hasRetries = false;

  constructor(parts: TurnParts, accountId: string) {
    this.#parts = parts;
    this.#key = { account_id: accountId, consumer: parts.consumer.name };
  }

  /** Does nothing when all events up to `wanted` are handled. */
  async run({ hasRetries, wanted }: { hasRetries: boolean; wanted: number | undefined }): Promise<Due> {
    this.hasRetries = hasRetries;
    if (wanted !== undefined && !hasRetries && ((await this.#read())?.seq ?? 0) >= wanted) return undefined;
    const claim = await this.#claim();
    if (!claim) return this.#waiting();
    this.#seq = claim.seq;
    this.#attempts = claim.attempts;
    const { times, onError } = this.#parts;
    const renew = () => void this.#transaction(this.#renew).catch(onError);
    const renewal = setInterval(renew, times.lease_ms / 3).unref();
    try {
      if (hasRetries) await this.#retryDeadLetters();
      const due = await this.#consume();
      return this.hasRetries && !this.#parts.isStopping() ? AT_ONCE : due;
    } catch (error) {
      return await this.#failed(error);
    } finally {
      clearInterval(renewal);
    }
  }

  get #held(): queries.Held {
    return { key: this.#key, claimed_by: this.#parts.server_id, seq: this.#seq };
  }

  get #now(): number {
    return this.#parts.kernel.services.clock.now();
  }

  get #until(): number {
    return this.#now + this.#parts.times.lease_ms;
  }

  #transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#parts.kernel.services.database.transaction((tx) => {
      tx.enter(this.#key.account_id);
      return run(tx);
    });
  }

  #claim(): Promise<queries.Claim | undefined> {
    const { server_id, kernel } = this.#parts;
    const { dialect } = kernel.services.database;
    const claiming = { key: this.#key, claimed_by: server_id, now: this.#now, until: this.#until };
    return this.#transaction(
      async (tx) =>
        (await queries.claimCursor(tx, dialect, claiming)) ?? (await queries.insertClaim(tx, dialect, claiming)),
    );
  }

  async #waiting(): Promise<Due> {
    const row = await this.#read();
    if (!row) return undefined;
    // When the claim was released meanwhile, wait briefly for the server that held it.
    return Math.max(row.claimed_until, row.retry_at, this.#now + this.#parts.times.grace_ms / 10);
  }

  #read(): Promise<queries.CursorState | undefined> {
    const { database } = this.#parts.kernel.services;
    return queries.readCursor(database.forAccount(this.#key.account_id).read, this.#key);
  }

  readonly #renew: FinishEvents = (tx) => queries.renewClaim(tx, { ...this.#held, until: this.#until });

  async #consume(): Promise<Due> {
    const { consumer, kernel, isStopping } = this.#parts;
    const { database } = kernel.services;
    const { account_id } = this.#key;
    const { read, scan } = database.forAccount(account_id);
    const head = (await readAccount(read, account_id))?.seq ?? 0;
    const up_to = Math.min(head, this.#seq + SCAN);
    const limit = this.#attempts > 0 ? 1 : (consumer.batch_size ?? DEFAULT_BATCH_SIZE);
    const stretch = { account_id, after: this.#seq, up_to, limit, event_types: consumer.event_types };
    if (this.#seq > head) await this.#transaction((tx) => queries.resetCursor(tx, this.#held));
    const isOver = isStopping() || up_to <= this.#seq;
    const found = isOver ? [] : await queries.listConsumed(scan, database.dialect, stretch);
    const reached = found.at(-1);
    if (!reached) {
      await this.#release();
      // The log was set back since its end was read.
      return isOver ? undefined : this.#now + this.#parts.times.grace_ms;
    }
    const { event_types } = consumer;
    const events = event_types ? found.filter(({ event_type }) => event_types.includes(event_type)) : found;
    if (events.length > 0) await this.#handleAll(events, reached);
    else {
      await this.#transaction((tx) => mustHoldClaim(this.#movingTo(reached, 0)(tx)));
      this.#moved(reached);
    }
    return this.#seq < head && !isStopping() ? AT_ONCE : undefined;
  }

  /** Handles all events together. If that fails, handles them one by one, so that the failing event is found. */
  async #handleAll(events: readonly LogEvent[], reached: LogPosition): Promise<void> {
    this.#single = events.length === 1 ? events[0] : undefined;
    try {
      await this.#handle(events, this.#movingTo(reached, 0));
      this.#moved(reached);
    } catch (error) {
      if (events.length === 1 || !isOfHandler(error)) throw error;
      this.#parts.onError(this.#problem(error, 'a batch is tried again event by event'));
      for (const event of events) {
        this.#single = event;
        const isLast = event === events.at(-1);
        const to = isLast ? reached : event;
        await this.#handle([event], this.#movingTo(to, isLast ? 0 : this.#until));
        this.#moved(to);
      }
    }
  }

  /**
   * Handles events. `finish` runs in the handler's own transaction if it uses one, otherwise in a transaction
   * afterwards.
   */
  async #handle(events: readonly LogEvent[], finish: FinishEvents): Promise<void> {
    const { consumer, kernel, isStopping, stopped } = this.#parts;
    const { account_id } = this.#key;
    let isFinished = false;
    let wasStopped = false;
    const context: ConsumerContext = {
      account_id,
      kernel,
      stopped,
      isStopping: () => {
        wasStopped ||= isStopping();
        return wasStopped;
      },
      step: (run) => this.#write(run, this.#renew),
      longStep: (run) => this.#write(run, this.#renew, 'longWork'),
      work: async (run) => {
        if (isFinished) throw new Error(`${consumer.name} used its transaction twice for the same events`);
        const output = await this.#write(run, finish);
        isFinished = true;
        return output;
      },
    };
    await consumer.handle(context, events);
    // A handler that saw the stop may have left events unhandled.
    if (wasStopped && !isFinished) throw new Interrupted();
    if (!isFinished) await this.#transaction((tx) => mustHoldClaim(finish(tx)));
    this.#parts.counted.handled += events.length;
  }

  /** Not audited: the operation that caused the event has its audit line. */
  #write<T>(run: (work: Work) => Promise<T>, finish: FinishEvents, how: 'work' | 'longWork' = 'work'): Promise<T> {
    const { kernel, consumer } = this.#parts;
    return kernel[how]({ ...SELF_CALLER, account_id: this.#key.account_id }, consumer.name, async (work) => {
      const done = await run(work);
      await mustHoldClaim(finish(work.tx));
      return unchanged(done);
    });
  }

  #movingTo(to: LogPosition, until: number): FinishEvents {
    const held = this.#held;
    return (tx) => queries.advanceCursor(tx, held, { to, until });
  }

  #moved({ seq }: LogPosition): void {
    this.#seq = seq;
    this.#attempts = 0;
  }

  async #release(): Promise<void> {
    await this.#transaction((tx) => queries.releaseClaim(tx, this.#held));
  }

  async #retryDeadLetters(): Promise<void> {
    const { database } = this.#parts.kernel.services;
    const { account_id, consumer } = this.#key;
    const { read } = database.forAccount(account_id);
    const letters = await queries.listRetries(read, this.#key, RETRIES);
    for (const { seq } of letters) {
      const one = { account_id, after: seq - 1, up_to: seq, limit: 1, event_types: undefined };
      const events = await queries.listConsumed(read, database.dialect, one);
      const finish: FinishEvents = (tx) => queries.deleteDeadLetter(tx, this.#key, seq);
      try {
        if (events.length > 0) await this.#handle(events, finish);
        else await this.#transaction(finish);
      } catch (error) {
        if (!isOfHandler(error)) throw error;
        this.#report(error, 'a dead letter failed again');
        const row = { account_id, consumer, seq, attempts: 1, error: nameOf(error), failed_at: this.#now };
        await this.#transaction(async (tx) => {
          await mustHoldClaim(this.#renew(tx));
          await tx.insertMany(queries.insertDeadLetter, [row]);
        });
      }
    }
    this.hasRetries = letters.length === RETRIES;
  }

  async #failed(error: unknown): Promise<Due> {
    if (isAccountGone(error)) return undefined;
    if (error instanceof ClaimLost) return this.#now + this.#parts.times.grace_ms;
    if (error instanceof Postponed) return this.#postpone(error);
    if (!isOfHandler(error)) {
      await this.#release().catch(() => {});
      return error instanceof Interrupted ? undefined : this.#now + STORE_AWAY_MS;
    }
    const event = this.#single;
    if (!event) throw error;
    const attempts = this.#attempts + 1;
    const { max_attempts = DEFAULT_MAX_ATTEMPTS } = this.#parts.consumer;
    this.#report(error, `event ${event.seq}, attempt ${attempts} of ${max_attempts}`);
    if (attempts >= max_attempts) return this.#giveUp(event, { error, attempts });
    const retry_at = this.#now + backoffMs(attempts);
    await this.#transaction((tx) =>
      queries.failCursor(tx, this.#held, { attempts, last_error: nameOf(error), retry_at }),
    );
    return retry_at;
  }

  async #postpone({ reason, delayMs }: Postponed): Promise<Due> {
    const retry_at = this.#now + Math.max(0, Math.round(delayMs));
    await this.#transaction((tx) => queries.failCursor(tx, this.#held, { attempts: 0, last_error: reason, retry_at }));
    return retry_at;
  }

  async #giveUp(event: LogEvent, { error, attempts }: { error: unknown; attempts: number }): Promise<Due> {
    const row = { ...this.#key, seq: event.seq, attempts, error: nameOf(error), failed_at: this.#now };
    await this.#transaction(async (tx) => {
      await tx.insertMany(queries.insertDeadLetter, [row]);
      await mustHoldClaim(this.#movingTo(event, 0)(tx));
    });
    return AT_ONCE;
  }

  #report(error: unknown, what: string): void {
    this.#parts.counted.failed++;
    this.#parts.onError(this.#problem(error, what));
  }

  #problem(cause: unknown, what: string): Error {
    const { consumer, account_id } = this.#key;
    return new Error(`consumer ${consumer}, account ${account_id}: ${what}`, { cause });
  }
}
