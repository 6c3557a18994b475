import { hash } from 'node:crypto';
import type { Caller } from './caller.ts';
import type { Clock } from './clock.ts';
import { KeyLookUps } from './key-look-ups.ts';
import { type KeySource, type KnownKey, keyRefusal, refusalOf, UnknownKey } from './key-status.ts';
import { KeyWatch, type KeyWatchHandle } from './key-watch.ts';

export type KeyUse = { account_id: string; key_id: string; last_used_at: number };

type HeldKey = { key: KnownKey; keyHash: string; secret: string; loadedAt: number; refreshing?: Promise<void> };

/** A key revoked on another server is refused here after this time at the latest. */
const STALE_MS = 5_000;
const REFRESH_MS = 2_000;
const MAX_HELD = 50_000;
const MAX_UNKNOWN = 10_000;

/**
 * A cache of recently used keys, so that checking one needs no query. Each key is refreshed in the background every two
 * seconds, and none is trusted for longer than five.
 */
export class KeyRing {
  readonly #source: KeySource;
  readonly #lookUps: KeyLookUps;
  readonly #clock: Clock;
  readonly #held = new Map<string, HeldKey>();
  readonly #byHash = new Map<string, HeldKey>();
  readonly #unknown = new Map<string, number>();
  readonly #uses = new Map<string, KeyUse>();
  readonly #watch: KeyWatch;

  constructor(source: KeySource, clock: Clock, onError: (error: unknown) => void = () => {}) {
    this.#source = source;
    this.#lookUps = new KeyLookUps(source);
    this.#clock = clock;
    this.#watch = new KeyWatch(source, clock, onError);
  }

  /** Returns the key when it is cached; undefined when the store has to be queried. */
  peek(secret: string): KnownKey | undefined {
    const held = this.#held.get(secret);
    if (!held) return undefined;
    const age = performance.now() - held.loadedAt;
    if (age >= STALE_MS) return undefined;
    if (age >= REFRESH_MS) held.refreshing ??= this.#refresh(held);
    return this.#accept(held);
  }

  /** Throws when the text cannot be a key. The error reveals nothing that helps to guess keys. */
  checkForm(secret: string): void {
    const problem = this.#source.problem(secret);
    if (problem !== undefined) throw keyRefusal(problem);
  }

  async find(secret: string): Promise<KnownKey> {
    const keyHash = hash('sha256', secret, 'hex');
    const now = performance.now();
    if ((this.#unknown.get(keyHash) ?? 0) > now) throw new UnknownKey();
    const key = await this.#lookUps.load(keyHash);
    if (key) return this.#accept(this.#hold({ key, keyHash, secret, loadedAt: now }));
    dropOldest(this.#unknown, MAX_UNKNOWN);
    this.#unknown.set(keyHash, now + STALE_MS);
    throw new UnknownKey();
  }

  /**
   * Called after a change on this server: the next use of the key, and open streams of its holder, look it up again.
   */
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

  /** Calls `end` once requests with the caller's key would be refused. Returns undefined for a caller without a key. */
  watch({ account_id: accountId, key }: Caller, end: () => void): KeyWatchHandle | undefined {
    const { hash: keyHash } = key ?? {};
    const role = key?.member?.role ?? null;
    return keyHash === undefined ? undefined : this.#watch.watch({ accountId, keyHash, role }, end);
  }

  /** Returns when each key was last used, for keys used since the previous call. */
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

  /** Runs in the background. While the store cannot be reached, the key is trusted until it is too old. */
  async #refresh(held: HeldKey): Promise<void> {
    try {
      const now = performance.now();
      const key = await this.#lookUps.load(held.keyHash);
      // Dropped meanwhile: the row read here may be older than the change.
      if (this.#held.get(held.secret) !== held) return;
      if (!key) this.#drop(held);
      else this.#hold({ key, keyHash: held.keyHash, secret: held.secret, loadedAt: now });
    } catch {
      delete held.refreshing;
    }
  }
}

/** Makes room for one more by removing the oldest. */
function dropOldest<K, V>(map: Map<K, V>, max: number, drop?: (old: V) => void): void {
  if (map.size < max) return;
  const [first] = map;
  if (!first) return;
  if (drop) drop(first[1]);
  map.delete(first[0]);
}
