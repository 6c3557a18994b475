import type { Consumer, ConsumerContext, LogEvent, Work } from '../../kernel/index.ts';
import { findDocuments, findHeads, type NamedHead } from '../entries/index.ts';
import { embedderOf } from './embedder-thread.ts';
import { storeVectors } from './store-vectors.ts';
import { embedderNumber } from './vector-names.ts';

/** Its name is stored with each vector; another embedder begins again. */
export const EMBEDDER = 'mem-static-256';
export const EMBEDDER_NUMBER = embedderNumber(EMBEDDER);
export const CONSUMER = `recall.embed_${EMBEDDER}`;

/** The events that change what an entry says. */
export const EMBEDDED_EVENTS: readonly string[] = ['write', 'delete', 'expire'];

/** Events that are followed at once. */
const BATCH = 250;

/** Keeps the vectors of the newest versions in step with the log. No write waits for it. */
export const embedEntries: Consumer = {
  name: CONSUMER,
  event_types: EMBEDDED_EVENTS,
  starts_at: 'the beginning',
  batch_size: BATCH,
  // Writes of a burst are embedded together.
  delay_seconds: 1,
  gives_way_seconds: 10,
  handle: followEvents,
};

async function followEvents(context: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const { kernel, account_id } = context;
  const thread = embedderOf(kernel.services);
  if (!thread) return;
  const written = await newestOf(context, events);
  const live = written.filter(({ deleted }) => deleted === 0);
  const short = live.flatMap(({ entry_id, document }) => (document === null ? [] : [{ entry_id, document }]));
  const parts = await thread.run('embed', { texts: short });
  for (const head of live) {
    if (head.document !== null) continue;
    // One at a time: a document may have megabytes.
    const { scan } = kernel.services.database.forAccount(account_id);
    const [document] = await findDocuments(scan, account_id, [head]);
    if (document !== undefined)
      parts.push(...(await thread.run('embed', { texts: [{ entry_id: head.entry_id, document }] })));
    if (context.isStopping()) return;
  }
  await context.work((work: Work) => storeVectors(work, { written, parts, embedder: EMBEDDER_NUMBER }));
}

/** The heads that these events made, each once; those that later events changed come with these. */
export async function newestOf(
  { kernel, account_id }: ConsumerContext,
  events: readonly LogEvent[],
): Promise<NamedHead[]> {
  const last = new Map<string, LogEvent & { entity_path: string; key: string }>();
  for (const event of events) {
    const { branch, entity_path, key } = event;
    // An event without a name belongs to an erased entry.
    if (entity_path !== null && key !== null)
      last.set(`${branch}\n${entity_path}\n${key}`, { ...event, entity_path, key });
  }
  const named = [...last.values()];
  const { scan } = kernel.services.database.forAccount(account_id);
  const heads = await findHeads(scan, account_id, named);
  return named.flatMap((event, at) => {
    const head = heads[at];
    return head && head.seq === event.seq ? [head] : [];
  });
}
