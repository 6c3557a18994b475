import { setTimeout as sleep } from 'node:timers/promises';
import type { Query } from '../../db/index.ts';
import type { Services } from '../module.ts';
import type { NotesGap } from '../notes-gap.ts';
import * as queries from './queries.ts';

/** A server without a greeting for this long is considered gone. */
export const SILENT_MS = 7000;
/** How often a server renews its row in the store, for servers that do not receive its greetings. */
const RENEW_MS = 10_000;
/** Notes of a session are deleted after a week, so older servers no longer matter. */
const DELETE_AFTER_MS = 8 * 24 * 60 * 60 * 1000;

/**
 * A session first stored later than this after a server was lost is taken to have begun after the loss: a client that
 * was cut off reconnects sooner.
 */
export const RETURN_MS = 120_000;

/** When the last greeting was received, by the monotonic clock and by the clock of the service. */
type ServerGreeting = { at: number; clock: number };

/**
 * The servers on one database: those that send greetings, and those whose row shows that they never shut down cleanly.
 * A server that stops without a goodbye loses the notes in its memory.
 */
export class KnownServers {
  readonly #options: Pick<Services, 'database' | 'clock' | 'server_id'>;
  readonly #greetings = new Map<string, ServerGreeting>();
  readonly #timer: NodeJS.Timeout;
  #renewing: Promise<void>;
  /**
   * When this server last received its own greeting; before that, it cannot tell apart a lost connection from absent
   * servers.
   */
  #ownAt = Number.NEGATIVE_INFINITY;
  #joined: () => void = () => {};
  readonly #joining = new Promise<void>((resolve) => {
    this.#joined = resolve;
  });

  constructor(options: Pick<Services, 'database' | 'clock' | 'server_id'>) {
    this.#options = options;
    this.#renewing = this.#renew();
    this.#timer = setInterval(() => {
      this.#renewing = this.#renewing.then(() => this.#renew());
    }, RENEW_MS).unref();
  }

  /** Resolves once this server has received its own greeting and read the rows of the others, or after the timeout. */
  async joined(patienceMs: number): Promise<void> {
    if (this.#ownAt > 0) return;
    const over = new AbortController();
    const late = sleep(patienceMs, undefined, { signal: over.signal, ref: false }).catch(() => {});
    await Promise.race([Promise.all([this.#joining, this.#renewing]), late]);
    over.abort();
  }

  /** Returns whether the server is new. */
  greeted(id: string): boolean {
    const at = performance.now();
    if (id === this.#options.server_id) {
      this.#ownAt = at;
      this.#joined();
      return false;
    }
    const isNew = !this.#greetings.has(id);
    this.#greetings.set(id, { at, clock: this.#options.clock.now() });
    return isNew;
  }

  left(id: string): void {
    this.#greetings.delete(id);
  }

  present(): string[] {
    const since = performance.now() - SILENT_MS;
    return [...this.#greetings].flatMap(([id, { at }]) => (at > since ? [id] : []));
  }

  gaps(): NotesGap[] {
    const since = performance.now() - SILENT_MS;
    const gaps: NotesGap[] = [...this.#greetings].flatMap(([id, { at, clock }]) =>
      at > since ? [] : [{ reason: `server ${id} ended or froze with reads in its memory`, before: clock + RETURN_MS }],
    );
    if (this.#ownAt <= since) gaps.push({ reason: 'the other servers cannot be reached at the moment' });
    return gaps;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    const { database, server_id } = this.#options;
    await database.maintenanceTransaction((tx) => queries.deleteServer(tx, server_id)).catch(() => {});
  }

  /** Ignores an unreachable store: other statements report it. */
  async #renew(): Promise<void> {
    const { database, clock, server_id } = this.#options;
    const seen_at = clock.now();
    try {
      const rows = await database.maintenanceTransaction(async (tx) => {
        await queries.touchServer(tx, { server_id, seen_at });
        await queries.deleteOldServers(tx, seen_at - DELETE_AFTER_MS);
        return queries.listServers(tx);
      });
      this.#learn(rows, seen_at);
    } catch {}
  }

  #learn(rows: readonly queries.ServerRow[], now: number): void {
    const known = new Set(rows.map(({ server_id }) => server_id));
    const silentSince = performance.now() - SILENT_MS;
    for (const [id, { at }] of this.#greetings) if (at <= silentSince && !known.has(id)) this.#greetings.delete(id);
    for (const { server_id, seen_at } of rows) {
      if (server_id === this.#options.server_id || this.#greetings.has(server_id)) continue;
      const isFresh = isPresent({ seen_at }, now);
      this.#greetings.set(server_id, { at: isFresh ? performance.now() : Number.NEGATIVE_INFINITY, clock: seen_at });
    }
  }
}

const isPresent = ({ seen_at }: Pick<queries.ServerRow, 'seen_at'>, now: number): boolean =>
  seen_at > now - RENEW_MS - SILENT_MS;

/** The ids of the servers on a store, for a program that is none of them. */
export async function presentServers(query: Query, now: number): Promise<string[]> {
  const rows = await queries.listServers(query);
  return rows.filter((row) => isPresent(row, now)).map(({ server_id }) => server_id);
}
