import { Fault } from '@mem-service/contract';
import { StorageError } from '../../db/index.ts';
import { isAccountGone } from '../account-gone.ts';

/** Another server has claimed the cursor. This server's transaction is rolled back. */
export class ClaimLost extends Error {
  override name = 'ClaimLost';
}

/** The handler stopped early because the service is stopping. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/**
 * What a handler throws where nothing is wrong with the events, but they must wait: for a server outside, or for a budget.
 * They are tried again after the delay, as often as it takes; `reason` is shown to operators.
 */
export class Postponed extends Error {
  override name = 'Postponed';
  readonly reason: string;
  readonly delayMs: number;

  constructor(reason: string, delayMs: number) {
    super(`postponed for ${Math.round(delayMs)} ms: ${reason}`);
    this.reason = reason;
    this.delayMs = delayMs;
  }
}

/** For a statement that changes the row of the claim. */
export async function mustHoldClaim(changedRows: Promise<number>): Promise<void> {
  if ((await changedRows) === 0) throw new ClaimLost('another server has taken over');
}

/** True for an error of the handler. All others are retried without counting an attempt. */
export function isOfHandler(error: unknown): boolean {
  if (error instanceof ClaimLost || error instanceof Interrupted || error instanceof Postponed) return false;
  if (error instanceof StorageError) return false;
  return !isAccountGone(error) && !(error instanceof Fault && error.code === 'unavailable');
}

/** The kind of error. Its message may quote an entry, so only the server's log contains it. */
export function nameOf(error: unknown): string {
  if (error instanceof Fault) return `Fault ${error.code}`;
  return error instanceof Error ? error.name : typeof error;
}
