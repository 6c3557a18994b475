import { EVERYONE, type Observation, type Recorder, type SeenEntry, type Work } from '../../kernel/index.ts';
import { linkReads } from '../graph/index.ts';
import * as queries from './queries.ts';
import { newSession } from './store.ts';

/** A session that reads more than this has no causes to tell apart. */
export const MAX_READS = 1000;
/** Queries and errors that are kept by themselves; what a caller records has more room. */
export const MAX_NOTED_ITEMS = 1000;
/** A row is written anew for each entry that was recalled, so under load the counts come after the reads. */
const RECALLS_PER_FLUSH = 200;

type Seen = SeenEntry & Observation;
type Place = { branch: string; entity_path: string; key: string };
type Recalls = Map<string, { at: Place; recalls: number }>;

/** Keeps what callers saw in their sessions, and how often entries were recalled. */
export function createRecorder(): Recorder {
  const waiting = new Map<string, Recalls>();
  return async (work, { observations, isLast }) => {
    const recalls: Recalls = waiting.get(work.account_id) ?? new Map();
    waiting.set(work.account_id, recalls);
    for (const one of observations) if (isRecall(one)) countRecall(recalls, one);
    await recordSessions(work, observations);
    await writeRecalls(work, recalls, isLast ? Number.POSITIVE_INFINITY : RECALLS_PER_FLUSH);
    if (recalls.size === 0) waiting.delete(work.account_id);
    return recalls.size > 0;
  };
}

const isRecall = (one: Observation): one is Observation & Place =>
  one.kind === 'recall' || (one.kind === 'read' && one.is_current);

function countRecall(recalls: Recalls, { branch, entity_path, key }: Place): void {
  const name = `${branch}\n${entity_path}\n${key}`;
  const known = recalls.get(name);
  if (known) known.recalls++;
  else recalls.set(name, { at: { branch, entity_path, key }, recalls: 1 });
}

async function writeRecalls(work: Work, recalls: Recalls, most: number): Promise<void> {
  const due = [...recalls].slice(0, most);
  for (const [name] of due) recalls.delete(name);
  // In the order of the table, so that neighbours share a page.
  due.sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, { at, recalls }] of due)
    work.send(queries.addRecalls(work.tx, { account_id: work.account_id, ...at }, recalls));
  await work.settle();
}

async function recordSessions(work: Work, observations: readonly Observation[]): Promise<void> {
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
  const reads = sessions.flatMap(({ row, seen }) => readsOf(work, row, seen));
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
  linkReads(
    work,
    reads.filter(({ no }) => isNew.has(no)).map((read) => ({ ...read, count: 1 })),
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

/** What was read for the first time in this batch, as far as the session has room. */
function readsOf(work: Work, row: queries.SessionRow, seen: readonly Observation[]): queries.ReadRow[] {
  const reads = new Map<string, Seen>();
  for (const one of seen) {
    if (one.kind !== 'read') continue;
    const name = `${one.entry_id}.${one.version}`;
    if (!reads.has(name)) reads.set(name, one);
  }
  const fitting = [...reads.values()].slice(0, Math.max(0, MAX_READS - row.reads));
  if (fitting.length < reads.size) row.truncated = 1;
  const { account_id, agent_id, session, attempt } = row;
  return fitting.map((one) => ({
    account_id,
    agent_id,
    session,
    attempt,
    entry_id: one.entry_id,
    version: one.version,
    no: work.nextItem(),
    branch: one.branch,
    entity_path: one.entity_path,
    key: one.key,
    visible_to: one.visible_to,
    written_by: one.written_by,
    confidence: one.confidence,
    standing: one.standing,
    read_at: one.at,
    duration_ms: one.duration_ms,
  }));
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
