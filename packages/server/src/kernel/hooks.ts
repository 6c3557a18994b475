import type { OperationName } from '@mem-service/contract';
import type { CachedFind, Query, Row, SqlValue } from '../db/index.ts';
import type { AccessHook } from './branch-access.ts';
import type { Caller } from './caller.ts';
import type { Services } from './module.ts';
import type { NotingSession } from './note-buffer.ts';
import type { RoomHook } from './rooms.ts';
import type { Lineage } from './view.ts';
import type { LogEvent, Work } from './work.ts';

/** What a hook may use: the caller, and reads of its account. */
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

  /** Reads limited to the account. Created on first use, since most requests need none. */
  get read(): Query {
    return this.services.database.forAccount(this.caller.account_id).read;
  }

  /** As reads of the account find a row. */
  find<T = Row>(find: CachedFind, key: readonly SqlValue[]): Promise<Readonly<T> | undefined> {
    return this.services.database.forAccount(this.caller.account_id).find<T>(find, key);
  }
}

/**
 * Lets a module take part in every request. A hook that has nothing to look up returns no promise and adds no delay.
 */
export type Hooks = {
  /**
   * Returns what a branch of the account shows, or undefined for a branch that is not this module's. Never called for
   * `main`. A branch whose first span ends at a `seq` is read-only.
   */
  lineage?(branch: string, context: HookContext): Lineage | undefined | Promise<Lineage | undefined>;
  /** Whether the account has branches besides `main`. */
  hasBranches?(context: HookContext): boolean | Promise<boolean>;
  /** Returns the branch of an agent's calls that name none, or undefined for `main`. */
  defaultBranch?(agentId: string, context: HookContext): string | undefined | Promise<string | undefined>;
  /** Returns the branch that a session reads and writes on, or undefined where it has done neither. Asked where there are branches. */
  sessionBranch?(session: NotingSession, context: HookContext): Promise<string | undefined>;
  /** Decides who may use branches other than `main`. Asked after `lineage`, and again for open streams. */
  access?: AccessHook;
  /**
   * Returns the lineage of a branch for the writes of a transaction, with the account locked, or undefined for a branch that
   * is not this module's. Throws a Fault where the branch cannot be written to, and adds it to the protected branches of the
   * work where only merges may. Never called for `main`.
   */
  lineageInWork?(branch: string, work: Work): Promise<Lineage | undefined>;
  /** Decides who may use which room. At most one module has it. */
  rooms?: RoomHook;
  /** Throws a Fault to refuse a request, after the service's own checks. The input is parsed. */
  authorize?(name: OperationName, input: Readonly<Record<string, unknown>>, context: HookContext): void | Promise<void>;
  /**
   * Receives the events that this process committed to an account, in order and before the requests are answered.
   * Events of other servers are not passed.
   */
  committed?(events: readonly LogEvent[], accountId: string): void;
};
