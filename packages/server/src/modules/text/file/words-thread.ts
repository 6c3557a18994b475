import { Worker } from 'node:worker_threads';
import { endOfThread } from '../../../db/index.ts';
import type { WordsFileOptions } from './words-file.ts';

/** How far the index goes in the log of an account, and where the log ends. */
export type IndexProgress = { account_id: string; reached: number; head: number };
type ThreadError = { message: string; errcode?: number; code?: string };
type ThreadAnswer = {
  id?: number;
  isComplete?: boolean;
  /** The thread ends after this answer, and has done nothing of what was asked later. */
  isLast?: boolean;
  progress?: IndexProgress;
  error?: ThreadError;
};
type ThreadTask =
  | { task: 'index'; accounts: readonly string[] }
  | { task: 'compact' | 'release' | 'examine' }
  | { task: 'discard'; identity: string };
type PendingTask = { task: ThreadTask; resolve: (isComplete: boolean) => void; reject: (error: unknown) => void };
type RunningThread = { worker: Worker; waiting: Map<number, PendingTask>; ended: Promise<void> };

/** The thread that writes the file of words. It starts with the first task, and again after a failure. */
export class WordsThread {
  readonly #options: WordsFileOptions;
  readonly #onProgress: (progress: IndexProgress) => void;
  #thread: RunningThread | undefined;
  readonly #ending = new Set<Promise<void>>();
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
    return new Promise((resolve, reject) => this.#ask({ task, resolve, reject }));
  }

  #ask(pending: PendingTask): void {
    this.#thread ??= this.#start();
    const { worker, waiting } = this.#thread;
    const id = this.#nextId++;
    waiting.set(id, pending);
    worker.ref();
    worker.postMessage({ id, ...pending.task });
  }

  /** A new thread does what an ending one was asked to do. */
  #replace({ worker, waiting, ended }: RunningThread): void {
    if (this.#thread?.worker === worker) this.#thread = undefined;
    this.#ending.add(ended);
    void ended.then(() => this.#ending.delete(ended));
    const left = [...waiting.values()];
    waiting.clear();
    for (const pending of left) this.#ask(pending);
  }

  /** Ends after the batch that is being indexed. */
  async close(): Promise<void> {
    // The process must stay for the end of the thread, also when its last answer comes in between.
    this.#isClosing = true;
    if (this.#thread) {
      const { worker, ended } = this.#thread;
      worker.ref();
      worker.postMessage('close');
      await ended;
    }
    await Promise.all(this.#ending);
  }

  #start(): RunningThread {
    const worker = new Worker(new URL('./words.thread.mjs', import.meta.url), {
      workerData: { ...this.#options, loader: import.meta.url.endsWith('.ts') ? 'tsx/esm/api' : undefined },
    });
    const waiting: RunningThread['waiting'] = new Map();
    worker.on('message', ({ id, isComplete = false, isLast = false, progress, error }: ThreadAnswer) => {
      if (progress) this.#onProgress(progress);
      if (id === undefined) return;
      const task = waiting.get(id);
      waiting.delete(id);
      if (isLast) this.#replace(thread);
      else if (waiting.size === 0 && !this.#isClosing) worker.unref();
      if (error) task?.reject(Object.assign(new Error(error.message), error));
      else task?.resolve(isComplete);
    });
    const dropThread = () => {
      if (this.#thread?.worker === worker) this.#thread = undefined;
    };
    const ended = endOfThread(worker, waiting, { name: 'thread of words', dropThread });
    const thread = { worker, waiting, ended };
    return thread;
  }
}
