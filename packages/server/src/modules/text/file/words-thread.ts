import { Worker } from 'node:worker_threads';
import { StorageError } from '../../../db/index.ts';
import type { WordsFileOptions } from './words-file.ts';

/** How far the index goes in the log of an account, and where the log ends. */
export type IndexProgress = { account_id: string; reached: number; head: number };
type ThreadError = { message: string; errcode?: number; code?: string };
type ThreadAnswer = { id?: number; isComplete?: boolean; progress?: IndexProgress; error?: ThreadError };
type ThreadTask = { task: 'index'; accounts: readonly string[] } | { task: 'compact' };
type PendingTask = { resolve: (isComplete: boolean) => void; reject: (error: unknown) => void };
type RunningThread = { worker: Worker; waiting: Map<number, PendingTask>; ended: Promise<void> };

/** The thread that writes the file of words. It starts with the first task, and again after a failure. */
export class WordsThread {
  readonly #options: WordsFileOptions;
  readonly #onProgress: (progress: IndexProgress) => void;
  #thread: RunningThread | undefined;
  #nextId = 1;
  #isClosing = false;

  constructor(options: WordsFileOptions, onProgress: (progress: IndexProgress) => void) {
    this.#options = options;
    this.#onProgress = onProgress;
  }

  get isRunning(): boolean {
    return this.#thread !== undefined;
  }

  /** Returns whether the task was completed, and not ended early by closing. */
  run(task: ThreadTask): Promise<boolean> {
    this.#thread ??= this.#start();
    const { worker, waiting } = this.#thread;
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, ...task });
    });
  }

  /** Ends after the batch that is being indexed. */
  async close(): Promise<void> {
    if (!this.#thread) return;
    const { worker, ended } = this.#thread;
    // The process must stay for the end of the thread, also when its last answer comes in between.
    this.#isClosing = true;
    worker.ref();
    worker.postMessage('close');
    await ended;
  }

  #start(): RunningThread {
    const worker = new Worker(new URL('./words.thread.mjs', import.meta.url), {
      workerData: { ...this.#options, loader: import.meta.url.endsWith('.ts') ? 'tsx/esm/api' : undefined },
    });
    const waiting: RunningThread['waiting'] = new Map();
    worker.on('message', ({ id, isComplete = false, progress, error }: ThreadAnswer) => {
      if (progress) this.#onProgress(progress);
      if (id === undefined) return;
      const task = waiting.get(id);
      waiting.delete(id);
      if (waiting.size === 0 && !this.#isClosing) worker.unref();
      if (error) task?.reject(Object.assign(new Error(error.message), error));
      else task?.resolve(isComplete);
    });
    let cause = new Error('the thread of words ended');
    worker.on('error', (error: Error) => {
      cause = error;
    });
    const ended = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        if (this.#thread?.worker === worker) this.#thread = undefined;
        for (const { reject } of waiting.values()) reject(new StorageError('unavailable', cause));
        resolve();
      });
    });
    return { worker, waiting, ended };
  }
}
