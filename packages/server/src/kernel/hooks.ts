import type { OperationName } from '@mem-service/contract';
import type { Query } from '../db/index.ts';
import type { Caller } from './caller.ts';
import type { Services } from './module.ts';
import type { Lineage } from './view.ts';
import type { LogEvent } from './work.ts';

/** What a hook may look at: the caller, and the account it calls for. */
export class HookContext {
  readonly caller: Caller;
  readonly services: Services;

  constructor(services: Services, caller: Caller) {
    this.caller = caller;
    this.services = services;
  }

  get account_id(): string {
    return this.caller.account_id;
  }

  /** Reads of the account alone. Made when a hook asks, since most requests need none. */
  get read(): Query {
    return this.services.database.forAccount(this.caller.account_id).read;
  }
}

/**
 * Where a module takes part in every request. A hook that has nothing to look up answers without a promise, so that it
 * delays nobody.
 */
export type Hooks = {
  /**
   * What a branch of the account shows, or undefined for a branch that is not this module's. `main` is never asked for.
   * A branch whose first span ends at a `seq` can be read, and not written to.
   */
  lineage?(branch: string, context: HookContext): Lineage | undefined | Promise<Lineage | undefined>;
  /** Refuses a request by throwing a Fault, after the service's own checks. The input is parsed. */
  authorize?(name: OperationName, input: Readonly<Record<string, unknown>>, context: HookContext): void | Promise<void>;
  /**
   * Is given what this process committed to an account, in order and before the requests are answered. What other servers
   * commit is not seen here.
   */
  committed?(events: readonly LogEvent[], accountId: string): void;
};
