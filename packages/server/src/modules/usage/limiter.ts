import { Fault } from '@mem-service/contract';
import type { HeaderSink, RateLimitedKey, RateLimiter, Services } from '../../kernel/index.ts';
import * as queries from './queries.ts';
import { CELL_MS, roomIn, waitFor } from './rules/window.ts';

const SYNC_MS = 1_000;
const MAX_KEYS = 50_000;

/** Requests of a key in this minute and the one before: of this server, and of the others as far as they are known. */
type RequestWindow = RateLimitedKey & { cell: number; current: number; previous: number; unsent: number };

type LimiterOptions = Pick<Services, 'database' | 'clock'> & { onError: (error: unknown) => void };

/**
 * Decides in memory. Where several servers share a database, each adds its requests to a common count about once a second,
 * and reads those of the others there. A safety control, not a ledger.
 */
export class KeyLimiter implements RateLimiter {
  readonly #options: LimiterOptions;
  readonly #windows = new Map<string, RequestWindow>();
  readonly #timer: NodeJS.Timeout | undefined;
  #syncing: Promise<void> | undefined;
  #cleared = 0;
  #policyRpm = -1;
  #policy = '';

  constructor(options: LimiterOptions) {
    this.#options = options;
    // A folder belongs to one server: a write to it every second would cost more than it is worth.
    if (options.database.dialect.engine === 'sqlite') return;
    this.#timer = setInterval(() => {
      this.#syncing ??= this.sync()
        .catch(options.onError)
        .finally(() => {
          this.#syncing = undefined;
        });
    }, SYNC_MS);
    this.#timer.unref();
  }

  take(key: RateLimitedKey): void {
    const now = this.#options.clock.now();
    const window = this.#windowOf(key, now);
    const waitMs = waitFor(window, now % CELL_MS, key.rate_limit_rpm);
    if (waitMs > 0) throw refusal(key, waitMs);
    window.current++;
    window.unsent++;
  }

  writeHeaders(key: RateLimitedKey, to: HeaderSink): void {
    const now = this.#options.clock.now();
    const window = this.#windowOf(key, now);
    const { rate_limit_rpm: rpm } = key;
    if (rpm !== this.#policyRpm) {
      this.#policyRpm = rpm;
      this.#policy = `"key";q=${rpm};w=60`;
    }
    const elapsed = now % CELL_MS;
    const room = roomIn(window, elapsed, rpm);
    const restMs = room > 0 ? CELL_MS - elapsed : waitFor(window, elapsed, rpm);
    to.header('ratelimit-policy', this.#policy);
    to.header('ratelimit', `"key";r=${room};t=${Math.ceil(restMs / 1000)}`);
  }

  #windowOf(key: RateLimitedKey, now: number): RequestWindow {
    const cell = Math.floor(now / CELL_MS);
    let window = this.#windows.get(key.key_id);
    if (!window) {
      if (this.#windows.size >= MAX_KEYS) this.#makeRoom(cell);
      window = { ...key, cell, current: 0, previous: 0, unsent: 0 };
      this.#windows.set(key.key_id, window);
    } else if (window.cell !== cell) turn(window, cell);
    return window;
  }

  /** Removes keys whose windows have passed; if there are none, the oldest key. */
  #makeRoom(cell: number): void {
    for (const [id, window] of this.#windows) if (window.cell < cell - 1) this.#windows.delete(id);
    const [first] = this.#windows.keys();
    if (this.#windows.size >= MAX_KEYS && first !== undefined) this.#windows.delete(first);
  }

  /** Adds new requests to the common counts, and reads what other servers have added. */
  async sync(): Promise<void> {
    const { database, clock } = this.#options;
    const cell = Math.floor(clock.now() / CELL_MS);
    const sent = [...this.#windows.values()].filter(({ unsent }) => unsent > 0);
    // All servers use the same order, to avoid deadlocks.
    sent.sort((a, b) => (a.key_id < b.key_id ? -1 : 1));
    if (sent.length === 0) return;
    const rows = sent.map(({ account_id, key_id, cell, unsent }) => ({ account_id, key_id, cell, requests: unsent }));
    const before = rows.map(({ account_id, key_id, cell }) => [account_id, key_id, cell - 1]);
    const counts = await database.maintenanceTransaction(async (tx) => {
      if (this.#cleared !== cell) await queries.deleteOldCells(tx, cell - 2);
      const [now, last] = await Promise.all([
        tx.insertMany<queries.RequestCell>(queries.addRequests, rows),
        tx.findMany<queries.RequestCell>(queries.findCells, before),
      ]);
      return [...now, ...last.filter((count) => count !== undefined)];
    });
    this.#cleared = cell;
    rows.forEach((row, i) => {
      const window = sent[i] as RequestWindow;
      if (window.cell === row.cell) window.unsent -= row.requests;
    });
    for (const count of counts) this.#learn(count);
    for (const [id, window] of this.#windows) if (window.cell < cell - 1) this.#windows.delete(id);
  }

  #learn({ key_id, cell, requests }: queries.RequestCell): void {
    const window = this.#windows.get(key_id);
    if (window?.cell === cell) window.current = requests + window.unsent;
    else if (window?.cell === cell + 1) window.previous = Math.max(window.previous, requests);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#syncing;
  }
}

/** Starts a new minute. Requests of the old one's last second are no longer sent to other servers. */
function turn(window: RequestWindow, cell: number): void {
  window.previous = window.cell === cell - 1 ? window.current : 0;
  window.current = 0;
  window.unsent = 0;
  window.cell = cell;
}

function refusal({ rate_limit_rpm }: RateLimitedKey, waitMs: number): Fault {
  const retry_after = Math.ceil(waitMs / 1000);
  const message = `the key may make ${rate_limit_rpm} requests a minute; try again in ${retry_after} s`;
  return new Fault('rate_limited', message, { retry_after });
}
