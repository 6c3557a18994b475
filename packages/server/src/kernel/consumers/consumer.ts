import type { Engine } from '../../db/index.ts';
import type { Kernel } from '../module.ts';
import type { LogEvent, Work } from '../work.ts';

/**
 * Follows the log of every account, each from a cursor in the store. One server at a time handles an account for a
 * consumer; after a crash another server, or the same one, continues at the cursor.
 */
export type Consumer = {
  /** `<module>.<what it does>`, without spaces. The cursors are stored under this name. */
  name: string;
  /** Only these wake it; the cursor moves past all others. Undefined: every event. */
  event_types?: readonly string[];
  /** Undefined: both engines. */
  only_on?: Engine;
  /**
   * Where it begins in accounts that exist when it is first installed. Later accounts are followed from their start.
   */
  starts_at: 'the beginning' | 'now';
  /** The most events passed to `handle` at once. */
  batch_size?: number;
  /** How long it waits after an event, to collect more for the batch. */
  delay_seconds?: number;
  /**
   * How long it rests after a turn that has handled all there was, while more comes in: each turn takes two transactions,
   * however few events it handles. Undefined: as long as `delay_seconds`.
   */
  pause_seconds?: number;
  /**
   * While many writes come in it waits for a lull, up to this long: they need the processor more. If they go on, it takes a
   * tenth of the time, or more where it would have to rest for longer than this.
   */
  gives_way_seconds?: number;
  /** After this many attempts an event becomes a dead letter. */
  max_attempts?: number;
  /**
   * Handles events of one account, in order. Writes through `context.work` are committed together with the cursor:
   * exactly once, even after a crash. Other effects happen at least once and must be repeatable. When it throws, the
   * events are retried one by one.
   */
  handle(context: ConsumerContext, events: readonly LogEvent[]): Promise<void>;
};

export type ConsumerContext = {
  account_id: string;
  kernel: Kernel;
  /** A long-running handler checks this regularly, and returns early when it is true; unhandled events come again. */
  isStopping(): boolean;
  /** Aborted when the service stops, for a handler that waits for something outside. */
  stopped: AbortSignal;
  /**
   * A transaction of the account before that of `work`, where a batch has more to write than writers should wait for. The
   * cursor stays, so what it writes must be repeatable. Fails when the claim was lost.
   */
  step<T>(run: (work: Work) => Promise<T>): Promise<T>;
  /** The same off the main thread, where there is one: for thousands of rows. */
  longStep<T>(run: (work: Work) => Promise<T>): Promise<T>;
  /**
   * The transaction of the account that also moves the cursor past the events. Use it once per batch, as the last step,
   * without network calls inside.
   */
  work<T>(run: (work: Work) => Promise<T>): Promise<T>;
};

export const DEFAULT_BATCH_SIZE = 100;
export const DEFAULT_MAX_ATTEMPTS = 8;

/** The times of claims on background work. Tests set them so that they need not wait. */
export type ClaimTimes = {
  /** Without a renewal for this long, another server may take over a claim. */
  lease_ms: number;
  /** How long a server leaves events to the server that committed them. */
  grace_ms: number;
};

export const CLAIM_TIMES: ClaimTimes = { lease_ms: 15_000, grace_ms: 1_000 };
