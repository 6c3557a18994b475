import {
  changed,
  cursorsOf,
  cutPage,
  fromIso,
  type Handlers,
  hashedBy,
  invalidInput,
  MAIN_BRANCH,
  pageBytes,
  reads,
  seqAt,
  sessionName,
  toIso,
  type Work,
  withinPage,
  writes,
} from '@mem-service/server/module';
import { branchOfTag } from '../branches/rules/refs.ts';
import { addTag } from './add-tag.ts';
import * as queries from './queries.ts';

const create = writes<'tags.create'>(async (work, { input, caller }) => {
  const { name, description, agent_id = caller.agent_id, session_id = caller.session_id } = input;
  const seq = await placeOf(work, input);
  const session = sessionName(session_id, caller);
  const row = await addTag(work, { name, description, branch: MAIN_BRANCH, seq, agent_id, session });
  const tag = toTag(row);
  return changed(tag, { resource: name, ...hashedBy(tag) });
});

/** Returns the requested `seq`: the given one, the last one at a time, or the newest. */
async function placeOf(
  work: Work,
  { seq, at }: { seq?: number | undefined; at?: string | undefined },
): Promise<number> {
  const newest = work.account.seq;
  if (seq !== undefined && at !== undefined)
    throw invalidInput([{ path: 'at', message: 'is given together with seq; give one of them' }]);
  if (seq !== undefined && seq > newest)
    throw invalidInput([{ path: 'seq', message: `is beyond the newest place in the log, ${newest}` }]);
  if (at === undefined) return seq ?? newest;
  return (await seqAt(work.tx, work.account_id, fromIso(at) + 1)) - 1;
}

const toTag = ({ name, description, seq, agent_id, created_at }: queries.TagRow) => ({
  name,
  branch: branchOfTag(name),
  description,
  seq,
  agent_id,
  created_at: toIso(created_at),
});

const cursors = cursorsOf('tags', ['number']);

const list = reads<'tags.list'>(async ({ read, caller, services }, { name, limit, cursor }) => {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(cursor)[0];
  const bytes = pageBytes(services);
  const rows = await queries.listTags(read, { account_id: caller.account_id, name, before, limit: limit + 1, bytes });
  const found = withinPage(services, rows, ({ name, description, agent_id }) => [name, description, agent_id]);
  const { items, ...page } = cutPage(found, limit, (row) => cursors.to([row.created_seq]));
  return { tags: items.map(toTag), ...page };
});

export const handlers: Handlers = { 'tags.create': create, 'tags.list': list };
