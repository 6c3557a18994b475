import { StorageError } from '../../db/index.ts';
import { backoffMs } from '../consumers/backoff.ts';
import { CLAIM_TIMES, type ClaimTimes } from '../consumers/consumer.ts';
import { orNothing } from '../consumers/or-nothing.ts';
import type { Kernel, Services } from '../module.ts';
import type { LogEvent } from '../work.ts';
import * as queries from './queries.ts';
import type { MaintenanceTask } from './task.ts';

export type MaintenanceOptions = Pick<Services, 'database' | 'clock' | 'server_id'> & {
  sweepSeconds: number;
  times?: Partial<ClaimTimes> | undefined;
  onError: (error: unknown) => void;
};

type Which = Partial<Pick<queries.TaskClaim, 'due_by' | 'not_since'>>;
const ANY = { due_by: Number.MAX_SAFE_INTEGER, not_since: Number.MAX_SAFE_INTEGER };

export type TaskCounts = { task: string; done: number; failed: number };

type Soon = { timer: NodeJS.Timeout; at: number };
/** `at` is set where it is to run before its interval has passed. */
type Finished = queries.Finished & { at?: number | undefined };

/** So long at least is between two runs of which the first has left something. */
const LEFT_OVER_MS = 1_000;

/** Random delay, so that servers on one store do not query at the same moment. */
const UNEVEN_MS = 1_000;

/** Tasks that one server at a time runs for all. Each has a row in the store with its next due time. */
export class Maintenance {
  readonly #tasks: ReadonlyMap<string, MaintenanceTask>;
  readonly #options: MaintenanceOptions;
  readonly #counted: ReadonlyMap<string, { done: number; failed: number }>;
  readonly #after = new Map<string, MaintenanceTask[]>();
  readonly #finishing: readonly MaintenanceTask[];
  readonly #unfinished = new Set<MaintenanceTask>();
  readonly #soon = new Map<MaintenanceTask, Soon>();
  readonly #stops: (() => void)[] = [];
  #kernel: Kernel | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #forwarding: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(tasks: readonly MaintenanceTask[], options: MaintenanceOptions) {
    this.#tasks = new Map(tasks.map((task) => [task.name, task]));
    if (this.#tasks.size < tasks.length) throw new Error('two maintenance tasks have the same name');
    this.#counted = new Map(tasks.map(({ name }) => [name, { done: 0, failed: 0 }]));
    this.#options = options;
    this.#finishing = tasks.filter(({ finish }) => finish !== undefined);
    for (const task of tasks)
      for (const type of task.after?.event_types ?? []) this.#after.set(type, [...(this.#after.get(type) ?? []), task]);
  }

