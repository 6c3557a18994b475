import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { WorkerMetrics } from '../http/metrics.ts';
import { type FromWorker, isOurs, type ToWorker } from './messages.ts';

/** How long workers have to answer when one is asked for the metrics of all. */
const MEASURE_MS = 1000;
/** A worker that ended sooner than this after its start is started again later and later. */
const STEADY_MS = 10_000;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;

export type WorkerStart = { port: number; storedKeys: number };
export type WorkerFailure = { exitCode: number };

type RunningWorker = { worker: Worker; startedAt: number };
type Gathering = { left: Set<number>; workers: WorkerMetrics[]; done: () => void };

/**
 * Runs the same command line in several processes on one port. This process takes connections and hands each to a worker
 * that is free; it opens no store. A worker that dies is replaced.
 */
export class Supervisor {
  readonly #log: Logger;
  readonly #count: number;
  readonly #places: (RunningWorker | undefined)[] = [];
  readonly #gatherings = new Map<number, Gathering>();
  #gathered = 0;
  #port: number | undefined;
  #delayMs = FIRST_DELAY_MS;
  #stopping = false;
  readonly #stop = new AbortController();
  #restart: Promise<void> | undefined;

  constructor(count: number, log: Logger) {
    this.#count = count;
    this.#log = log;
    // An operator who ends this process at once wants none of the service left.
    process.on('exit', () => {
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
    });
  }

  /** The first worker alone creates or migrates the store; if it cannot, its exit code says why. */
  async start(): Promise<WorkerStart | WorkerFailure> {
    const first = await this.#launch(0);
    if ('exitCode' in first) return first;
    this.#port = first.port;
    const others = Array.from({ length: this.#count - 1 }, (_, i) => this.#keep(i + 1));
    await Promise.all(others);
    return first;
  }

  /** Replaces all workers, one after the other: each goes when its successor takes requests. */
  restart(): Promise<void> {
    this.#restart ??= this.#replaceAll().finally(() => {
      this.#restart = undefined;
    });
    return this.#restart;
  }

  /** Returns the exit code: 0 if all workers finished what they had accepted. */
  async stop(): Promise<number> {
    this.#stopping = true;
    this.#stop.abort();
    const codes = await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && end(worker)));
    return codes.some((code) => code !== 0) ? 1 : 0;
  }

  /** Keeps a worker in the place until the service stops. Resolves after the first attempt to start one. */
  async #keep(place: number): Promise<void> {
    const result = await this.#launch(place);
    if ('exitCode' in result) void this.#launchLater(place);
  }

  async #launchLater(place: number): Promise<void> {
    const delay = this.#delayMs;
    this.#delayMs = Math.min(delay * 2, LONGEST_DELAY_MS);
    // The wait keeps this process alive, also when no worker is left.
    await sleep(delay, undefined, { signal: this.#stop.signal }).catch(() => {});
    if (!this.#stopping && this.#places[place] === undefined) await this.#keep(place);
  }

  /** The worker that has the place by then, from before or started meanwhile, goes. */
  async #launch(place: number): Promise<WorkerStart | WorkerFailure> {
    // Without a worker nothing holds a port that was taken because it was free.
    if (this.#port !== undefined && Object.keys(cluster.workers ?? {}).length === 0)
      cluster.setupPrimary({ args: withPort(process.argv.slice(2), this.#port) });
    const worker = cluster.fork();
    const started = await this.#readiness(worker);
    if ('exitCode' in started) return started;
    const startedAt = performance.now();
    const before = this.#places[place];
    this.#places[place] = { worker, startedAt };
    worker.once('exit', (code, signal) => {
      if (this.#places[place]?.worker !== worker) return;
      this.#places[place] = undefined;
      if (this.#stopping) return;
      this.#log.error({ worker: worker.id, code, signal }, 'a worker ended: starting another');
      if (performance.now() - startedAt > STEADY_MS) this.#delayMs = FIRST_DELAY_MS;
      void this.#launchLater(place);
    });
    if (before) await retire(before.worker);
    return started;
  }

  #readiness(worker: Worker): Promise<WorkerStart | WorkerFailure> {
    return new Promise((resolve) => {
      worker.on('message', (message) => {
        if (!isOurs(message)) return;
        const received = message as FromWorker;
        if (received.mem === 'ready') resolve({ port: received.port, storedKeys: received.storedKeys });
        else this.#receive(worker, received);
      });
      worker.once('exit', (code) => resolve({ exitCode: code || 1 }));
    });
  }

  async #replaceAll(): Promise<void> {
    for (let place = 0; place < this.#count && !this.#stopping; place++) {
      const result = await this.#launch(place);
      if ('exitCode' in result) {
        this.#log.error(result, 'the new worker did not start: the others stay as they are');
        return;
      }
    }
    this.#log.info('all workers were replaced');
  }

  #receive(worker: Worker, message: Exclude<FromWorker, { mem: 'ready' }>): void {
    if (message.mem === 'gather') void this.#gather(worker, message.request);
    else this.#measured(worker.id, message);
  }

  async #gather(asking: Worker, request: number): Promise<void> {
    const number = ++this.#gathered;
    const workers: WorkerMetrics[] = [];
    const all = this.#places.flatMap((place) => place?.worker ?? []);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, MEASURE_MS).unref();
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#gatherings.set(number, { left: new Set(all.map(({ id }) => id)), workers, done });
      for (const worker of all) say(worker, { mem: 'measure', request: number });
    });
    this.#gatherings.delete(number);
    say(asking, { mem: 'gathered', request, workers });
  }

  #measured(id: number, { request, metrics }: Extract<FromWorker, { mem: 'measured' }>): void {
    const gathering = this.#gatherings.get(request);
    if (!gathering?.left.delete(id)) return;
    gathering.workers.push({ worker: String(id), metrics });
    if (gathering.left.size === 0) gathering.done();
  }
}

function withPort(args: readonly string[], port: number): string[] {
  const others = args.filter((arg, i) => !/^--port(=|$)/.test(arg) && args[i - 1] !== '--port');
  return [...others, '--port', String(port)];
}

function say(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}

/** The worker answers the last requests of its connections first. */
function retire(worker: Worker): Promise<number> {
  if (!worker.isConnected()) return end(worker);
  return new Promise((resolve) => {
    worker.once('exit', (code) => resolve(code ?? 1));
    say(worker, { mem: 'retire' });
  });
}

/** The worker finishes what it has accepted, within the time that every server has for it. */
function end(worker: Worker): Promise<number> {
  return new Promise((resolve) => {
    if (worker.isDead()) return resolve(0);
    // One that has not begun to serve ends by the signal itself.
    worker.once('exit', (code, signal) => resolve(signal === 'SIGTERM' ? 0 : (code ?? 1)));
    worker.process.kill('SIGTERM');
  });
}
