import { type Consumer, type ConsumerContext, type LogEvent, readHead, type Work } from '../../kernel/index.ts';
import { findDocuments, findHeads, type NamedHead } from '../entries/index.ts';
import { type EmbedderThread, embedderOf } from './embedder-thread.ts';
import { oneAhead } from './one-ahead.ts';
import { slicesOf } from './slices.ts';
import { type NewVectors, storeVectors } from './store-vectors.ts';
import type { EmbeddedPart } from './stored-part.ts';
import { embedderNumber } from './vector-names.ts';

/** Its name is stored with each vector; another embedder begins again. */
export const EMBEDDER = 'mem-static-256';
export const EMBEDDER_NUMBER = embedderNumber(EMBEDDER);
export const CONSUMER = `recall.embed_${EMBEDDER}`;

/** The events that change what an entry says. */
export const EMBEDDED_EVENTS: readonly string[] = ['write', 'delete', 'expire'];

/** Events that are followed under one claim. */
const BATCH = 2_000;
/**
 * Entries whose texts are read and embedded at once, and their vectors stored in one transaction: more of them share the
 * blocks of the index, but writes wait for the transaction.
 */
const TOGETHER = 500;

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
  const thread = embedderOf(kernel.services, { account_id, isQuestion: false });
  if (!thread) return;
  const read = oneAhead(
    slicesOf(events, () => 0, { texts: TOGETHER, chars: 0 }),
    (some) => readHeads(context, some),
  );
  const embedded = oneAhead(read, async ({ heads, since }): Promise<NewVectors> => {
    const parts = await embedHeads(context, thread, heads);
    // Their texts may have megabytes.
    const written = heads.map((head) => Object.assign(head, { document: null }));
    return { written, parts, embedder: EMBEDDER_NUMBER, since };
  });
  let left = Math.ceil(events.length / TOGETHER);
  for await (const vectors of embedded) {
    if (context.isStopping()) return;
    const store = --left === 0 ? context.work : context.step;
    await store((work: Work) => storeVectors(work, vectors));
  }
}

async function readHeads(context: ConsumerContext, events: readonly LogEvent[]) {
  const { kernel, account_id } = context;
  const since = await readHead(kernel.services.database.forAccount(account_id).scan, account_id);
  return { heads: await newestOf(context, events), since };
}

async function embedHeads(
  { kernel, account_id, isStopping }: ConsumerContext,
  thread: EmbedderThread,
  heads: readonly NamedHead[],
): Promise<EmbeddedPart[]> {
  const live = heads.filter(({ deleted }) => deleted !== 1);
  const short = live.flatMap(({ entry_id, document }) => (document === null ? [] : [{ entry_id, document }]));
  const parts = await thread.embed(short);
  const { scan } = kernel.services.database.forAccount(account_id);
  for (const head of live) {
    if (head.document !== null || isStopping()) continue;
    // One at a time: a document may have megabytes.
    const [document] = await findDocuments(scan, account_id, [head]);
    if (document !== undefined) parts.push(...(await thread.embed([{ entry_id: head.entry_id, document }])));
  }
  return parts;
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
