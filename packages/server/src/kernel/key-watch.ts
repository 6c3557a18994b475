import { StorageError } from '../db/index.ts';
import type { Clock } from './clock.ts';
import type { MemberRole } from './key-member.ts';
import { type KeySource, type KeyStatus, refusalOf } from './key-status.ts';

/** How often all watched keys are looked up, in one query. */
const LOOK_MS = 2_000;
/** A key that could not be looked up for this long is no longer trusted. */
const STALE_MS = 5_000;

type WatchedKey = {
  accountId: string;
  expiresAt: number | null;
  seenAt: number;
  /** By the role of the key's member when the stream was opened; null where it has none. */
  ends: Map<() => void, MemberRole | null>;
};

export type KeyOfStream = { accountId: string; keyHash: string; role: MemberRole | null };

/** A watch on the key of an open stream. */
export type KeyWatchHandle = {
  /** Whether the stream may send now. Makes no query. */
  isValid(): boolean;
  leave(): void;
};

/**
 * Keys of open streams. A stream is ended once a request with its key would be refused: at once after a change on this
 * server, otherwise at the next look-up.
 */
export class KeyWatch {
  readonly #source: Pick<KeySource, 'statuses'>;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #watched = new Map<string, WatchedKey>();
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(source: Pick<KeySource, 'statuses'>, clock: Clock, onError: (error: unknown) => void) {
    this.#source = source;
    this.#clock = clock;
    this.#onError = onError;
  }

  watch({ accountId, keyHash, role }: KeyOfStream, end: () => void): KeyWatchHandle {
    const watched = this.#watched.get(keyHash) ?? this.#begin(accountId, keyHash);
    watched.ends.set(end, role);
    return {
      isValid: () =>
        performance.now() - watched.seenAt < STALE_MS &&
        (watched.expiresAt === null || watched.expiresAt > this.#clock.now()),
      leave: () => {
        watched.ends.delete(end);
        if (watched.ends.size === 0 && this.#watched.get(keyHash) === watched) this.#unwatch(keyHash);
      },
    };
  }

  /** Called after a change of a key or of an account. */
  changed(key: { keyHash: string } | { accountId: string }): void {
    if ('keyHash' in key) {
      if (this.#watched.has(key.keyHash)) void this.#look([key.keyHash]);
      return;
    }
    const hashes = [...this.#watched].filter(([, { accountId }]) => accountId === key.accountId).map(([hash]) => hash);
    if (hashes.length > 0) void this.#look(hashes);
  }

  #begin(accountId: string, keyHash: string): WatchedKey {
    const watched: WatchedKey = { accountId, expiresAt: null, seenAt: performance.now(), ends: new Map() };
    this.#watched.set(keyHash, watched);
    this.#timer ??= setInterval(() => void this.#lookAtAll(), LOOK_MS).unref();
    // The cached key that admitted the stream may be some seconds old.
    void this.#look([keyHash]);
    return watched;
  }

  #unwatch(keyHash: string): void {
    this.#watched.delete(keyHash);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #lookAtAll(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    await this.#look([...this.#watched.keys()]);
    this.#looking = false;
  }

  async #look(hashes: readonly string[]): Promise<void> {
    const seenAt = performance.now();
    let found: KeyStatus[];
    try {
      found = await this.#source.statuses(hashes);
    } catch (error) {
      // The store cannot be reached: the next look-up tries again. Until then the key is trusted for a short time only.
      if (!(error instanceof StorageError)) this.#onError(error);
      return;
    }
    const statuses = new Map(found.map((status) => [status.key_hash, status]));
    for (const hash of hashes) this.#seen(hash, statuses.get(hash), seenAt);
  }

  #seen(hash: string, status: KeyStatus | undefined, seenAt: number): void {
    const watched = this.#watched.get(hash);
    if (!watched) return;
    if (status && !refusalOf(status, this.#clock.now())) {
      watched.seenAt = Math.max(watched.seenAt, seenAt);
      watched.expiresAt = status.expires_at;
      // A key that may do something else now is checked again when its holder reconnects.
      for (const [end, role] of [...watched.ends]) if (role !== status.member_role) end();
      return;
    }
    this.#unwatch(hash);
    for (const end of [...watched.ends.keys()]) end();
  }
}
