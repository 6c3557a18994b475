import { randomBytes } from 'node:crypto';
import type { Database } from '../db/index.ts';

/** How often a server says that it is there, and after how long nobody counts on it any more. */
const HELLO_MS = 2000;
const GONE_MS = 7000;
/** A server that has just died is not waited for. */
const PATIENCE_MS = 500;

type Waiting = { left: Set<string>; done: () => void };

/**
 * The other servers on the same database. Each notes in its own memory what its callers read; before a session is sealed
 * or explained, all are asked to write that down. A server that has no others asks nobody.
 */
export class Peers {
  readonly #id = randomBytes(6).toString('hex');
  readonly #database: Database;
  readonly #flush: (accountId: string) => Promise<void>;
  readonly #seen = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #timer: NodeJS.Timeout;
  readonly #stop: () => void;
  #asked = 0;

  constructor(database: Database, flush: (accountId: string) => Promise<void>) {
    this.#database = database;
    this.#flush = flush;
    this.#stop = database.onAnnounce((topic) => void this.#heard(topic.split(' ')));
    this.#say('hello', this.#id);
    this.#timer = setInterval(() => this.#say('hello', this.#id), HELLO_MS).unref();
  }

  /** Settles once every other server has written down what it noted of the account. */
  async flush(accountId: string): Promise<void> {
    const since = performance.now() - GONE_MS;
    const left = new Set([...this.#seen].filter(([, at]) => at > since).map(([id]) => id));
    if (left.size === 0) return;
    const token = `${this.#id}.${++this.#asked}`;
    await new Promise<void>((resolve) => {
      const tired = setTimeout(resolve, PATIENCE_MS).unref();
      const done = () => {
        clearTimeout(tired);
        resolve();
      };
      this.#waiting.set(token, { left, done });
      this.#say('flush', token, accountId);
    });
    this.#waiting.delete(token);
  }

  close(): void {
    this.#say('bye', this.#id);
    clearInterval(this.#timer);
    this.#stop();
  }

  #say(...words: string[]): void {
    this.#database.announce(words.join(' '), 0);
  }

  async #heard([word, who = '', what = '']: string[]): Promise<void> {
    if (word === 'flush' && !who.startsWith(this.#id)) {
      await this.#flush(what);
      this.#say('flushed', who, this.#id);
    }
    if (word === 'flushed') this.#told(who, what);
    if (word === 'bye') this.#seen.delete(who);
    if (word !== 'hello' || who === this.#id) return;
    const isNew = !this.#seen.has(who);
    this.#seen.set(who, performance.now());
    if (isNew) this.#say('hello', this.#id);
  }

  #told(token: string, peer: string): void {
    const waiting = this.#waiting.get(token);
    if (waiting?.left.delete(peer) && waiting.left.size === 0) waiting.done();
  }
}
