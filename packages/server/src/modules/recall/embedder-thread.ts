import type { Services } from '../../kernel/index.ts';
import { clusterCacheOf } from './cluster-cache.ts';
import { TaskThread } from './task-thread.ts';
import type { ThreadTasks } from './thread-tasks.ts';

/** The thread with the built-in embedder, which also does all arithmetic with vectors. */
export type EmbedderThread = TaskThread<ThreadTasks>;

/** One per service. */
const threads = new WeakMap<Services, EmbedderThread>();

/** Undefined where the service has no embedder. */
export function embedderOf(services: Services): EmbedderThread | undefined {
  if (services.settings.embedder === 'off') return undefined;
  const file = new URL('./embedder.thread.mjs', import.meta.url);
  const known = threads.get(services) ?? new TaskThread<ThreadTasks>(file, 'thread of the embedder');
  threads.set(services, known);
  return known;
}

export async function closeEmbedder(services: Services): Promise<void> {
  clusterCacheOf(services).clear();
  await threads.get(services)?.close();
}
