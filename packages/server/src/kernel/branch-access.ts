import { Fault } from '@mem-service/contract';
import type { Caller } from './caller.ts';
import { HookContext, type Hooks } from './hooks.ts';
import type { Services } from './module.ts';
import { branchOf, type Lineage, MAIN_BRANCH } from './view.ts';
import type { LogEvent } from './work.ts';

export type BranchPermission = 'read' | 'read_write';

/** Decides who may use which branch. Offered by the module that has the grants. */
export type AccessHook = {
  /** Throws `branch_access_denied` unless the caller may use the branch so. Never called for `main` or without a key. */
  require(branch: string, permission: BranchPermission, context: HookContext): void | Promise<void>;
  /** The branches besides `main` that the caller may read; undefined means all. Never called without a key. */
  readable(context: HookContext): undefined | Promise<ReadonlySet<string>>;
  /**
   * Whether an erasure from `main` by the caller reaches what the branch has of it: where the caller may write to it. Never called
   * for `main` or without a key.
   */
  mayErase(branch: string, context: HookContext): Promise<boolean>;
  /** Types of events after which the answer may be another. */
  changed_by: ReadonlySet<string>;
  /** Drops remembered answers about the account, because one of these events was seen. */
  invalidate(accountId: string): void;
};

/** Checks again whether the reader of a stream may still see its branch. */
export type AccessWatch = {
  isDue(event: LogEvent): boolean;
  check(): Promise<void>;
};

type AskedRef = { ref: string; lineage: Lineage; permission: BranchPermission };

type HookedServices = { services: Services; hooks: readonly AccessHook[] };

/** Whether callers may use branches. A caller without a key of an account may use all, and everybody may use `main`. */
export class BranchAccess {
  #hooked: HookedServices | undefined;

  start(services: Services, hooks: readonly Hooks[]): void {
    this.#hooked = { services, hooks: hooks.flatMap(({ access }) => access ?? []) };
  }

  /** Throws `branch_access_denied`, or returns a promise where something has to be looked up. */
  require(caller: Caller, branch: string, permission: BranchPermission): void | Promise<void> {
    if (branch === MAIN_BRANCH || caller.key === undefined || !this.#hooked) return undefined;
    const { services, hooks } = this.#hooked;
    return askEach(hooks, (hook) => hook.require(branch, permission, new HookContext(services, caller)));
  }

  /** The same for the branch that a ref leads to. A tag does not show of which branch it is. */
  requireRef(caller: Caller, { ref, lineage, permission }: AskedRef): void | Promise<void> {
    const branch = branchOf({ lineage });
    const isNamed = ref === branch || ref.startsWith(`${branch}@`);
    return isNamed ? this.require(caller, branch, permission) : this.requireUnnamed(caller, branch, permission);
  }

  /** The same where the caller has not named the branch: the refusal does not name it either. */
  async requireUnnamed(caller: Caller, branch: string, permission: BranchPermission): Promise<void> {
    try {
      await this.require(caller, branch, permission);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'branch_access_denied') throw error;
      throw new Fault('branch_access_denied', 'this key has no such grant for the branch that it belongs to', {
        permission,
      });
    }
  }

  /**
   * The branches that a caller may read, for lists of what happened on any of them. Undefined means all, and then nothing was
   * looked up.
   */
  readable(caller: Caller): undefined | Promise<ReadonlySet<string>> {
    if (caller.key === undefined || !this.#hooked) return undefined;
    const { services, hooks } = this.#hooked;
    const asked = hooks.flatMap((hook) => hook.readable(new HookContext(services, caller)) ?? []);
    return asked.length === 0 ? undefined : Promise.all(asked).then(inAll);
  }

  /** Whether what the caller erases from `main` is also erased from this branch. */
  async mayErase(caller: Caller, branch: string): Promise<boolean> {
    if (branch === MAIN_BRANCH || caller.key === undefined || !this.#hooked) return true;
    const { services, hooks } = this.#hooked;
    for (const hook of hooks) if (!(await hook.mayErase(branch, new HookContext(services, caller)))) return false;
    return true;
  }

  /** A watch for a stream of the branch; undefined where nobody can lose access to it. */
  watch(caller: Caller, lineage: Lineage): AccessWatch | undefined {
    const branch = lineage[0]?.branch ?? MAIN_BRANCH;
    if (branch === MAIN_BRANCH || caller.key === undefined || !this.#hooked?.hooks.length) return undefined;
    const { hooks } = this.#hooked;
    return {
      isDue: ({ event_type }) => hooks.some(({ changed_by }) => changed_by.has(event_type)),
      check: async () => {
        // The event may come from another server, which wrote it to the log only.
        for (const hook of hooks) hook.invalidate(caller.account_id);
        await this.require(caller, branch, 'read');
      },
    };
  }
}

function inAll([first = new Set(), ...others]: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set([MAIN_BRANCH, ...[...first].filter((branch) => others.every((other) => other.has(branch)))]);
}

function askEach<T>(hooks: readonly T[], ask: (hook: T) => void | Promise<void>): void | Promise<void> {
  for (let i = 0; i < hooks.length; i++) {
    const answer = ask(hooks[i] as T);
    if (answer instanceof Promise) return answer.then(() => askEach(hooks.slice(i + 1), ask));
  }
}
