import { setTimeout as sleep } from 'node:timers/promises';
import type { PendingMarks } from '../db/index.ts';
import type { Services } from './module.ts';
import type { NotesGap } from './notes-gap.ts';
import { KnownServers, RETURN_MS } from './servers/known-servers.ts';

/** How often a server announces itself. */
const GREETING_INTERVAL_MS = 2000;
/** How long to wait for another server's reply; it may have crashed. */
const FLUSH_TIMEOUT_MS = 500;
const MARK_LOOK_MS = 10;
/** Notes are written within 100 ms: a process whose mark is older than this is frozen or gone. */
const MARK_STALE_MS = 5000;

type PendingFlush = { left: Set<string>; gaps: NotesGap[]; done: () => void };

export type PeersOptions = Pick<Services, 'database' | 'clock' | 'server_id'> & {
  /** Writes this process's notes of an account to the store. Returns why some are missing, if any are. */
  flush: (accountId: string) => Promise<NotesGap | undefined>;
};

/**
 * The other processes on the same store. Each buffers the notes of its callers in memory. Before a session is sealed or
 * explained, all are asked to flush; a process that does not reply is reported as a gap.
 */
export class Peers {
  readonly #options: PeersOptions;
  readonly #servers: KnownServers | undefined;
  readonly #waiting = new Map<string, PendingFlush>();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #stop: () => void;
  #requests = 0;

  constructor(options: PeersOptions) {
    this.#options = options;
    const { database, server_id } = options;
    this.#stop = database.onAnnounce((topic) => void this.#receive(topic.split(' ')));
    if (database.dialect.engine !== 'postgres') return;
    this.#servers = new KnownServers(options);
    this.#send('hello', server_id);
    this.#timer = setInterval(() => this.#send('hello', server_id), GREETING_INTERVAL_MS).unref();
  }

  /** Resolves when every other process has flushed its notes of the account, or after the timeout. */
  async flush(accountId: string): Promise<readonly NotesGap[]> {
    const { marks } = this.#options.database;
    if (marks) return waitForMarks(marks);
    if (!this.#servers) return [];
    await this.#servers.joined(FLUSH_TIMEOUT_MS);
    const left = new Set(this.#servers.present());
    const gaps = this.#servers.gaps();
    if (left.size === 0) return gaps;
    const token = `${this.#options.server_id}.${++this.#requests}`;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, FLUSH_TIMEOUT_MS).unref();
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.set(token, { left, gaps, done });
      this.#send('flush', token, accountId);
    });
    this.#waiting.delete(token);
    for (const id of left) gaps.push({ reason: `server ${id} did not store its reads in time` });
    return gaps;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop();
    await this.#servers?.close();
    this.#send('bye', this.#options.server_id);
  }

  #send(...words: string[]): void {
    this.#options.database.announce(words.join(' '), 0);
  }

  async #receive([word, sender = '', what = '', more = '']: string[]): Promise<void> {
    const { server_id } = this.#options;
    if (word === 'flush' && !sender.startsWith(server_id)) {
      const gap = await this.#options.flush(what);
      this.#send('flushed', sender, server_id, String(gap ? (gap.before ?? Number.MAX_SAFE_INTEGER) : 0));
    }
    if (word === 'flushed') this.#flushed(sender, { peer: what, before: Number(more) });
    if (word === 'bye') this.#servers?.left(sender);
    if (word === 'hello' && this.#servers?.greeted(sender)) this.#send('hello', server_id);
  }

  #flushed(token: string, { peer, before }: { peer: string; before: number }): void {
    const waiting = this.#waiting.get(token);
    if (!waiting?.left.delete(peer)) return;
    if (before > 0) waiting.gaps.push({ reason: `server ${peer} could not note all of its reads`, before });
    if (waiting.left.size === 0) waiting.done();
  }
}

/**
 * On SQLite, processes cannot send requests to each other. Each has a mark that shows whether it holds unwritten notes.
 */
async function waitForMarks(marks: PendingMarks): Promise<NotesGap[]> {
  const deadline = performance.now() + FLUSH_TIMEOUT_MS;
  for (;;) {
    const others = marks.others();
    const fresh = others.filter(({ since }) => since > Date.now() - MARK_STALE_MS);
    if (fresh.length === 0 || performance.now() > deadline) return others.map(({ since }) => gapOfMark(since));
    await sleep(MARK_LOOK_MS);
  }
}

function gapOfMark(since: number): NotesGap {
  const isStale = since <= Date.now() - MARK_STALE_MS;
  return isStale
    ? { reason: 'another process on this folder ended or froze with reads in its memory', before: since + RETURN_MS }
    : { reason: 'another process on this folder did not store its reads in time' };
}
