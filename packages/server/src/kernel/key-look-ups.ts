import { Fault } from '@mem-service/contract';
import type { KeySource, KnownKey } from './key-status.ts';

/** Keys that one statement looks up, and keys that may wait for the next. */
const MAX_PER_STATEMENT = 500;
const MAX_WAITING = 10_000;

type WaitingLookUp = {
  found: Promise<KnownKey | undefined>;
  resolve(key: KnownKey | undefined): void;
  reject(error: unknown): void;
};

/**
 * Looks keys up, one statement at a time for all that wait. However many wrong keys arrive, they take one connection, and
 * a right key among them waits for two statements at most.
 */
export class KeyLookUps {
  readonly #source: Pick<KeySource, 'load'>;
  #waiting = new Map<string, WaitingLookUp>();
  #isRunning = false;

  constructor(source: Pick<KeySource, 'load'>) {
    this.#source = source;
  }

  /** Resolves to undefined for a key that is not there. */
  load(keyHash: string): Promise<KnownKey | undefined> {
    const known = this.#waiting.get(keyHash);
    if (known) return known.found;
    if (this.#waiting.size >= MAX_WAITING)
      return Promise.reject(new Fault('unavailable', 'too many keys wait to be looked up', { retry_after: 1 }));
    const { promise: found, ...resolvers } = withResolvers<KnownKey | undefined>();
    this.#waiting.set(keyHash, { found, ...resolvers });
    if (!this.#isRunning) void this.#run();
    return found;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Lets keys of requests that have arrived already join the first statement.
    await Promise.resolve();
    while (this.#waiting.size > 0) await this.#loadSome();
    this.#isRunning = false;
  }

  async #loadSome(): Promise<void> {
    const some = [...this.#waiting].slice(0, MAX_PER_STATEMENT);
    for (const [keyHash] of some) this.#waiting.delete(keyHash);
    try {
      const keys = await this.#source.load(some.map(([keyHash]) => keyHash));
      const byHash = new Map(keys.map((key) => [key.key_hash, key]));
      for (const [keyHash, { resolve }] of some) resolve(byHash.get(keyHash));
    } catch (error) {
      for (const [, { reject }] of some) reject(error);
    }
  }
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let [resolve, reject]: [(value: T) => void, (error: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((...functions) => {
    [resolve, reject] = functions;
  });
  return { promise, resolve, reject };
}
