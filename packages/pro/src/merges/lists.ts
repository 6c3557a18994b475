import {
  cursorsOf,
  cutPage,
  EVERYONE,
  Fault,
  listReadable,
  pageBytes,
  type Query,
  reads,
  withinPage,
} from '@mem-service/server/module';
import { requireEnds } from './access.ts';
import { toMerge } from './answer.ts';
import { endOf, mergeBase, toState } from './ends.ts';
import { getMerge, listMerges, type MergeRow } from './queries.ts';

const cursors = cursorsOf('merges', ['number']);

/** The message may be about entries that others may not see. */
const withMessageFor = (row: MergeRow, agentId: string): MergeRow =>
  row.visible_to === EVERYONE || row.visible_to === agentId ? row : { ...row, message: '' };

const list = reads<'merges.list'>(async (context, { target, status, limit, cursor }) => {
  const { read, caller, services, dialect } = context;
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(cursor)[0];
  const { account_id } = caller;
  const page = { account_id, target, status, before, limit: limit + 1, bytes: pageBytes(services) };
  const rows = await listReadable(context, { columns: ['source', 'target'], dialect }, (filters) =>
    listMerges(read, { ...page, filters }),
  );
  const found = withinPage(services, rows, ({ message, source, agent_id }) => [message, source, agent_id]);
  const { items, ...rest } = cutPage(found, limit, (row) => cursors.to([row.created_seq]));
  return { merges: items.map((row) => toMerge(withMessageFor(row, caller.agent_id))), ...rest };
});

export const noMerge = (mergeId: string): Fault =>
  new Fault('not_found', `there is no merge ${mergeId}`, { merge_id: mergeId });

/** Throws where there is no such merge. */
export async function findMerge(query: Query, accountId: string, mergeId: string): Promise<MergeRow> {
  const row = await getMerge(query, accountId, mergeId);
  if (!row) throw noMerge(mergeId);
  return row;
}

const read = reads<'merges.read'>(async ({ read, caller, services }, { merge_id }) => {
  const row = await findMerge(read, caller.account_id, merge_id);
  await requireEnds(services, caller, { ends: row, permission: 'read' });
  return toMerge(withMessageFor(row, caller.agent_id));
});

const base = reads<'branches.merge_base'>(async ({ read, caller }, input) => {
  const refs = { account_id: caller.account_id, read };
  const [source, target] = [await endOf(refs, input.name), await endOf(refs, input.against)];
  return {
    source: toState(source),
    target: toState(target),
    base: toState(await mergeBase(refs, source, target)),
  };
});

export const listHandlers = { 'merges.list': list, 'merges.read': read, 'branches.merge_base': base };
