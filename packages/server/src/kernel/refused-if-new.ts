import { Fault, type OperationName } from '@mem-service/contract';
import type { Caller } from './caller.ts';
import type { Handler } from './module.ts';

/** What a request is refused with, unless it was done before. */
export class Refusal {
  readonly handler: Handler<OperationName> & { kind: 'write' };

  constructor(fault: Fault) {
    this.handler = { kind: 'write', run: () => Promise.reject(fault) };
  }
}

/**
 * What was done once cannot always be done again: what it needs may be gone. So a request with an idempotency key is not
 * refused before the committer has looked for the answer of the first time.
 */
export const refusedIfNew = (preparing: Promise<unknown>, { idempotency_key }: Caller): Promise<unknown> =>
  idempotency_key === undefined ? preparing : preparing.catch(toRefusal);

function toRefusal(error: unknown): Refusal {
  if (error instanceof Fault) return new Refusal(error);
  throw error;
}
