import type { Services } from '../../kernel/index.ts';
import { clusterCacheOf } from './cluster-cache.ts';
import { TaskThread } from './task-thread.ts';
import { type TaskTurn, TaskTurns } from './task-turns.ts';
import type { EmbeddedText, ThreadTasks } from './thread-tasks.ts';

/** The thread with the built-in embedder, which also does all arithmetic with vectors. */
class SharedEmbedder {
  readonly thread = new TaskThread<ThreadTasks>(
    new URL('./embedder.thread.mjs', import.meta.url),
    'thread of the embedder',
  );
  readonly turns = new TaskTurns();

  async close(): Promise<void> {
    this.turns.drop(new Error('the thread of the embedder has ended'));
    await this.thread.close();
  }
}

/** The thread as one piece of work uses it, in its turns. Nothing that it is asked should take it longer than some milliseconds. */
export class EmbedderThread {
  readonly #shared: SharedEmbedder;
  readonly #turn: TaskTurn;

  constructor(shared: SharedEmbedder, turn: TaskTurn) {
    this.#shared = shared;
    this.#turn = turn;
  }

  run<N extends keyof ThreadTasks>(task: N, input: ThreadTasks[N]['input']): Promise<ThreadTasks[N]['output']> {
    const { thread, turns } = this.#shared;
    return turns.run(this.#turn, () => thread.run(task, input));
  }

  /** Embeds any number of texts, some at a time. */
  async embed(texts: readonly EmbeddedText[]): Promise<ThreadTasks['embed']['output']> {
    const parts: ThreadTasks['embed']['output'] = [];
    for (const some of slicesOf(texts, ({ document }) => document.length))
      parts.push(...(await this.run('embed', { texts: some })));
    return parts;
  }

  async bestPassages(documents: readonly string[], asked: ThreadTasks['bestPassages']['input']['asked']) {
    const passages: string[] = [];
    for (const some of slicesOf(documents, ({ length }) => length))
      passages.push(...(await this.run('bestPassages', { documents: some, asked })));
    return passages;
  }
}

/** Texts that the thread is asked about at once, and their characters, or one. */
const SLICE_TEXTS = 50;
const SLICE_CHARS = 50_000;

export function* slicesOf<T>(all: readonly T[], charsOf: (one: T) => number): Generator<T[]> {
  let slice: T[] = [];
  let chars = 0;
  for (const one of all) {
    const more = charsOf(one);
    if (slice.length > 0 && (slice.length === SLICE_TEXTS || chars + more > SLICE_CHARS)) {
      yield slice;
      slice = [];
      chars = 0;
    }
    slice.push(one);
    chars += more;
  }
  if (slice.length > 0) yield slice;
}

/** One per service. */
const embedders = new WeakMap<Services, SharedEmbedder>();

/** Undefined where the service has no embedder. */
export function embedderOf(services: Services, turn: TaskTurn): EmbedderThread | undefined {
  if (services.settings.embedder === 'off') return undefined;
  const shared = embedders.get(services) ?? new SharedEmbedder();
  embedders.set(services, shared);
  return new EmbedderThread(shared, turn);
}

export async function closeEmbedder(services: Services): Promise<void> {
  clusterCacheOf(services).clear();
  await embedders.get(services)?.close();
}
