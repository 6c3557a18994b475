import { Fault } from '@mem-service/contract';
import { StorageError } from '../../db/index.ts';
import { isAccountGone } from '../work.ts';

/** Another server has claimed the cursor. This server's transaction is rolled back. */
export class ClaimLost extends Error {
  override name = 'ClaimLost';
}

/** The handler stopped early because the service is stopping. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** For a statement that changes the row of the claim. */
export async function mustHoldClaim(changedRows: Promise<number>): Promise<void> {
  if ((await changedRows) === 0) throw new ClaimLost('another server has taken over');
}

/** True for an error of the handler. All others are retried without counting an attempt. */
export function isOfHandler(error: unknown): boolean {
  if (error instanceof ClaimLost || error instanceof Interrupted || error instanceof StorageError) return false;
  return !isAccountGone(error) && !(error instanceof Fault && error.code === 'unavailable');
}

/** The kind of error. Its message may quote an entry, so only the server's log contains it. */
export function nameOf(error: unknown): string {
  if (error instanceof Fault) return `Fault ${error.code}`;
  return error instanceof Error ? error.name : typeof error;
}
