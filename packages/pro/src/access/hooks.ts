import type { AccessHook, Caller, HookContext, Hooks } from '@mem-service/server/module';
import { getBranch } from '../branches/queries.ts';
import { type AccessLevel, accessDenied, decideAccess, listReadableBranches, mayAll, suffices } from './decide.ts';

/** A grant revoked on another server counts here after this time at the latest. */
const STALE_MS = 2_000;
const MAX_ACCOUNTS = 1_000;
const MAX_LEVELS = 10_000;

const CHANGED_BY: ReadonlySet<string> = new Set(['access_granted', 'access_revoked', 'member_updated', 'team_deleted']);

type AccountLevels = { loadedAt: number; levels: Map<string, Promise<AccessLevel>> };

/** Remembers for a moment what keys may do on branches, so that most requests look nothing up. */
class AccessLevels {
  readonly #accounts = new Map<string, AccountLevels>();

  get(context: HookContext, branch: string): Promise<AccessLevel> {
    const { caller, read } = context;
    const { levels } = this.#of(caller.account_id);
    const name = nameOf(caller, branch);
    const known = levels.get(name);
    if (known !== undefined) return known;
    if (levels.size >= MAX_LEVELS) levels.clear();
    const found = decideAccess(read, caller, branch);
    levels.set(name, found);
    found.catch(() => levels.delete(name));
    return found;
  }

  invalidate(accountId: string): void {
    this.#accounts.delete(accountId);
  }

  #of(accountId: string): AccountLevels {
    const now = performance.now();
    const known = this.#accounts.get(accountId);
    if (known && now - known.loadedAt < STALE_MS) return known;
    if (this.#accounts.size >= MAX_ACCOUNTS) this.#accounts.clear();
    // What is still being looked up for the old map cannot reach this one.
    const fresh: AccountLevels = { loadedAt: now, levels: new Map() };
    this.#accounts.set(accountId, fresh);
    return fresh;
  }
}

const nameOf = ({ holder, key }: Caller, branch: string): string =>
  JSON.stringify([holder, key?.member?.member_id, branch]);

export function createHooks(): Hooks {
  const known = new AccessLevels();
  const access: AccessHook = {
    changed_by: CHANGED_BY,
    // Not remembered: a reader of the log would otherwise never get the events of a branch that it was just allowed to read.
    readable: (context) => (mayAll(context.caller) ? undefined : listReadableBranches(context)),
    async mayErase(branch, context) {
      const { caller, account_id, read } = context;
      if (mayAll(caller)) return true;
      if (!suffices(await known.get(context, branch), 'read_write')) return false;
      return (await getBranch(read, account_id, branch))?.is_protected !== 1;
    },
    invalidate: (accountId) => known.invalidate(accountId),
    require(branch, permission, context) {
      if (mayAll(context.caller)) return undefined;
      return known.get(context, branch).then((level) => {
        if (!suffices(level, permission)) throw accessDenied(branch, permission);
      });
    },
  };
  return {
    access,
    committed(events, accountId) {
      if (events.some(({ event_type }) => CHANGED_BY.has(event_type))) known.invalidate(accountId);
    },
  };
}
