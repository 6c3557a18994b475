import { EVERYONE, type Observation, type Work } from '../../kernel/index.ts';
import { linkReads } from '../graph/index.ts';
import * as queries from './queries.ts';
import { readsOf } from './record-reads.ts';
import { newSession } from './store.ts';

/** Queries and errors that are kept by themselves; what a caller records has more room. */
const MAX_NOTED_ITEMS = 1000;

/** Puts what was seen into the sessions of those who saw it. */
export async function recordSessions(work: Work, observations: readonly Observation[]): Promise<void> {
  const groups = groupBySession(
    work.account_id,
    observations.filter(({ kind }) => kind !== 'recall'),
  );
  if (groups.length === 0) return;
  const known = await work.tx.findMany<queries.SessionRow>(
    queries.findSessions,
    groups.map(({ key }) => [key.account_id, key.agent_id, key.session]),
  );
  const sessions = groups.map(({ key, seen }, i) => ({ row: known[i] ?? newSession(key, work.now), seen }));
  const reads = await readsOf(work, sessions);
  const foreign = await unreadForeign(work, reads);
  const inserted = await work.tx.insertMany<{ agent_id: string; session: string; no: number }>(
    queries.insertReads,
    reads,
  );
  const isNew = new Set(inserted.map(({ no }) => no));
  const items = sessions.flatMap(({ row, seen }) => itemsOf(work, row, seen));
  if (items.length > 0) work.send(work.tx.insertMany(queries.insertItems, items));
  for (const { row } of sessions) {
    row.reads += inserted.filter((read) => read.agent_id === row.agent_id && read.session === row.session).length;
    row.last_at = work.now;
  }
  work.send(
    work.tx.insertMany(
      queries.upsertSessions,
      sessions.map(({ row }) => row),
    ),
  );
  for (const read of foreign) if (isNew.has(read.no)) tellBothAgents(work, read);
  // What an agent reads of its own is tied to it when the session is sealed: most reads are such, and must stay cheap.
  const learnt = reads.filter(({ no, written_by, agent_id }) => isNew.has(no) && written_by !== agent_id);
  linkReads(
    work,
    learnt.map((read) => ({ ...read, count: 1 })),
  );
}

function groupBySession(account_id: string, observations: readonly Observation[]) {
  const groups = new Map<string, { key: queries.SessionKey; seen: Observation[] }>();
  for (const one of observations) {
    const name = `${one.agent_id}\n${one.session}`;
    const group = groups.get(name);
    if (group) group.seen.push(one);
    else groups.set(name, { key: { account_id, agent_id: one.agent_id, session: one.session }, seen: [one] });
  }
  return [...groups.values()];
}

function itemsOf(work: Work, row: queries.SessionRow, seen: readonly Observation[]): queries.ItemRow[] {
  const noted = seen.filter((one) => one.kind === 'query' || one.kind === 'error');
  const fitting = noted.slice(0, Math.max(0, MAX_NOTED_ITEMS - row.items));
  if (fitting.length < noted.length) row.truncated = 1;
  row.items += fitting.length;
  const { account_id, agent_id, session, attempt } = row;
  return fitting.map((one) => {
    const { kind, at, agent_id: _, session: __, entity_path, ...data } = one;
    const no = work.nextItem();
    return { account_id, agent_id, session, no, kind, attempt, at, entity_path, data: JSON.stringify(data) };
  });
}

/** Reads of what others wrote, unless the session has read the entry before. */
async function unreadForeign(work: Work, reads: readonly queries.ReadRow[]): Promise<queries.ReadRow[]> {
  const firsts = new Map<string, queries.ReadRow>();
  for (const read of reads) {
    const name = `${read.agent_id}\n${read.session}\n${read.entry_id}`;
    if (read.written_by !== read.agent_id && !firsts.has(name)) firsts.set(name, read);
  }
  const foreign = [...firsts.values()];
  const known = await work.tx.findMany(
    queries.findReadsOfEntries,
    foreign.map((read) => [read.account_id, read.agent_id, read.session, read.entry_id]),
  );
  return foreign.filter((_, i) => known[i] === undefined);
}

/** It stands on the timeline of who read and of who wrote. */
function tellBothAgents(work: Work, read: queries.ReadRow): void {
  const { agent_id: reader, written_by: author, branch, entity_path, key, version, session } = read;
  const event = { event_type: 'cross_agent_read', branch, entity_path, key, version, visible_to: EVERYONE, session };
  work.emit({ ...event, agent_id: reader, details: { source_agent_id: author } });
  work.emit({
    ...event,
    agent_id: author,
    actor_agent_id: reader,
    details: { reader_agent_id: reader, direction: 'inbound' },
  });
}
