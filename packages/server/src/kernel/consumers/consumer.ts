import type { Engine } from '../../db/index.ts';
import type { Kernel } from '../module.ts';
import type { LogEvent, Work } from '../work.ts';

/**
 * Follows the log of every account, each from a cursor that is kept in the store. One server at a time works on an account
 * for a consumer; after a crash another one, or the same, goes on at the cursor.
 */
export type Consumer = {
  /** `<module>.<what it does>`, without spaces. The cursors are kept under it. */
  name: string;
  /** Only these wake it; the cursor moves past all others. Left out: every event. */
  event_types?: readonly string[];
  /** Left out: on both. */
  only_on?: Engine;
  /** Where it begins in accounts that are there when it is first installed. Later accounts are followed from their start. */
  starts_at: 'the beginning' | 'now';
  /** How many events it is given at most in one go. */
  batch_size?: number;
  /** How long it waits after an event, so that one batch holds many. */
  delay_seconds?: number;
  /** So often an event is tried before it becomes a dead letter. */
  max_attempts?: number;
  /**
   * Handles events of one account, in order. What it writes through `context.work` is committed together with the cursor:
   * exactly once, whatever crashes. What it does elsewhere happens at least once, and has to bear being repeated. When it
   * throws, the events are tried again, one by one.
   */
  handle(context: ConsumerContext, events: readonly LogEvent[]): Promise<void>;
};

export type ConsumerContext = {
  account_id: string;
  kernel: Kernel;
  /** What takes long asks now and then whether the service is about to stop; events it has not handled come again. */
  isStopping(): boolean;
  /**
   * The transaction of the account that also moves the cursor past the events. Once for each batch, as its last step, and
   * with no network in it.
   */
  work<T>(run: (work: Work) => Promise<T>): Promise<T>;
};

export const DEFAULT_BATCH_SIZE = 100;
export const DEFAULT_MAX_ATTEMPTS = 8;

/** How a claim on background work is timed, so that tests need not wait. */
export type ClaimTimes = {
  /** After this time without a renewal, others may take what a server has claimed. */
  lease_ms: number;
  /** How long a server leaves the events that another one committed to that one. */
  grace_ms: number;
};

export const CLAIM_TIMES: ClaimTimes = { lease_ms: 15_000, grace_ms: 1_000 };
