import type { Row } from '../../db/index.ts';
import {
  type Consumer,
  type ConsumerContext,
  EVERYONE,
  fromIso,
  type LogEvent,
  type Work,
} from '../../kernel/index.ts';
import { findStoodHeads, type StoodHead, standingOf } from '../entries/index.ts';
import { listCausesOf } from '../ledger/index.ts';
import { listReadPaths, type ReadPath } from '../traces/index.ts';
import { deleteMarks, deleteOldVisits, insertMarks, insertVisits } from './queries.ts';
import { ancestorsOf, marksOf, mayBeMarked } from './rules/marks.ts';

/** Sessions of an agent that are remembered, and paths of each. */
export const KEPT_SESSIONS = 64;
export const KEPT_PATHS = 16;

/** Lists what outcomes, procedures and lessons make worth knowing, and where sessions have been. No write waits for it. */
export const followLog: Consumer = {
  name: 'briefing.follow_log',
  event_types: ['write', 'delete', 'expire', 'outcome', 'trace'],
  starts_at: 'the beginning',
  batch_size: 2_000,
  delay_seconds: 1,
  gives_way_seconds: 10,
  handle: (context, events) => context.work((work) => follow(work, context, events)),
};

async function follow(work: Work, { account_id }: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const { tx, dialect } = work;
  const ends = events.filter(({ event_type }) => event_type === 'outcome' || event_type === 'trace');
  const seqs = ends.map(({ seq }) => seq);
  const [ids, read] =
    ends.length === 0
      ? [[], []]
      : await Promise.all([
          listCausesOf(tx, account_id, dialect.numbers(seqs)),
          listReadPaths(tx, dialect, { account_id, seqs }),
        ]);
  const heads = await findStoodHeads(tx, account_id, { names: changedNames(events), ids });
  await saveMarks(work, heads);
  await saveVisits(work, ends, read);
}

/** Entries whose marks a write may have changed, each once; of an erased entry the event has no name. */
function changedNames(events: readonly LogEvent[]) {
  const names = new Map<string, { branch: string; entity_path: string; key: string }>();
  for (const { event_type, branch, entity_path, key, version, details } of events) {
    if (entity_path === null || key === null) continue;
    const { memory_type } = event_type === 'write' ? (JSON.parse(details) as { memory_type?: unknown }) : {};
    const isMarked = event_type === 'write' ? mayBeMarked({ version, key, memory_type }) : true;
    if (isMarked) names.set(`${branch}\n${entity_path}\n${key}`, { branch, entity_path, key });
  }
  return [...names.values()];
}

async function saveMarks({ tx, account_id, dialect }: Work, heads: readonly StoodHead[]): Promise<void> {
  if (heads.length === 0) return;
  await deleteMarks(tx, account_id, dialect.numbers(heads.map(({ entry_id }) => entry_id)));
  const rows = heads.flatMap((head): Row[] => {
    if (head.deleted === 1) return [];
    const { entry_id, branch } = head;
    const visible_to = head.shared === 1 ? EVERYONE : head.agent_id;
    return marksOf(head, standingOf(head)).flatMap(({ kind, rank }) =>
      ancestorsOf(head.entity_path).map((ancestor) => ({
        ...{ account_id, branch, kind, ancestor, visible_to, rank, entry_id },
      })),
    );
  });
  if (rows.length > 0) await tx.insertMany(insertMarks, rows);
}

async function saveVisits(work: Work, ends: readonly LogEvent[], read: readonly ReadPath[]): Promise<void> {
  const { tx, account_id } = work;
  const visitors = new Map<string, { account_id: string; agent_id: string; branch: string }>();
  const rows = ends.flatMap(({ seq, agent_id, branch }): Row[] => {
    const paths = read.filter((one) => one.seq === seq).sort((a, b) => (a.read_at < b.read_at ? 1 : -1));
    if (paths.length > 0) visitors.set(`${agent_id}\n${branch}`, { account_id, agent_id, branch });
    return paths.slice(0, KEPT_PATHS).map(({ entity_path, visible_to, read_at }) => ({
      ...{ account_id, agent_id, branch, seq, entity_path, visible_to, read_at: fromIso(read_at) },
    }));
  });
  if (rows.length > 0) await tx.insertMany(insertVisits, rows);
  for (const visitor of visitors.values()) await deleteOldVisits(tx, visitor, KEPT_SESSIONS);
}
