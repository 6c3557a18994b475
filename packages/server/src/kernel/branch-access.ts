import type { Caller } from './caller.ts';
import { HookContext, type Hooks } from './hooks.ts';
import type { Services } from './module.ts';
import { type Lineage, MAIN_BRANCH } from './view.ts';
import type { LogEvent } from './work.ts';

export type BranchPermission = 'read' | 'read_write';

/** Decides who may use which branch. Offered by the module that has the grants. */
export type AccessHook = {
  /** Throws `branch_access_denied` unless the caller may use the branch so. Never called for `main` or without a key. */
  require(branch: string, permission: BranchPermission, context: HookContext): void | Promise<void>;
  /** The branches besides `main` that the caller may read; undefined means all. Never called without a key. */
  readable(context: HookContext): undefined | Promise<ReadonlySet<string>>;
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
