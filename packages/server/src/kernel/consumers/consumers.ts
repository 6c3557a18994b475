import { SELF_CALLER } from '../caller.ts';
import type { Kernel, Services } from '../module.ts';
import type { AccountRow } from '../queries.ts';
import type { LogEvent } from '../work.ts';
import { CLAIM_TIMES, type ClaimTimes, type Consumer } from './consumer.ts';
import { orNothing } from './or-nothing.ts';
import { type CursorRow, listFirstWanted } from './queries.ts';
import { ConsumerRunner } from './runner.ts';
import { SCAN } from './turn.ts';
import { walkAccounts } from './walk.ts';
import * as queries from './walk-queries.ts';
import { WriteLoad, weightOf } from './write-load.ts';

/** Short-lived processes end before this; the others look once for events that an earlier process left unhandled. */
const FIRST_WALK_MS = 1_000;

export type ConsumersOptions = Pick<Services, 'database' | 'clock' | 'server_id'> & {
  times?: Partial<ClaimTimes> | undefined;
  onError: (error: unknown) => void;
};

export type ConsumerCounts = { consumer: string; handled: number; failed: number };

/** All consumers of the log in this process. */
export class Consumers {
  readonly #list: readonly Consumer[];
  readonly #options: ConsumersOptions;
  readonly #runners = new Map<string, ConsumerRunner>();
  readonly #byType = new Map<string, ConsumerRunner[]>();
  readonly #ofAll: ConsumerRunner[] = [];
  readonly #stops: (() => void)[] = [];
  #walking: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();
  readonly #load = new WriteLoad();
  #closed = false;

  constructor(list: readonly Consumer[], options: ConsumersOptions) {
    const names = new Set(list.map(({ name }) => name));
    if (names.size < list.length) throw new Error('two consumers have the same name');
    for (const name of names) if (!/^\S+$/.test(name)) throw new Error(`a consumer cannot be called ${name}`);
    this.#list = list;
    this.#options = options;
  }

  /** Called before anything is committed: a consumer with `starts_at: 'now'` begins at the next event. */
  async install(): Promise<void> {
    const { database, clock } = this.#options;
    const installed = new Set((await queries.listInstalled(database.read)).map(({ consumer }) => consumer));
    const fresh = this.#list.filter(({ name }) => !installed.has(name));
    if (fresh.length === 0) return;
    await database.exclusively(async (tx) => {
      for (const { name, starts_at } of fresh) {
        const isNew = (await queries.insertConsumer(tx, name, clock.now())) > 0;
        if (isNew && starts_at === 'now') await queries.insertCursorsAtEnd(tx, name);
      }
    });
  }

  start(kernel: Kernel): void {
    const { server_id, onError, times, database } = this.#options;
    for (const consumer of this.#list) {
      const runner = new ConsumerRunner({
        consumer,
        kernel,
        server_id,
        times: { ...CLAIM_TIMES, ...times },
        isStopping: () => this.#closed,
        stopped: this.#stopping.signal,
        onError,
        counted: { handled: 0, failed: 0 },
        load: this.#load,
      });
      this.#runners.set(consumer.name, runner);
      if (consumer.event_types === undefined) this.#ofAll.push(runner);
      for (const type of consumer.event_types ?? [])
        this.#byType.set(type, [...(this.#byType.get(type) ?? []), runner]);
    }
    if (this.#list.length === 0) return;
    this.#stops.push(
      kernel.feed.subscribeAll((events, accountId) => this.#committed(events, accountId)),
      database.onAnnounce((topic, seq) => this.#announced(topic, seq)),
    );
    const first = setTimeout(() => void this.walk().catch(onError), FIRST_WALK_MS).unref();
    this.#stops.push(() => clearTimeout(first));
  }

  /** Called after every commit of this process. Wakes only consumers that want one of the events. */
  #committed(events: readonly LogEvent[], accountId: string): void {
    const woken = new Set(this.#ofAll);
    let last: string | undefined;
    let byCallers = 0;
    for (const event of events) {
      const { event_type, agent_id, actor_agent_id } = event;
      if ((actor_agent_id ?? agent_id) !== SELF_CALLER.agent_id) byCallers += weightOf(event);
      if (event_type === last) continue;
      last = event_type;
      for (const runner of this.#byType.get(event_type) ?? []) woken.add(runner);
    }
    // What consumers write themselves is nothing to give way to.
    this.#load.add(byCallers);
    const seq = events.at(-1)?.seq ?? 0;
    for (const runner of woken) this.#wake(runner, accountId, seq);
  }

  #wake(runner: ConsumerRunner, accountId: string, seq: number): void {
    const { database, server_id } = this.#options;
    runner.wake(accountId);
    database.announce(`${TOPIC} ${server_id} ${runner.parts.consumer.name} ${accountId}`, seq);
  }

  /** The server that committed handles the events first; others handle what it leaves. */
  #announced(topic: string, seq: number): void {
    if (!topic.startsWith(`${TOPIC} `)) return;
    const [, server_id, name = '', accountId = ''] = topic.split(' ');
    if (server_id !== this.#options.server_id) this.#runners.get(name)?.wakeLater(accountId, seq);
  }

  /** Retries dead letters of the account. */
  retry(consumer: string, accountId: string): void {
    this.#runners.get(consumer)?.retry(accountId);
  }

  get names(): readonly string[] {
    return this.#list.map(({ name }) => name);
  }

  /**
   * How far each consumer has come in the log of an account. A cursor is moved past unwanted events only from time to time,
   * so the events after it are searched for the first wanted one.
   */
  async positions(account: AccountRow, cursors: readonly CursorRow[]): Promise<Map<string, number>> {
    const { database } = this.#options;
    const { account_id, seq: head } = account;
    const waiting = this.#list.map(({ name: consumer, event_types }) => {
      const after = cursors.find((row) => row.consumer === consumer)?.seq ?? 0;
      return { account_id, consumer, event_types, after, up_to: Math.max(after, Math.min(head, after + SCAN)) };
    });
    const found = await listFirstWanted(database.forAccount(account_id).scan, database.dialect, waiting);
    const next = new Map(found.map((row) => [row.consumer, row.next]));
    return new Map(waiting.map(({ consumer, up_to }) => [consumer, (next.get(consumer) ?? up_to + 1) - 1]));
  }

  /** What this process has handled. */
  get counts(): ConsumerCounts[] {
    return [...this.#runners].map(([consumer, { parts }]) => ({ consumer, ...parts.counted }));
  }

  /** The lag of each consumer at the last walk over all accounts, made by any server. */
  async measured(): Promise<queries.Measured[]> {
    const { database } = this.#options;
    return (await orNothing(queries.listMeasured(database.read))).filter(({ consumer }) => this.#runners.has(consumer));
  }

  /** Finds events for which no consumer was woken. One walk at a time. */
  walk(): Promise<void> {
    const { database, clock } = this.#options;
    const isStopping = () => this.#closed;
    const walk = async () => {
      if (!this.#closed) await walkAccounts({ database, runners: this.#runners, now: clock.now(), isStopping });
    };
    const walking = this.#walking.then(walk);
    this.#walking = walking.catch(() => {});
    return walking;
  }

  /** Resolves when nothing is due. */
  async drain(): Promise<void> {
    for (const runner of this.#runners.values()) await runner.drain();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopping.abort();
    for (const stop of this.#stops) stop();
    await this.#walking;
    await Promise.all([...this.#runners.values()].map((runner) => runner.close()));
  }
}

const TOPIC = 'consume';
