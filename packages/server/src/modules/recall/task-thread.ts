import { Worker } from 'node:worker_threads';
import { endOfThread } from '../../db/index.ts';

/** The tasks of a thread, by name. */
export type TaskTable = Record<string, { input: unknown; output: unknown }>;

type TaskAnswer = { id: number; output?: unknown; error?: string };
type PendingTask = { resolve: (output: never) => void; reject: (error: unknown) => void };
type RunningThread = { worker: Worker; waiting: Map<number, PendingTask>; ended: Promise<void> };

/** After this time without a task a thread ends, and its memory with it. */
const IDLE_MS = 120_000;

/** A thread for one kind of work. It starts with the first task, and again after a failure or a rest. */
export class TaskThread<T extends TaskTable> {
  readonly #file: URL;
  readonly #name: string;
  #thread: RunningThread | undefined;
  #idle: NodeJS.Timeout | undefined;
  #nextId = 1;

  constructor(file: URL, name: string) {
    this.#file = file;
    this.#name = name;
  }

  run<N extends keyof T & string>(task: N, input: T[N]['input']): Promise<T[N]['output']> {
    clearTimeout(this.#idle);
    this.#thread ??= this.#start();
    const { worker, waiting } = this.#thread;
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, task, input });
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    if (!thread) return;
    await thread.worker.terminate();
    await thread.ended;
  }

  #start(): RunningThread {
    const isSource = import.meta.url.endsWith('.ts');
    const worker = new Worker(this.#file, {
      workerData: { loader: isSource ? 'tsx/esm/api' : undefined },
      ...(isSource ? { execArgv: ['--conditions=source'] } : {}),
    });
    const waiting: RunningThread['waiting'] = new Map();
    worker.on('message', ({ id, output, error }: TaskAnswer) => {
      const task = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) task?.resolve(output as never);
      else task?.reject(new Error(`the ${this.#name} failed: ${error}`));
      if (waiting.size > 0) return;
      worker.unref();
      this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    });
    const dropThread = () => {
      if (this.#thread?.worker === worker) this.#thread = undefined;
    };
    const ended = endOfThread(worker, waiting, { name: this.#name, dropThread });
    return { worker, waiting, ended };
  }
}
