import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type AnnouncementListener, StorageError } from './database.ts';

/** Announcements within this time are sent in one statement. */
const GATHER_MS = 10;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 30_000;
const GOODBYE_MS = 1_000;

/** Stores may share a database, each in its own schema. */
const CHANNEL = `SELECT 'mem_' || md5(coalesce(current_schema(), '')) AS channel`;
/** Without synchronous commit: losing a notification in a crash does no harm. */
const PREPARE = (channel: string) => `SET synchronous_commit = off; LISTEN "${channel}"`;
const NOTIFY = 'SELECT pg_notify($1, payload) FROM unnest(CAST($2 AS text[])) AS payloads(payload)';

/** The driver's types lack `unref`. */
type ListenClient = pg.Client & { unref(): void };
type ListenConnection = { client: ListenClient; channel: string };

/**
 * One connection outside the pool, opened on first use, to send and receive notifications. Nothing depends on it: the
 * receivers also poll.
 */
export class PostgresAnnouncements {
  readonly #connect: () => Promise<pg.Client>;
  readonly #onError: (error: Error) => void;
  readonly #listeners = new Set<AnnouncementListener>();
  /** The latest unsent position of each topic. */
  readonly #waiting = new Map<string, number>();
  #connected: ListenConnection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #failures = 0;
  #closed = false;

  constructor(connect: () => Promise<pg.Client>, onError: (error: Error) => void) {
    this.#connect = connect;
    this.#onError = onError;
  }

  announce(topic: string, place: number): void {
    this.#waiting.set(topic, Math.max(place, this.#waiting.get(topic) ?? 0));
    this.#schedule(GATHER_MS);
  }

  onAnnounce(listener: AnnouncementListener): () => void {
    this.#listeners.add(listener);
    this.#schedule(0);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const over = new AbortController();
    const goodbye = async () => {
      await this.#running;
      const connected = this.#connected;
      if (connected) await this.#notify(connected).then(() => connected.client.end());
    };
    // Do not wait long for a server that no longer answers.
    const tired = sleep(GOODBYE_MS, undefined, { signal: over.signal }).catch(() => {});
    await Promise.race([goodbye().catch(() => {}), tired]);
    over.abort();
  }

  #schedule(delayMs: number): void {
    if (this.#closed || this.#timer || this.#running) return;
    const later = this.#failures === 0 ? delayMs : backOffMs(this.#failures);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#run();
    }, later).unref();
  }

  async #run(): Promise<void> {
    try {
      this.#connected ??= await this.#open();
      this.#failures = 0;
      await this.#notify(this.#connected);
    } catch (error) {
      this.#lost(error);
    }
    this.#running = undefined;
    const isNeeded = this.#waiting.size > 0 || (!this.#connected && this.#listeners.size > 0);
    if (isNeeded) this.#schedule(GATHER_MS);
  }

  async #notify({ client, channel }: ListenConnection): Promise<void> {
    if (this.#waiting.size === 0) return;
    const payloads = [...this.#waiting].map(([topic, place]) => `${place} ${topic}`);
    this.#waiting.clear();
    await client.query(NOTIFY, [channel, payloads]);
  }

  async #open(): Promise<ListenConnection> {
    const client = (await this.#connect()) as ListenClient;
    const isCurrent = () => this.#connected?.client === client;
    client.on('error', (error) => isCurrent() && this.#lost(error));
    client.on('end', () => isCurrent() && this.#lost(new Error('the connection was closed')));
    client.on('notification', ({ payload = '' }) => this.#onNotification(payload));
    try {
      // This connection must not keep the process alive.
      client.unref();
      const channel: string = (await client.query(CHANNEL)).rows[0].channel;
      await client.query(PREPARE(channel));
      return { client, channel };
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
  }

  #onNotification(payload: string): void {
    const [, place, topic] = /^(\d+) (.*)$/s.exec(payload) ?? [];
    if (topic !== undefined) for (const listener of this.#listeners) listener(topic, Number(place));
  }

  #lost(error: unknown): void {
    void this.#connected?.client.end().catch(() => {});
    this.#connected = undefined;
    if (this.#closed) return;
    this.#failures++;
    if (this.#failures === 1) this.#onError(new StorageError('unavailable', error));
    if (this.#listeners.size > 0) this.#schedule(0);
  }
}

/** A random delay, so that servers that lost the same database do not reconnect in step. */
function backOffMs(failures: number): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
}
