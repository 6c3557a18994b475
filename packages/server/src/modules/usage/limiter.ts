import { Fault } from '@mem-service/contract';
import type { HeaderSink, RateLimitedKey, RateLimiter, Services } from '../../kernel/index.ts';
import type * as queries from './queries.ts';
import { type CountedRequests, exchangeRequests } from './requests.ts';
import { CELL_MS, roomIn, waitFor, weightOf } from './rules/window.ts';

const SYNC_MS = 1_000;
const MAX_KEYS = 50_000;

/** Requests of a key in this minute and the one before: of this server, and of the others as far as they are known. */
type RequestWindow = RequestSource & { cell: number; current: number; previous: number; unsent: number };

/** A key; or an account as a whole, whose `key_id` is empty. */
type RequestSource = Pick<RateLimitedKey, 'account_id' | 'key_id'>;

const ALL_KEYS = '';

/** The ids of keys are unique over all accounts. */
const sourceName = ({ account_id, key_id }: RequestSource): string =>
  key_id === ALL_KEYS ? `all/${account_id}` : key_id;

type LimiterOptions = Pick<Services, 'database' | 'clock' | 'replica'> & { onError: (error: unknown) => void };

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
  #policyOf = '';
  #policy = '';

  constructor(options: LimiterOptions) {
    this.#options = options;
    // A folder belongs to one server: a write to it every second would cost more than it is worth.
    if (options.database.dialect.engine === 'sqlite') return;
    // One that only reads and has no server to send them to counts its own requests.
    if (options.replica && !options.replica.link) return;
    this.#timer = setInterval(() => {
      this.#syncing ??= this.sync()
        // A link to another server reports that itself.
        .catch(options.replica ? () => {} : options.onError)
        .finally(() => {
          this.#syncing = undefined;
        });
    }, SYNC_MS);
    this.#timer.unref();
  }

  take(key: RateLimitedKey): void {
    const now = this.#options.clock.now();
    const { own, all } = this.#windowsOf(key, now);
    const elapsed = now % CELL_MS;
    const waitMs = waitFor(own, elapsed, key.rate_limit_rpm);
    if (waitMs > 0) throw refusal('the key', key.rate_limit_rpm, waitMs);
    const allWaitMs = key.account_rpm === null ? 0 : waitFor(all, elapsed, key.account_rpm);
    if (allWaitMs > 0) throw refusal('all keys of the account together', key.account_rpm ?? 0, allWaitMs);
    for (const window of [own, all]) {
      window.current++;
      window.unsent++;
    }
  }

  #windowsOf({ account_id, key_id }: RequestSource, now: number): { own: RequestWindow; all: RequestWindow } {
    return {
      own: this.#windowOf({ account_id, key_id }, now),
      all: this.#windowOf({ account_id, key_id: ALL_KEYS }, now),
    };
  }

  requestsOf(key: RequestSource): { key: number; account: number } {
    const now = this.#options.clock.now();
    const { own, all } = this.#windowsOf(key, now);
    const made = (window: RequestWindow) => Math.ceil(weightOf(window, now % CELL_MS) / CELL_MS);
    return { key: made(own), account: made(all) };
  }

  /** Of the limits of key and account, the one that is reached first. */
  writeHeaders(key: RateLimitedKey, to: HeaderSink): void {
    const now = this.#options.clock.now();
    const { own, all } = this.#windowsOf(key, now);
    const elapsed = now % CELL_MS;
    const { rate_limit_rpm, account_rpm } = key;
    const room = roomIn(own, elapsed, rate_limit_rpm);
    if (account_rpm !== null) {
      const allRoom = roomIn(all, elapsed, account_rpm);
      if (allRoom < room) {
        this.#write(to, { of: 'account', rpm: account_rpm, room: allRoom, restMs: restOf(all, elapsed, account_rpm) });
        return;
      }
    }
    this.#write(to, { of: 'key', rpm: rate_limit_rpm, room, restMs: restOf(own, elapsed, rate_limit_rpm) });
  }

  #write(to: HeaderSink, { of, rpm, room, restMs }: { of: string; rpm: number; room: number; restMs: number }): void {
    if (rpm !== this.#policyRpm || of !== this.#policyOf) {
      this.#policyRpm = rpm;
      this.#policyOf = of;
      this.#policy = `"${of}";q=${rpm};w=60`;
    }
    to.header('ratelimit-policy', this.#policy);
    to.header('ratelimit', `"${of}";r=${room};t=${Math.ceil(restMs / 1000)}`);
  }

  #windowOf(source: RequestSource, now: number): RequestWindow {
    const cell = Math.floor(now / CELL_MS);
    const name = sourceName(source);
    let window = this.#windows.get(name);
    if (!window) {
      if (this.#windows.size >= MAX_KEYS) this.#makeRoom(cell);
      window = { ...source, cell, current: 0, previous: 0, unsent: 0 };
      this.#windows.set(name, window);
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
    const { clock } = this.#options;
    const cell = Math.floor(clock.now() / CELL_MS);
    const sent = [...this.#windows.values()].filter(({ unsent }) => unsent > 0);
    // All servers use the same order, to avoid deadlocks.
    sent.sort((a, b) => (sourceName(a) < sourceName(b) ? -1 : 1));
    if (sent.length === 0) return;
    const rows = sent.map(({ account_id, key_id, cell, unsent }) => ({ account_id, key_id, cell, requests: unsent }));
    const counts = await this.#exchange({ rows, cell, clears: this.#cleared !== cell });
    this.#cleared = cell;
    rows.forEach((row, i) => {
      const window = sent[i] as RequestWindow;
      if (window.cell === row.cell) window.unsent -= row.requests;
    });
    for (const count of counts) this.#learn(count);
    for (const [id, window] of this.#windows) if (window.cell < cell - 1) this.#windows.delete(id);
  }

  #exchange(counted: CountedRequests): Promise<queries.RequestCell[]> {
    const { database, replica } = this.#options;
    return replica?.link ? replica.link.hand('requests', counted) : exchangeRequests(database, counted);
  }

  #learn({ account_id, key_id, cell, requests }: queries.RequestCell): void {
    const window = this.#windows.get(sourceName({ account_id, key_id }));
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

/** Until something changes: the next minute, or the next request that is admitted. */
const restOf = (window: RequestWindow, elapsed: number, rpm: number): number =>
  roomIn(window, elapsed, rpm) > 0 ? CELL_MS - elapsed : waitFor(window, elapsed, rpm);

function refusal(who: string, rpm: number, waitMs: number): Fault {
  const retry_after = Math.ceil(waitMs / 1000);
  const message = `${who} may make ${rpm} requests a minute; try again in ${retry_after} s`;
  return new Fault('rate_limited', message, { retry_after });
}
