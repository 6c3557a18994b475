import { hash } from 'node:crypto';
import type { Caller } from './caller.ts';
import type { Clock } from './clock.ts';
import { type KeySource, type KnownKey, keyRefusal, refusalOf } from './key-status.ts';
import { KeyWatch, type KeyWatchHandle } from './key-watch.ts';

export type KeyUse = { account_id: string; key_id: string; last_used_at: number };

type HeldKey = { key: KnownKey; keyHash: string; secret: string; loadedAt: number; refreshing?: Promise<void> };

/** What another server has revoked is refused here after this long at the latest. */
const STALE_MS = 5_000;
const REFRESH_MS = 2_000;
const MAX_HELD = 50_000;
const MAX_UNKNOWN = 10_000;

/**
 * Keys that were used lately, so that checking one asks no database: each is looked up anew every two seconds beside the
 * requests, and none is believed for longer than five.
 */
export class KeyRing {
  readonly #source: KeySource;
  readonly #clock: Clock;
  readonly #held = new Map<string, HeldKey>();
  readonly #byHash = new Map<string, HeldKey>();
  readonly #unknown = new Map<string, number>();
  readonly #uses = new Map<string, KeyUse>();
  readonly #watch: KeyWatch;

  constructor(source: KeySource, clock: Clock, onError: (error: unknown) => void = () => {}) {
    this.#source = source;
    this.#clock = clock;
    this.#watch = new KeyWatch(source, clock, onError);
  }

  /** The key, at once where it is held; undefined where the store has to be asked. */
  peek(secret: string): KnownKey | undefined {
    const held = this.#held.get(secret);
    if (!held) return undefined;
    const age = performance.now() - held.loadedAt;
    if (age >= STALE_MS) return undefined;
    if (age >= REFRESH_MS) held.refreshing ??= this.#refresh(held);
    return this.#accept(held);
  }

  /** Refuses what cannot be a key. It tells nothing that whoever tries keys out does not know. */
  checkForm(secret: string): void {
    const problem = this.#source.problem(secret);
    if (problem !== undefined) throw keyRefusal(problem);
  }

  async find(secret: string): Promise<KnownKey> {
    const keyHash = hash('sha256', secret, 'hex');
    const now = performance.now();
    if ((this.#unknown.get(keyHash) ?? 0) > now) throw keyRefusal('the API key is not known');
    const key = await this.#source.load(keyHash);
    if (key) return this.#accept(this.#hold({ key, keyHash, secret, loadedAt: now }));
    dropOldest(this.#unknown, MAX_UNKNOWN);
    this.#unknown.set(keyHash, now + STALE_MS);
    throw keyRefusal('the API key is not known');
  }

  /** After a change on this server: the next use looks it up, and so does what is open. */
  invalidate(keyHash: string): void {
    const held = this.#byHash.get(keyHash);
    if (held) this.#drop(held);
    this.#unknown.delete(keyHash);
    this.#watch.changed({ keyHash });
  }

  invalidateAccount(accountId: string): void {
    for (const held of [...this.#held.values()]) if (held.key.account_id === accountId) this.#drop(held);
    this.#watch.changed({ accountId });
  }

  /** Ends what is open for a caller once its key would be refused. Undefined where there is no key that could be. */
  watch({ account_id: accountId, key }: Caller, end: () => void): KeyWatchHandle | undefined {
    const { hash: keyHash } = key ?? {};
    return keyHash === undefined ? undefined : this.#watch.watch({ accountId, keyHash }, end);
  }

  /** When each key was used since the last time of asking. */
  takeUses(): KeyUse[] {
    const uses = [...this.#uses.values()];
    this.#uses.clear();
    return uses;
  }

  #accept({ key }: HeldKey): KnownKey {
    const now = this.#clock.now();
    const { key_id } = key.principal;
    const refusal = refusalOf(key, now);
    if (refusal) throw refusal;
    const use = this.#uses.get(key_id);
    if (use) use.last_used_at = now;
    else this.#uses.set(key_id, { account_id: key.account_id, key_id, last_used_at: now });
    return key;
  }

  #hold(held: HeldKey): HeldKey {
    dropOldest(this.#held, MAX_HELD, (old) => this.#drop(old));
    this.#held.set(held.secret, held);
    this.#byHash.set(held.keyHash, held);
    return held;
  }

  #drop({ secret, keyHash }: HeldKey): void {
    this.#held.delete(secret);
    this.#byHash.delete(keyHash);
  }

  /** Beside the requests. While the store cannot be asked, the key is believed until it is too old. */
  async #refresh(held: HeldKey): Promise<void> {
    try {
      const now = performance.now();
      const key = await this.#source.load(held.keyHash);
      // Forgotten in the meantime: what was read may be older than the change.
      if (this.#held.get(held.secret) !== held) return;
      if (!key) this.#drop(held);
      else this.#hold({ key, keyHash: held.keyHash, secret: held.secret, loadedAt: now });
    } catch {
      delete held.refreshing;
    }
  }
}

/** Makes room for one more by taking out the oldest. */
function dropOldest<K, V>(map: Map<K, V>, max: number, drop?: (old: V) => void): void {
  if (map.size < max) return;
  const [first] = map;
  if (!first) return;
  if (drop) drop(first[1]);
  map.delete(first[0]);
}
