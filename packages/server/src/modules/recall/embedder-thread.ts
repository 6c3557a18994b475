import { Worker } from 'node:worker_threads';
import { endOfThread } from '../../db/index.ts';
import type { Services } from '../../kernel/index.ts';
import type { TaskName, ThreadTasks } from './thread-tasks.ts';

type EmbedderAnswer = { id: number; output?: unknown; error?: string };
type PendingEncoding = { resolve: (output: never) => void; reject: (error: unknown) => void };
type RunningEmbedder = { worker: Worker; waiting: Map<number, PendingEncoding>; ended: Promise<void> };

/** After this time without a task the thread ends, and its memory with it. */
const IDLE_MS = 120_000;

/** The thread with the embedder. It starts with the first task, and again after a failure or a rest. */
export class EmbedderThread {
  #thread: RunningEmbedder | undefined;
  #idle: NodeJS.Timeout | undefined;
  #nextId = 1;

  run<N extends TaskName>(task: N, input: ThreadTasks[N]['input']): Promise<ThreadTasks[N]['output']> {
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

  #start(): RunningEmbedder {
    const isSource = import.meta.url.endsWith('.ts');
    const worker = new Worker(new URL('./embedder.thread.mjs', import.meta.url), {
      workerData: { loader: isSource ? 'tsx/esm/api' : undefined },
      ...(isSource ? { execArgv: ['--conditions=source'] } : {}),
    });
    const waiting: RunningEmbedder['waiting'] = new Map();
    worker.on('message', ({ id, output, error }: EmbedderAnswer) => {
      const task = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) task?.resolve(output as never);
      else task?.reject(new Error(`the embedder failed: ${error}`));
      if (waiting.size > 0) return;
      worker.unref();
      this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    });
    const dropThread = () => {
      if (this.#thread?.worker === worker) this.#thread = undefined;
    };
    const ended = endOfThread(worker, waiting, { name: 'thread of the embedder', dropThread });
    return { worker, waiting, ended };
  }
}

/** One per service. */
const threads = new WeakMap<Services, EmbedderThread>();

/** Undefined where the service has no embedder. */
export function embedderOf(services: Services): EmbedderThread | undefined {
  if (services.settings.embedder === 'off') return undefined;
  const known = threads.get(services) ?? new EmbedderThread();
  threads.set(services, known);
  return known;
}

export async function closeEmbedder(services: Services): Promise<void> {
  await threads.get(services)?.close();
}
