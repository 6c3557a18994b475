import type { Row } from '../../db/index.ts';
import type { Consumer, ConsumerContext, LogEvent } from '../../kernel/index.ts';
import { findDocuments, findEntriesByNumber, findHeads, type NamedHead } from '../entries/index.ts';
import { embedderOf } from './embedder-thread.ts';
import { deleteVectors, insertVectors } from './queries.ts';
import type { EmbeddedPart } from './thread-tasks.ts';
import { embedderNumber, ownerNumber, SHARED } from './vector-names.ts';

/** Its name is stored with each vector; another embedder begins again. */
export const EMBEDDER = 'mem-static-256';
export const EMBEDDER_NUMBER = embedderNumber(EMBEDDER);
export const CONSUMER = `recall.embed_${EMBEDDER}`;

/** Events that are followed at once. */
const BATCH = 500;

/** Keeps the vectors of the newest versions in step with the log. No write waits for it. */
export const embedEntries: Consumer = {
  name: CONSUMER,
  event_types: ['write', 'delete', 'expire'],
  starts_at: 'the beginning',
  batch_size: BATCH,
  // Writes of a burst are embedded together.
  delay_seconds: 1,
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
  await context.work(async (work) => {
    const { tx, dialect } = work;
    // What was written or erased since then is left to its own event, or to nobody.
    const current = await findEntriesByNumber(tx, account_id, written);
    const same = written.filter(({ seq }, at) => current[at]?.seq === seq);
    if (same.length === 0) return;
    await deleteVectors(tx, account_id, dialect.numbers(same.map(({ entry_id }) => entry_id)));
    const rows = rowsOf(account_id, same, parts);
    if (rows.length > 0) await tx.insertMany(insertVectors, rows);
  });
}

/** The heads that these events made, each once; those that later events changed come with these. */
async function newestOf({ kernel, account_id }: ConsumerContext, events: readonly LogEvent[]): Promise<NamedHead[]> {
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

function rowsOf(account_id: string, written: readonly NamedHead[], parts: readonly EmbeddedPart[]): Row[] {
  const byEntry = new Map<number, EmbeddedPart[]>();
  for (const part of parts) byEntry.set(part.entry_id, [...(byEntry.get(part.entry_id) ?? []), part]);
  return written.flatMap(({ entry_id, branch, seq, shared, agent_id }) => {
    const owner = shared === 1 ? SHARED : ownerNumber(agent_id);
    return (byEntry.get(entry_id) ?? []).map(({ part, cluster, code, vector }) => ({
      ...{ account_id, entry_id, part, branch, seq, embedder: EMBEDDER_NUMBER, cluster, owner, code, vector },
    }));
  });
}
