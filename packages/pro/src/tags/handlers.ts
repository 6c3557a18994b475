import {
  addStored,
  bytesOfTexts,
  changed,
  cursorsOf,
  cutPage,
  Fault,
  fromIso,
  type Handlers,
  hashedBy,
  invalidInput,
  keepState,
  listReadable,
  pageBytes,
  reads,
  seqAt,
  sessionName,
  toIso,
  type Work,
  withinPage,
  writes,
} from '@mem-service/server/module';
import { resolveRef, stateAt } from '../branches/resolve.ts';
import { branchOfTag } from '../branches/rules/refs.ts';
import { addTag, emitTag } from './add-tag.ts';
import * as queries from './queries.ts';

const create = writes<'tags.create'>(async (work, { input, caller }) => {
  const { name, description, agent_id = caller.agent_id, session_id = caller.session_id } = input;
  const session = sessionName(session_id, caller);
  const row = await addTag(work, { name, description, ...(await placeOf(work, input)), agent_id, session });
  const tag = toTag(row);
  return changed(tag, { resource: name, ...hashedBy(tag) });
});

const remove = writes<'tags.delete'>(async (work, { input, caller }) => {
  const { account_id, tx } = work;
  const row = await queries.getTag(tx, account_id, input.name);
  if (!row) throw new Fault('not_found', `there is no tag ${JSON.stringify(input.name)}`, { name: input.name });
  await work.services.branchAccess.requireUnnamed(caller, row.branch, 'read_write');
  const { agent_id = caller.agent_id, session_id = caller.session_id } = input;
  const session = sessionName(session_id, caller);
  emitTag(work, { ...row, agent_id, session }, 'tag_deleted');
  addStored(work, { storage_bytes: -bytesOfTexts([row.name, row.description]) });
  work.send(queries.deleteTag(tx, account_id, row.name));
  const tag = toTag(row);
  return changed(tag, { resource: row.name, before: hashedBy(tag).after, after: null });
});

type TagPlace = { ref: string; seq?: number | undefined; at?: string | undefined };
type TaggedState = Pick<queries.TagRow, 'branch' | 'seq' | 'is_kept'>;

/** The state that is named: the newest of a branch, that at a given `seq` or time, or that of another ref. */
async function placeOf(work: Work, { ref, seq, at }: TagPlace): Promise<TaggedState> {
  const source = { account_id: work.account_id, read: work.tx };
  const newest = work.account.seq;
  if (seq !== undefined && at !== undefined)
    throw invalidInput([{ path: 'at', message: 'is given together with seq; give one of them' }]);
  if (seq !== undefined && seq > newest)
    throw invalidInput([{ path: 'seq', message: `is beyond the newest place in the log, ${newest}` }]);
  const of = await resolveRef(source, ref);
  const asked = at === undefined ? seq : (await seqAt(work.tx, work.account_id, fromIso(at) + 1)) - 1;
  if (asked === undefined) {
    if (of.seq === null || of.seq === newest) return { branch: of.branch, seq: keepState(work), is_kept: 1 };
    return { branch: of.branch, seq: of.seq, is_kept: Number(of.lineage[0]?.is_kept === true) };
  }
  if (of.seq !== null)
    throw invalidInput([{ path: 'ref', message: 'names a state already; give a branch with seq or at' }]);
  const state = await stateAt(source, { branch: of.branch, seq: asked });
  return { branch: state.branch, seq: asked, is_kept: 0 };
}

const toTag = ({ name, description, branch, seq, agent_id, created_at }: queries.TagRow) => ({
  name,
  branch: branchOfTag(name),
  of_branch: branch,
  description,
  seq,
  agent_id,
  created_at: toIso(created_at),
});

const cursors = cursorsOf('tags', ['number']);

const list = reads<'tags.list'>(async (context, { name, limit, cursor }) => {
  const { read, caller, services, dialect } = context;
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(cursor)[0];
  const bytes = pageBytes(services);
  const asked = { account_id: caller.account_id, name, before, limit: limit + 1, bytes };
  const rows = await listReadable(context, { columns: ['branch'], dialect }, (filters) =>
    queries.listTags(read, { ...asked, filters }),
  );
  const found = withinPage(services, rows, ({ name, description, agent_id }) => [name, description, agent_id]);
  const { items, ...page } = cutPage(found, limit, (row) => cursors.to([row.created_seq]));
  return { tags: items.map(toTag), ...page };
});

export const handlers: Handlers = { 'tags.create': create, 'tags.list': list, 'tags.delete': remove };
