import type { HookContext } from '@mem-service/server/module';
import { hasBranches } from './queries.ts';

/** A first branch that was created through another server is known after this time at the latest. */
const STALE_MS = 2_000;
const MAX_ACCOUNTS = 10_000;

type KnownAccount = { loadedAt: number; has: boolean | Promise<boolean> };

/** Remembers which accounts have branches: most have none, and need nothing else. A name of a branch stays taken. */
export class KnownAccounts {
  readonly #accounts = new Map<string, KnownAccount>();

  has({ account_id, read }: HookContext): boolean | Promise<boolean> {
    const now = performance.now();
    const known = this.#accounts.get(account_id);
    if (known && (known.has === true || now - known.loadedAt < STALE_MS)) return known.has;
    if (this.#accounts.size >= MAX_ACCOUNTS) this.#accounts.clear();
    const asked = hasBranches(read, account_id, { count: 1 });
    const fresh: KnownAccount = { loadedAt: now, has: asked };
    this.#accounts.set(account_id, fresh);
    asked.then(
      (has) => {
        fresh.has = has;
      },
      () => this.#accounts.delete(account_id),
    );
    return asked;
  }

  drop(accountId: string): void {
    this.#accounts.delete(accountId);
  }
}
