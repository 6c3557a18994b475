import cluster from 'node:cluster';
import type { Metric, WorkerMetrics } from '../http/metrics.ts';
import { type FromWorker, isOurs, type ToWorker } from './messages.ts';

/** A supervisor that is stopped or overloaded does not answer. */
const GATHER_MS = 2000;

/** A worker's side of the channel to its supervisor. */
export class WorkerChannel {
  readonly id: string;
  readonly #waiting = new Map<number, (workers: WorkerMetrics[]) => void>();
  #measure: (() => Metric[]) | undefined;
  #requests = 0;
  #retire: () => void = () => {};
  /** Resolves when another worker has the place of this one. */
  readonly retired = new Promise<void>((resolve) => {
    this.#retire = resolve;
  });

  constructor(id: number) {
    this.id = String(id);
    process.on('message', (message) => {
      if (isOurs(message)) this.#receive(message as ToWorker);
    });
  }

  /** Informs the supervisor that this worker takes requests. */
  ready(port: number, storedKeys: number): void {
    this.#send({ mem: 'ready', port, storedKeys });
  }

  /** What this worker answers when another one is asked for the metrics of all. */
  measureWith(measure: () => Metric[]): void {
    this.#measure = measure;
  }

  /** The metrics of all workers that answer in time. */
  gather(): Promise<WorkerMetrics[]> {
    const request = ++this.#requests;
    return new Promise((resolve) => {
      const done = (workers: WorkerMetrics[]) => {
        clearTimeout(timer);
        this.#waiting.delete(request);
        resolve(workers);
      };
      const timer = setTimeout(() => done([{ worker: this.id, metrics: this.#measure?.() ?? [] }]), GATHER_MS).unref();
      this.#waiting.set(request, done);
      this.#send({ mem: 'gather', request });
    });
  }

  /** An open channel would keep the process alive. */
  close(): void {
    if (process.connected) process.disconnect();
  }

  #receive(message: ToWorker): void {
    if (message.mem === 'retire') this.#retire();
    if (message.mem === 'measure')
      this.#send({ mem: 'measured', request: message.request, metrics: this.#measure?.() ?? [] });
    if (message.mem === 'gathered') this.#waiting.get(message.request)?.(message.workers);
  }

  #send(message: FromWorker): void {
    if (process.connected) process.send?.(message);
  }
}

/** The channel of this process, where it is a worker of a supervisor. */
export const joinSupervisor = (): WorkerChannel | undefined =>
  cluster.worker ? new WorkerChannel(cluster.worker.id) : undefined;

/**
 * A worker stops when its supervisor says so or is gone; by default Node would end it in the middle of its requests. Ctrl-C
 * in a terminal reaches all processes, but only the supervisor acts on it.
 */
export function workerStop(): Promise<string> {
  const { worker } = cluster;
  process.on('SIGINT', () => {});
  // Replacing workers is the supervisor's business.
  process.on('SIGHUP', () => {});
  return new Promise((resolve) => {
    process.on('SIGTERM', resolve);
    worker?.once('disconnect', () => {
      worker.exitedAfterDisconnect = true;
      resolve('the supervisor is gone');
    });
  });
}
