import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../module.ts';
import type { NotesGap } from '../notes-gap.ts';
import * as queries from './queries.ts';

/** After how long without a word nobody counts on a server any more. */
export const SILENT_MS = 7000;
/** How often a server renews its row in the store, for those that cannot hear it. */
const RENEW_MS = 10_000;
/** What a session noted is forgotten after a week. */
const FORGET_MS = 8 * 24 * 60 * 60 * 1000;

/**
 * A session that the store first knows of later than this after a server was lost is taken to have begun after it: who was
 * cut off there comes back sooner.
 */
export const RETURN_MS = 120_000;

/** When it was last heard, by the clock of this process and by that of the service. */
type Heard = { at: number; clock: number };

/**
 * The servers on one database: those that say so now and then, and those whose row says that they were there and never
 * left. One that fell silent without a goodbye has taken along what it had not written down.
 */
export class KnownServers {
  readonly #options: Pick<Services, 'database' | 'clock' | 'server_id'>;
  readonly #heard = new Map<string, Heard>();
  readonly #timer: NodeJS.Timeout;
  #renewing: Promise<void>;
  /** When this server last heard itself; before that it cannot know whether anybody hears it. */
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

  /** Once this server has heard itself and read who else is there; not longer than that. */
  async joined(patienceMs: number): Promise<void> {
    if (this.#ownAt > 0) return;
    const over = new AbortController();
    const late = sleep(patienceMs, undefined, { signal: over.signal, ref: false }).catch(() => {});
    await Promise.race([Promise.all([this.#joining, this.#renewing]), late]);
    over.abort();
  }

  /** Says whether it is a new one. */
  heard(id: string): boolean {
    const at = performance.now();
    if (id === this.#options.server_id) {
      this.#ownAt = at;
      this.#joined();
      return false;
    }
    const isNew = !this.#heard.has(id);
    this.#heard.set(id, { at, clock: this.#options.clock.now() });
    return isNew;
  }

  left(id: string): void {
    this.#heard.delete(id);
  }

  present(): string[] {
    const since = performance.now() - SILENT_MS;
    return [...this.#heard].flatMap(([id, { at }]) => (at > since ? [id] : []));
  }

  gaps(): NotesGap[] {
    const since = performance.now() - SILENT_MS;
    const gaps: NotesGap[] = [...this.#heard].flatMap(([id, { at, clock }]) =>
      at > since ? [] : [{ reason: `server ${id} ended or froze with reads in its memory`, before: clock + RETURN_MS }],
    );
    if (this.#ownAt <= since) gaps.push({ reason: 'the other servers cannot be asked at the moment' });
    return gaps;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    const { database, server_id } = this.#options;
    await database.maintenanceTransaction((tx) => queries.deleteServer(tx, server_id)).catch(() => {});
  }

  /** A store that cannot be reached is told of by everything else. */
  async #renew(): Promise<void> {
    const { database, clock, server_id } = this.#options;
    const seen_at = clock.now();
    try {
      const rows = await database.maintenanceTransaction(async (tx) => {
        await queries.touchServer(tx, { server_id, seen_at });
        await queries.deleteOldServers(tx, seen_at - FORGET_MS);
        return queries.listServers(tx);
      });
      this.#learn(rows, seen_at);
    } catch {}
  }

  #learn(rows: readonly queries.ServerRow[], now: number): void {
    const known = new Set(rows.map(({ server_id }) => server_id));
    const silentSince = performance.now() - SILENT_MS;
    for (const [id, { at }] of this.#heard) if (at <= silentSince && !known.has(id)) this.#heard.delete(id);
    for (const { server_id, seen_at } of rows) {
      if (server_id === this.#options.server_id || this.#heard.has(server_id)) continue;
      const isFresh = seen_at > now - RENEW_MS - SILENT_MS;
      this.#heard.set(server_id, { at: isFresh ? performance.now() : Number.NEGATIVE_INFINITY, clock: seen_at });
    }
  }
}
