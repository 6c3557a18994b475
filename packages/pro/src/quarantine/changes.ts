import {
  bytesOfTexts,
  type Caller,
  changed,
  type EntryHead,
  EVERYONE,
  exclusive,
  Fault,
  findEntriesByNumber,
  hashedBy,
  MAIN_BRANCH,
  pause,
  sessionName,
  setQuarantine,
  storeMore,
  unchanged,
  viewInWork,
  type Work,
  writes,
} from '@mem-service/server/module';
import { toQuarantine } from './answers.ts';
import { chosenOf, requireBranches, Sight } from './found.ts';
import { MAX_QUARANTINES } from './limits.ts';
import * as queries from './queries.ts';
import type { TracedEntry } from './search.ts';
import { searchFrom } from './target.ts';

type QuarantineAuthor = { agent_id: string; session: string };

function authorOf(
  input: { agent_id?: string | undefined; session_id?: string | undefined },
  caller: Caller,
): QuarantineAuthor {
  const { agent_id = caller.agent_id, session_id = caller.session_id } = input;
  return { agent_id, session: sessionName(session_id, caller) };
}

const create = writes<'quarantine.create'>(async (work, { input, caller, lineage }) => {
  await work.locked;
  const { tx, dialect, account_id, now, services } = work;
  const author = authorOf(input, caller);
  const view = viewInWork(work, { lineage, agent_id: author.agent_id });
  const reader = { query: tx, dialect, account_id };
  const search = await searchFrom(reader, { target: input, view, caller_agent: author.agent_id });
  const entries = chosenOf(await search.foundEntries(), input).filter(({ deleted }) => deleted === 0);
  await requireBranches(services, caller, entries);
  await makeRoom(work);
  const sight = await Sight.of(services, caller, author.agent_id);
  const quarantine_id = services.ids.next(now);
  await hold(work, entries, { quarantine_id, author });
  const row: queries.QuarantineRow = {
    ...{ account_id, quarantine_id, reason: input.reason },
    entry_count: entries.length,
    hidden_count: entries.filter((entry) => !sight.sees(entry)).length,
    decision_count: search.decisions.size,
    is_complete: Number(search.isComplete),
    agent_id: author.agent_id,
    created_seq: emitQuarantine(work, 'quarantine', { quarantine_id, author, entries: entries.length }),
    created_at: now,
    ...{ undone_seq: null, undone_by: null, undone_at: null },
  };
  storeMore(work, bytesOfTexts([input.reason]));
  work.send(tx.insertMany(queries.insertQuarantines, [row]));
  const answer = toQuarantine(row);
  return changed(answer, { resource: quarantine_id, ...hashedBy(answer) });
});

/** The oldest that was undone makes room. */
async function makeRoom(work: Work): Promise<void> {
  const { tx, account_id } = work;
  const { n, oldest } = await queries.countQuarantines(tx, account_id);
  if (n < MAX_QUARANTINES) return;
  if (oldest === null)
    throw new Fault('conflict', `there are ${n} quarantines already: undo one of them first`, { max: MAX_QUARANTINES });
  const row = await queries.getQuarantine(tx, account_id, oldest);
  storeMore(work, -bytesOfTexts([row?.reason ?? '']));
  await queries.deleteQuarantine(tx, account_id, oldest);
}

type HeldIn = { quarantine_id: string; author: QuarantineAuthor };

async function hold(work: Work, entries: readonly TracedEntry[], { quarantine_id, author }: HeldIn): Promise<void> {
  const { account_id, tx } = work;
  const found = new Map(entries.map((entry) => [entry.entry_id, entry]));
  const heads = await setQuarantine(work, [...found.keys()], true);
  const rows: queries.QuarantinedEntryRow[] = [];
  for (const [no, head] of heads.entries()) {
    const { entry_id, version, depth } = found.get(head.entry_id) as TracedEntry;
    const seq = emitEntry(work, 'entry_quarantined', { head, version, quarantine_id, author });
    rows.push({ account_id, quarantine_id, no, entry_id, version, depth, seq, released_seq: null });
    await pause();
  }
  work.send(tx.insertMany(queries.insertQuarantinedEntries, rows));
  noteBranches(work, heads);
  await work.waitForSent();
}

