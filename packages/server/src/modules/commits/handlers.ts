import { Fault } from '@mem-service/contract';
import {
  branchOf,
  changed,
  cursorsOf,
  cutPage,
  EVERYONE,
  type Handlers,
  hashedBy,
  pageBytes,
  prepares,
  readableRows,
  reads,
  startWithin,
  toIso,
  viewInWork,
  type Work,
  withinPage,
  writes,
} from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { loadContracts } from '../contracts/index.ts';
import {
  authorOf,
  checkUnchanged,
  checkWrites,
  type EntryRow,
  EntrySet,
  prepareWrites,
  staleReadsInScope,
  staleReadsOf,
  toDraft,
} from '../entries/index.ts';
import * as queries from './queries.ts';
import { type CommitEntry, narrowCommits, parentOf, readCommit, treeHashOf } from './scoped-commits.ts';

const create = writes<'commits.create'>(async (work, { input, caller, lineage, prepared }) => {
  const { message } = input;
  const branch = branchOf({ lineage });
  const author = { ...authorOf(input, caller), branch };
  const commit_id = work.services.ids.next(work.now);
  const [entries, parent, staleOf, check] = await Promise.all([
    EntrySet.load(
      work,
      input.writes.map((write) => ({ ...write, branch, lineage })),
    ),
    queries.getNewestCommit(work.tx, work.account_id, branch),
    staleReadsOf(work, [author]),
    loadContracts(work, [author.agent_id]),
  ]);
  const stale_reads = staleReadsInScope(caller, staleOf(author));
  checkUnchanged(input.if_unchanged, stale_reads);
  const warnings = checkWrites(work, input.writes, { name: 'writes', branch, prepared });
  const written: EntryRow[] = [];
  for (const [i, write] of input.writes.entries()) {
    await pause();
    const draft = { ...toDraft(write, author, work.now), commit_id };
    await entries.compare(draft);
    const { entry, unchanged } = entries.apply(draft, { event_type: 'write', details: { commit_id } }, (one) =>
      check?.(one, `writes.${i}.`),
    );
    if (!unchanged) written.push(entry);
  }
  await entries.save();
  const everyone = written.length === 0 || written.some((entry) => entry.shared === 1);
  const row: queries.CommitRow = {
    account_id: work.account_id,
    commit_id,
    branch,
    message,
    agent_id: author.agent_id,
    session_id: author.session_id,
    parent_id: parent?.commit_id ?? null,
    merged_parent: null,
    tree_hash: treeHashOf(written.map((entry) => entry.content_hash)),
    entry_count: written.length,
    visible_to: everyone ? EVERYONE : author.agent_id,
    seq: 0,
    created_at: work.now,
  };
  row.seq = emitCommit(work, row, author.session);
  work.send(work.tx.insertMany(queries.insertCommit, [row]));
  const view = viewInWork(work, { lineage, agent_id: caller.agent_id, scope: caller.key?.read });
  const parent_id = await parentOf(work.tx, view, row);
  const output = { ...toCommit({ ...row, parent_id }), entries: written.map(toCommitEntry), warnings, stale_reads };
  return changed(output, { resource: commit_id, ...hashedBy(output) });
});

export function emitCommit(work: Work, row: queries.CommitRow, session: string): number {
  const { agent_id, branch, visible_to, commit_id, message, entry_count } = row;
  return work.emit({
    event_type: 'commit',
    agent_id,
    branch,
    entity_path: null,
    key: null,
    version: null,
    visible_to,
    details: { commit_id, message, entries_written: entry_count },
    session,
  });
}

const toCommitEntry = ({ entity_path, key, version, content_hash }: CommitEntry) => ({
  entity_path,
  key,
  version,
  content_hash,
});

const toCommit = (row: queries.CommitRow) => ({
  commit_id: row.commit_id,
  message: row.message,
  author_agent_id: row.agent_id,
  session_id: row.session_id,
  branch: row.branch,
  parent_ids: [row.parent_id, row.merged_parent].filter((id) => id !== null),
  tree_hash: row.tree_hash,
  entries_written: row.entry_count,
  created_at: toIso(row.created_at),
  seq: row.seq,
});

const cursors = cursorsOf('commits', ['number']);

const shownOf = ({ message, agent_id, session_id, branch }: queries.CommitRow) => [
  message,
  agent_id,
  session_id,
  branch,
];

/** About as much as an entry of a commit takes in memory. */
const ENTRY_BYTES = 1024;

const list = reads<'commits.list'>(async (context, input) => {
  const { read, view } = context;
  const before = input.cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(input.cursor)[0];
  const bytes = pageBytes(context.services);
  const listed = await queries.listCommits(read, view, { before, limit: input.limit + 1, bytes });
  const found = withinPage(context.services, listed, shownOf);
  // A key of a scope is shown each commit by its entries, which are loaded.
  const rows = view.scope ? startWithin(found.rows, bytes, ({ entry_count }) => ENTRY_BYTES * entry_count) : found.rows;
  const more = found.more || rows.length < found.rows.length;
  const { items, ...page } = cutPage({ rows, more }, input.limit, (row) => cursors.to([row.seq]));
  // The row after the page is the parent of its last commit.
  const seen = await narrowCommits(context, rows);
  return { commits: seen.slice(0, items.length).map(toCommit), ...page };
});

const read = reads<'commits.read'>(async (context, { commit_id }) => {
  const { caller } = context;
  const row = await queries.getCommit(context.read, caller.account_id, commit_id);
  const [readable] = row ? await readableRows(context, [row]) : [];
  const isOpen = readable && (readable.visible_to === EVERYONE || readable.visible_to === caller.agent_id);
  const seen = isOpen ? await readCommit(context, readable) : undefined;
  if (!seen || (seen.entries.length === 0 && seen.isPartial))
    throw new Fault('not_found', `there is no commit ${commit_id}`, { commit_id });
  return { ...toCommit(seen.row), entries: seen.entries };
});

export const handlers: Handlers = {
  'commits.create': prepares((services, input) => prepareWrites(services, input.writes), create),
  'commits.list': list,
  'commits.read': read,
};
