import {
  type AccountNotes,
  applyReads,
  EVERYONE,
  isReading,
  MAIN_BRANCH,
  type ReadNote,
  type SessionNote,
  type Work,
} from '../../kernel/index.ts';
import { findVersions } from '../entries/offers.ts';
import { countSession, loaded } from './counters.ts';
import * as queries from './queries.ts';
import type { SessionReadCache } from './read-cache.ts';
import { dropReaders } from './readers.ts';
import { type ForeignRead, type NewReads, type RecordedSession, takeNewReads } from './record-reads.ts';
import { dayOf, KnownReads } from './rules/known-reads.ts';
import { AGAIN, toPage } from './rules/page.ts';
import { newSession } from './store.ts';

/** The limit on queries and errors noted automatically; items that a caller records have a higher one. */
const MAX_NOTED_ITEMS = 1000;

/** Adds notes to the sessions of their callers. Returns the sessions as they are afterwards. */
export async function recordSessions(
  work: Work,
  memory: SessionReadCache,
  seen: AccountNotes['sessions'],
): Promise<readonly RecordedSession[]> {
  if (seen.length === 0) return [];
  const sessions = await openSessions(work, memory, seen);
  const pages: queries.PageRow[] = [];
  const items: queries.ItemRow[] = [];
  const foreign: LoggedRead[] = [];
  for (const session of sessions) {
    const { row } = session;
    const taken = takeNewReads(session);
    pages.push(...pagesOf(work, row, taken), ...pagesOfDay(work, session, taken));
    for (const one of taken.foreign) foreign.push({ ...one, row });
    items.push(...itemsOf(work, row, session.notes));
    row.last_at = work.now;
    const last = session.notes.findLast(isReading);
    if (last) row.branch = last.branch;
    countSession(work, row);
  }
  if (pages.length > 0) work.send(work.tx.insertMany(queries.insertPages, pages));
  if (items.length > 0) work.send(work.tx.insertMany(queries.insertItems, items));
  work.send(
    work.tx.insertMany(
      queries.upsertSessions,
      sessions.map(({ row }) => row),
    ),
  );
  if (foreign.length > 0) await emitForeignReads(work, foreign);
  await dropReaders(work);
  return sessions;
}

async function openSessions(
  work: Work,
  memory: SessionReadCache,
  seen: AccountNotes['sessions'],
): Promise<RecordedSession[]> {
  const { account_id, tx, now } = work;
  const rows = await tx.findMany<queries.SessionRow>(
    queries.findSessions,
    seen.map(({ agent_id, session }) => [account_id, agent_id, session]),
  );
  return Promise.all(
    seen.map(async ({ agent_id, session, notes }, i) => {
      const row = rows[i];
      if (!row) return { row: newSession({ account_id, agent_id, session }, now), notes, known: new KnownReads(0) };
      return { row: loaded(row), notes, known: await memory.take(tx, row) };
    }),
  );
}

/** A page for each branch that was read on. */
function pagesOf(work: Work, row: queries.SessionRow, { reads }: NewReads): queries.PageRow[] {
  const { account_id, agent_id, session, attempt } = row;
  const branches = new Set(reads.map((read) => read.branch));
  return [...branches].map((on) => {
    const no = work.nextItem();
    row.last_page = no;
    const here = branches.size === 1 ? reads : reads.filter((read) => read.branch === on);
    const branch = on === MAIN_BRANCH ? null : on;
    return { account_id, agent_id, session, no, attempt, reads: toPage(here), branch };
  });
}

/** So that every server knows what was read on a day; what was read again on an earlier one is of no use any more. */
function pagesOfDay(work: Work, { row, known }: RecordedSession, { again }: NewReads): queries.PageRow[] {
  const [first] = again;
  if (!first) return [];
  if (known.addAgain(dayOf(first.at))) work.send(queries.deletePagesOf(work.tx, row, AGAIN));
  const { account_id, agent_id, session } = row;
  const no = work.nextItem();
  row.last_page = no;
  return [{ account_id, agent_id, session, no, attempt: AGAIN, reads: toPage(again), branch: null }];
}

function itemsOf(work: Work, row: queries.SessionRow, seen: readonly SessionNote[]): queries.ItemRow[] {
  const noted = seen.filter((one) => one.kind !== 'read');
  const fitting = noted.slice(0, Math.max(0, MAX_NOTED_ITEMS - row.items));
  if (fitting.length < noted.length) row.truncated = 1;
  row.items += fitting.length;
  const { account_id, agent_id, session, attempt } = row;
  return fitting.map(({ kind, at, entity_path, ...rest }) => {
    const no = work.nextItem();
    const data = JSON.stringify({ ...rest, branch: undefined });
    row.bytes += Buffer.byteLength(data);
    return { account_id, agent_id, session, no, kind, attempt, at, entity_path, data };
  });
}

type LoggedRead = ForeignRead & { row: queries.SessionRow };

/**
 * Logs reads of other agents' entries. An agent's reads of its own entries are linked when the session is sealed: they are
 * the majority and must stay cheap.
 */
async function emitForeignReads(work: Work, foreign: readonly LoggedRead[]): Promise<void> {
  const versions = await findVersions(
    work.tx,
    work.account_id,
    foreign.map(({ read }) => read),
  );
  // An entry erased since it was read must not be named again.
  const there = foreign.filter((_, i) => versions[i] !== undefined);
  for (const { row, read, isFirstOfDay } of there) if (isFirstOfDay) emitCrossAgentRead(work, row, read);
  const linked = there.filter(({ isNew }) => isNew);
  applyReads(
    work,
    linked.map(({ row, read }) => ({ agent_id: row.agent_id, count: 1, ...read })),
  );
}

/** The event appears in the timelines of both the reader and the author. */
function emitCrossAgentRead(work: Work, { agent_id: reader, session }: queries.SessionKey, read: ReadNote): void {
  const { written_by: author, branch, entity_path, key, version } = read;
  const event = { event_type: 'cross_agent_read', branch, entity_path, key, version, visible_to: EVERYONE, session };
  work.emit({ agent_id: reader, details: { source_agent_id: author }, ...event });
  work.emit({
    agent_id: author,
    actor_agent_id: reader,
    details: { reader_agent_id: reader, direction: 'inbound' },
    ...event,
  });
}
