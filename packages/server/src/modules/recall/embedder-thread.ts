import type { Services } from '../../kernel/index.ts';
import { clusterCacheOf } from './cluster-cache.ts';
import { slicesOf } from './slices.ts';
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

  /** Embeds any number of texts, some at a time. In between the thread answers questions. */
  async embed(texts: readonly EmbeddedText[]): Promise<ThreadTasks['embed']['output']> {
    const parts: ThreadTasks['embed']['output'] = [];
    for (const some of slicesOf(texts, ({ document }) => document.length, SENT))
      parts.push(...(await this.run('embed', { texts: some })));
    return parts;
  }

  async bestPassages(documents: readonly string[], asked: ThreadTasks['bestPassages']['input']['asked']) {
    const passages: string[] = [];
    for (const some of slicesOf(documents, ({ length }) => length, LOOKED_AT))
      passages.push(...(await this.run('bestPassages', { documents: some, asked })));
    return passages;
  }
}

/** Documents that the thread looks at for a question at once. */
const LOOKED_AT = { texts: 50, chars: 50_000 };
/** Documents that the thread gets to embed: this one may be busy with a transaction when they are done. */
const SENT = { texts: 250, chars: 1_000_000 };

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
