import { andThen, type HookContext, type Hooks } from '../../kernel/index.ts';
import { getDefaultBranch, hasDefaultBranches } from './queries.ts';

/** A profile that was changed through another server counts here after this time at the latest. */
const STALE_MS = 2_000;
const MAX_ACCOUNTS = 1_000;
const MAX_AGENTS = 10_000;

/** `isUsed`: whether any agent of the account has a default branch. Most accounts need nothing but this. */
type KnownDefaults = {
  loadedAt: number;
  isUsed: boolean | Promise<boolean>;
  branches: Map<string, string | undefined>;
};

/** Remembers for a moment which agents have a default branch, so that most requests look nothing up. */
class AgentDefaults {
  readonly #accounts = new Map<string, KnownDefaults>();

  get(agentId: string, context: HookContext): string | undefined | Promise<string | undefined> {
    const known = this.#of(context);
    return andThen(known.isUsed, (isUsed) => (isUsed ? branchIn(known, agentId, context) : undefined));
  }

  invalidate(accountId: string): void {
    this.#accounts.delete(accountId);
  }

  #of({ account_id, read }: HookContext): KnownDefaults {
    const now = performance.now();
    const known = this.#accounts.get(account_id);
    if (known && now - known.loadedAt < STALE_MS) return known;
    if (this.#accounts.size >= MAX_ACCOUNTS) this.#accounts.clear();
    const asked = hasDefaultBranches(read, account_id);
    const fresh: KnownDefaults = { loadedAt: now, isUsed: asked, branches: new Map() };
    this.#accounts.set(account_id, fresh);
    asked.then(
      (isUsed) => {
        fresh.isUsed = isUsed;
      },
      () => this.#accounts.delete(account_id),
    );
    return fresh;
  }
}

function branchIn({ branches }: KnownDefaults, agentId: string, { account_id, read }: HookContext) {
  if (branches.has(agentId)) return branches.get(agentId);
  return getDefaultBranch(read, account_id, agentId).then((branch) => {
    if (branches.size >= MAX_AGENTS) branches.clear();
    branches.set(agentId, branch);
    return branch;
  });
}

const CHANGED_BY: ReadonlySet<string> = new Set(['agent_updated', 'erase']);

/** The branch that the profile of an agent names. */
export function defaultBranchHooks(): Hooks {
  const known = new AgentDefaults();
  return {
    defaultBranch: (agentId, context) => known.get(agentId, context),
    committed(events, accountId) {
      if (events.some(({ event_type }) => CHANGED_BY.has(event_type))) known.invalidate(accountId);
    },
  };
}