/** What a merge of these branches would take is another from here on. */
function noteBranches(work: Work, heads: readonly EntryHead[]): void {
  const { account_id, tx } = work;
  const seq = work.account.seq;
  const rows = [...new Set(heads.map(({ branch }) => branch))].map((branch) => ({ account_id, branch, seq }));
  work.send(tx.insertMany(queries.putQuarantinedBranches, rows));
}

type EntryEvent = HeldIn & { head: EntryHead; version: number };

const emitEntry = (
  work: Work,
  event_type: 'entry_quarantined' | 'entry_released',
  { head, version, quarantine_id, author }: EntryEvent,
): number =>
  work.emit({
    event_type,
    agent_id: head.agent_id,
    branch: head.branch,
    entity_path: head.entity_path,
    key: head.key,
    version,
    visible_to: head.shared === 1 ? EVERYONE : head.agent_id,
    details: { quarantine_id },
    actor_agent_id: author.agent_id,
  });

const emitQuarantine = (
  work: Work,
  event_type: 'quarantine' | 'quarantine_undone',
  { quarantine_id, author, entries }: HeldIn & { entries: number },
): number =>
  work.emit({
    event_type,
    ...author,
    branch: MAIN_BRANCH,
    entity_path: null,
    key: null,
    version: null,
    visible_to: EVERYONE,
    details: { quarantine_id, entries },
  });

const undo = writes<'quarantine.undo'>(async (work, { input, caller }) => {
  await work.locked;
  const { tx, now } = work;
  const { quarantine_id } = input;
  const row = await findQuarantine(work, quarantine_id);
  if (row.undone_seq !== null) return unchanged(toQuarantine(row));
  const author = authorOf(input, caller);
  const entries = await release(work, caller, { quarantine_id, author });
  const undone_seq = emitQuarantine(work, 'quarantine_undone', { quarantine_id, author, entries });
  const after = { ...row, undone_seq, undone_by: author.agent_id, undone_at: now };
  work.send(tx.updateMany(queries.setUndone, [after]));
  const answer = toQuarantine(after);
  const before = hashedBy(toQuarantine(row)).after;
  return changed(answer, { resource: quarantine_id, before, after: hashedBy(answer).after });
});

const ROWS_AT_ONCE = 500;

/** Returns how many entries were released; some may have been erased. */
async function release(work: Work, caller: Caller, { quarantine_id, author }: HeldIn): Promise<number> {
  const { tx, account_id, services } = work;
  let released = 0;
  for (let after = -1; ; ) {
    const rows = await queries.listQuarantinedEntries(tx, { account_id, quarantine_id, after, limit: ROWS_AT_ONCE });
    const known = (await findEntriesByNumber(tx, account_id, rows)).filter((head) => head !== undefined);
    await requireBranches(services, caller, known);
    const byNumber = new Map(rows.map((row) => [row.entry_id, row]));
    const heads = await setQuarantine(work, [...byNumber.keys()], false);
    const done = heads.map((head) => {
      const { no, version } = byNumber.get(head.entry_id) as queries.QuarantinedEntryRow;
      const released_seq = emitEntry(work, 'entry_released', { head, version, quarantine_id, author });
      return { account_id, quarantine_id, no, released_seq };
    });
    work.send(tx.updateMany(queries.setReleased, done));
    noteBranches(work, heads);
    released += done.length;
    await work.waitForSent();
    if (rows.length < ROWS_AT_ONCE) return released;
    after = rows.at(-1)?.no ?? after;
    await pause();
  }
}

export async function findQuarantine(
  { tx, account_id }: Pick<Work, 'account_id'> & { tx: Parameters<typeof queries.getQuarantine>[0] },
  quarantine_id: string,
): Promise<queries.QuarantineRow> {
  const row = await queries.getQuarantine(tx, account_id, quarantine_id);
  if (!row) throw new Fault('not_found', `there is no quarantine ${JSON.stringify(quarantine_id)}`, { quarantine_id });
  return row;
}

export const changeHandlers = { 'quarantine.create': exclusive(create), 'quarantine.undo': exclusive(undo) };