  async install(): Promise<void> {
    const { database, clock } = this.#options;
    const known = new Set((await queries.listTasks(database.read)).map(({ task }) => task));
    const fresh = [...this.#tasks.values()].filter(({ name }) => !known.has(name));
    const rows = fresh.map((task) => ({ task: task.name, next_run_at: clock.now() + this.#everyMs(task) }));
    if (rows.length > 0) await database.exclusively((tx) => tx.insertMany(queries.insertTasks, rows));
  }

  start(kernel: Kernel): void {
    this.#kernel = kernel;
    this.#stops.push(kernel.feed.subscribeAll((events) => this.#committed(events)));
    this.#schedule(this.#options.sweepSeconds * 1000);
  }

  get counts(): TaskCounts[] {
    return [...this.#counted].map(([task, counts]) => ({ task, ...counts }));
  }

  /** The states in the store. */
  async states(): Promise<queries.TaskState[]> {
    const { database } = this.#options;
    return (await orNothing(queries.listStates(database.read))).filter(({ task }) => this.#tasks.has(task));
  }

  #everyMs({ every_seconds }: MaintenanceTask): number {
    return (every_seconds ?? this.#options.sweepSeconds) * 1000;
  }

  #committed(events: readonly LogEvent[]): void {
    for (const event of events) {
      for (const task of this.#after.get(event.event_type) ?? []) this.#runAfter(task, event);
      for (const task of this.#finishing)
        if (task.finish?.event_types.includes(event.event_type)) this.#unfinished.add(task);
    }
  }

  #runAfter(task: MaintenanceTask, event: LogEvent): void {
    const now = this.#options.clock.now();
    const { after } = task;
    if (!after) return;
    const isTimed = 'at' in after;
    const at = isTimed ? after.at(event) : now + after.delay_seconds * 1000;
    if (at !== undefined && this.#runAt(task, { at, not_since: isTimed ? at : now })) this.#bringForward(task.name, at);
  }

  /** False where it is to run before that time anyway. */
  #runAt(task: MaintenanceTask, { at, not_since }: { at: number; not_since: number }): boolean {
    const known = this.#soon.get(task);
    if (this.#closed || (known && known.at <= at)) return false;
    clearTimeout(known?.timer);
    const run = () => {
      this.#soon.delete(task);
      void this.#run([task.name], { not_since });
    };
    const delayMs = Math.min(Math.max(0, at - this.#options.clock.now()), 2 ** 31 - 1);
    this.#soon.set(task, { timer: setTimeout(run, delayMs).unref(), at });
    return true;
  }

  /** So that somebody does it soon should this process end before. */
  #bringForward(task: string, at: number): void {
    const { database, clock, onError } = this.#options;
    const forward = () =>
      database.maintenanceTransaction((tx) => queries.bringForward(tx, { task, at, now: clock.now() }));
    this.#forwarding = this.#forwarding.then(forward).catch(onError);
  }

  #schedule(delayMs: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    const uneven = Math.random() * Math.min(UNEVEN_MS, delayMs / 10);
    this.#timer = setTimeout(() => void this.#tick(), Math.min(delayMs + uneven, 2 ** 31 - 1)).unref();
  }

  async #tick(): Promise<void> {
    const { database, clock, sweepSeconds } = this.#options;
    const names = [...this.#tasks.keys()];
    const longest = sweepSeconds * 1000;
    await this.#run(names, { due_by: clock.now() });
    try {
      const at = await queries.nextRunAt(database.read, database.dialect, names);
      // A task that another server has claimed stays overdue until it finishes.
      this.#schedule(Math.min(longest, Math.max(longest / 10, (at ?? Number.POSITIVE_INFINITY) - clock.now())));
    } catch (error) {
      if (!(error instanceof StorageError)) this.#options.onError(error);
      this.#schedule(longest);
    }
  }

  /** Runs every task now, due or not. */
  runAll(): Promise<void> {
    return this.#run([...this.#tasks.keys()], {});
  }

  /** One after the other, to leave capacity for requests. */
  #run(tasks: readonly string[], which: Which): Promise<void> {
    this.#running = this.#running.then(() => this.#claimAndRun(tasks, which)).catch(this.#options.onError);
    return this.#running;
  }

  async #claimAndRun(tasks: readonly string[], which: Which): Promise<void> {
    if (this.#closed) return;
    const { database, clock, server_id, times } = this.#options;
    const { lease_ms } = { ...CLAIM_TIMES, ...times };
    const until = () => clock.now() + lease_ms;
    const claiming = { tasks, claimed_by: server_id, now: clock.now(), until: until(), ...ANY, ...which };
    const claimed = await database.maintenanceTransaction((tx) => queries.claimTasks(tx, database.dialect, claiming));
    if (claimed.length === 0) return;
    const renew = () => database.maintenanceTransaction((tx) => queries.renewTasks(tx, server_id, until()));
    const renewal = setInterval(() => void renew().catch(this.#options.onError), lease_ms / 3).unref();
    const byName = new Map(claimed.map((row) => [row.task, row]));
    const finished: Finished[] = [];
    try {
      for (const name of tasks) {
        const row = byName.get(name);
        if (row) finished.push(await this.#runOne(row));
      }
    } finally {
      clearInterval(renewal);
    }
    await database.maintenanceTransaction(async (tx) => {
      for (const one of finished) await queries.finishTask(tx, server_id, one);
    });
    for (const { task, at } of finished)
      if (at !== undefined) this.#runAt(this.#tasks.get(task) as MaintenanceTask, { at, not_since: at });
  }

  async #runOne({ task: name, attempts }: queries.Claimed): Promise<Finished> {
    const { clock, onError } = this.#options;
    const task = this.#tasks.get(name) as MaintenanceTask;
    const counts = this.#counted.get(name) as { done: number; failed: number };
    const started = clock.now();
    const everyMs = this.#everyMs(task);
    // A task interrupted by the end of the process is due at once, for the next server.
    const undone = { task: name, finished_at: started, next_run_at: started, attempts, last_error: '' };
    if (this.#closed) return undone;
    try {
      await task.run(this.#kernel as Kernel, () => this.#closed);
      if (this.#closed) return undone;
      counts.done++;
      const next = (await task.next?.(this.#kernel as Kernel)) ?? Number.POSITIVE_INFINITY;
      const at = Math.max(next, clock.now() + LEFT_OVER_MS);
      const isEarly = at < started + everyMs;
      const next_run_at = isEarly ? at : started + everyMs;
      return { ...undone, finished_at: clock.now(), next_run_at, attempts: 0, at: isEarly ? at : undefined };
    } catch (error) {
      counts.failed++;
      onError(new Error(`maintenance ${name}: attempt ${attempts + 1}`, { cause: error }));
      const next_run_at = clock.now() + Math.min(everyMs, backoffMs(attempts + 1));
      const last_error = error instanceof Error ? error.name : typeof error;
      return { ...undone, finished_at: clock.now(), next_run_at, attempts: attempts + 1, last_error };
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const stop of this.#stops) stop();
    clearTimeout(this.#timer);
    for (const { timer } of this.#soon.values()) clearTimeout(timer);
    await Promise.all([this.#running, this.#forwarding]);
    for (const { finish } of this.#unfinished) await finish?.run(this.#kernel as Kernel).catch(this.#options.onError);
  }
}
