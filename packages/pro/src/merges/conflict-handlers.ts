import {
  bytesOfTexts,
  changed,
  cursorsOf,
  cutPage,
  EVERYONE,
  Fault,
  findEntriesByNumber,
  findTraceOfWrite,
  findVersionTexts,
  type Glob,
  globConditions,
  hashedBy,
  isInScope,
  isQuarantined,
  JsonText,
  missingScope,
  type Output,
  pageBytes,
  parseGlob,
  type ReadContext,
  readScope,
  reads,
  type Scope,
  type Sql,
  scopedPathConditions,
  sql,
  storeMore,
  toIso,
  unchanged,
  type Work,
  withinPage,
  writes,
} from '@mem-service/server/module';
import { requireEnds } from './access.ts';
import * as queries from './conflict-queries.ts';
import { inParts } from './conflicts.ts';
import { toDeletion, toSide } from './diff.ts';
import { findMerge, noMerge } from './lists.ts';
import { toContent } from './load.ts';
import { authorOf } from './merge.ts';
import { setResolved } from './queries.ts';
import { requireValue } from './resolve-conflicts.ts';

type ConflictAnswer = Output<'conflicts.list'>['conflicts'][number];

const toConflict = (row: queries.ConflictRow): ConflictAnswer => ({
  merge_id: row.merge_id,
  no: row.no,
  entity_path: row.entity_path,
  key: row.key,
  reason: row.reason,
  fields: JSON.parse(row.fields) as string[],
  status: row.take === null ? 'open' : 'resolved',
  take: row.take,
  ...(row.value === null ? {} : { value: new JsonText(row.value) }),
  resolved_by: row.resolved_by,
  resolved_at: row.resolved_at === null ? null : toIso(row.resolved_at),
});

const cursors = cursorsOf('conflicts', ['number']);

/** Conditions on the conflicts that an agent may see. */
const seenBy = (agentId: string): Sql => sql`(visible_to = ${EVERYONE} OR visible_to = ${agentId})`;

const ofStatus = (status: 'open' | 'resolved' | undefined): Sql[] =>
  status === undefined ? [] : [status === 'open' ? sql`take IS NULL` : sql`take IS NOT NULL`];

const list = reads<'conflicts.list'>(async ({ read, caller, services }, input) => {
  const { account_id, agent_id } = caller;
  const { merge_id, status, limit } = input;
  const ends = await findMerge(read, account_id, merge_id);
  await requireEnds(services, caller, { ends, permission: 'read' });
  // The first number is 0, and a cursor has no smaller one.
  const after = input.cursor === undefined ? -1 : cursors.from(input.cursor)[0];
  const glob = input.entity_path === undefined ? undefined : (parseGlob(input.entity_path) as Glob);
  const filters = ofStatus(status);
  const seen = [...filters, seenBy(agent_id), ...scopedPathConditions(readScope(caller), glob)];
  const page = { account_id, merge_id, after, filters: seen, limit: limit + 1, bytes: pageBytes(services) };
  const rows = withinPage(services, await queries.listConflicts(read, page), (row) => [
    row.entity_path,
    row.key,
    row.fields,
    row.value,
  ]);
  const { items, ...rest } = cutPage(rows, limit, (row) => cursors.to([row.no]));
  const merge = { account_id, merge_id };
  const all = await queries.countConflicts(read, merge, [...filters, ...globConditions(glob)]);
  const hidden = all - (await queries.countConflicts(read, merge, seen));
  // Of what others merge out of sight there is nothing to count.
  if (all > 0 && hidden === all && ends.agent_id !== agent_id) throw noMerge(merge_id);
  return { conflicts: items.map(toConflict), hidden, ...rest };
});

const noConflict = (merge_id: string, no: number): Fault =>
  new Fault('not_found', `the merge ${merge_id} has no conflict ${no}`, { merge_id, no });

const maySee = ({ visible_to, entity_path }: queries.ConflictRow, agentId: string, scope: Scope | undefined): boolean =>
  (visible_to === EVERYONE || visible_to === agentId) && isInScope(scope, entity_path);

const read = reads<'conflicts.read'>(async (context, { merge_id, no }) => {
  const { caller } = context;
  const { account_id, agent_id } = caller;
  const row = await queries.getConflict(context.read, { account_id, merge_id }, no);
  if (!row || !maySee(row, agent_id, readScope(caller))) throw noConflict(merge_id, no);
  const ends = await findMerge(context.read, account_id, merge_id);
  await requireEnds(context.services, caller, { ends, permission: 'read' });
  const { base_entry, base_version, source_entry, source_version, target_entry, target_version } = row;
  const held = await quarantinedAmong(context, [base_entry, source_entry, target_entry]);
  const side = (entry_id: number | null, version: number | null) =>
    entry_id === null || held.has(entry_id) ? null : sideOf(context, entry_id, version);
  return {
    ...toConflict(row),
    base: await side(base_entry, base_version),
    source: await side(source_entry, source_version),
    target: await side(target_entry, target_version),
    ...(held.size > 0 ? { quarantined: true as const } : {}),
  };
});

/** The numbers of entries that were put under quarantine since. */
async function quarantinedAmong({ read, caller }: ReadContext, ids: readonly (number | null)[]): Promise<Set<number>> {
  const numbers = ids.flatMap((entry_id) => (entry_id === null ? [] : [{ entry_id }]));
  const heads = await findEntriesByNumber(read, caller.account_id, numbers);
  return new Set(heads.flatMap((head) => (head && isQuarantined(head) ? [head.entry_id] : [])));
}

/** A version as it was when the conflict was found. */
async function sideOf(context: ReadContext, entry_id: number, version: number | null) {
  if (version === null) return null;
  const { read, caller } = context;
  const [text] = await findVersionTexts(read, caller.account_id, [{ entry_id, version }]);
  if (!text) return null;
  const content = await toContent(text);
  const side = (text.deleted === 1 ? toDeletion : toSide)({ ...content, ...content.origin, seq: text.seq }, content);
  return side && { ...side, trace_id: await findTraceOfWrite(context, text.seq) };
}

const resolve = writes<'conflicts.resolve'>(async (work, { input, caller }) => {
  const { merge_id, no, take } = input;
  requireValue(input, 'value');
  const { account_id, tx, now } = work;
  const merge = await findMerge(tx, account_id, merge_id);
  await requireEnds(work.services, caller, { ends: merge, permission: 'read_write' });
  const { agent_id, session } = authorOf(input, caller);
  const chosen = await chosenConflicts(work, input, { agent_id, scope: readScope(caller) });
  const outside = chosen.find(({ entity_path }) => !isInScope(caller.key?.write, entity_path));
  if (outside) throw missingScope('WRITE', { kind: 'exact', path: outside.entity_path });
  if (no !== undefined && chosen.length === 0) throw noConflict(merge_id, no);
  if (chosen.length === 0) return unchanged(await answerOf(work, merge_id, 0));
  const value = input.value?.text ?? null;
  storeMore(
    work,
    chosen.reduce((sum, row) => sum + bytesOfTexts([value]) - bytesOfTexts([row.value]), 0),
  );
  const resolved = chosen.map((row) => ({ ...row, take, value, resolved_by: agent_id, resolved_at: now }));
  await inParts(resolved, (rows) => tx.updateMany(queries.updateResolutions, rows));
  const answer = await answerOf(work, merge_id, resolved.length);
  const seq = work.emit({
    event_type: 'conflict_resolved',
    agent_id,
    branch: merge.target,
    entity_path: null,
    key: null,
    version: null,
    visible_to: chosen.some(({ visible_to }) => visible_to === EVERYONE) ? EVERYONE : agent_id,
    details: { merge_id, resolved: resolved.length, take },
    session,
  });
  work.send(setResolved(tx, merge, seq));
  const resource = `${merge_id}/${no ?? input.entity_path}${input.key === undefined ? '' : `/${input.key}`}`;
  return changed(answer, { resource, ...hashedBy(answer) });
});

async function answerOf({ tx, account_id }: Work, merge_id: string, resolved: number) {
  return { merge_id, resolved, open: await queries.countConflicts(tx, { account_id, merge_id }, ofStatus('open')) };
}

type Chooser = { agent_id: string; scope: Scope | undefined };
type Chosen = { merge_id: string; no?: number | undefined; entity_path?: string | undefined; key?: string | undefined };

/** One conflict by its number, or all at a path. */
async function chosenConflicts(
  { tx, account_id }: Work,
  { merge_id, no, entity_path, key }: Chosen,
  { agent_id, scope }: Chooser,
): Promise<queries.ConflictRow[]> {
  if (no !== undefined) {
    const row = await queries.getConflict(tx, { account_id, merge_id }, no);
    return row && maySee(row, agent_id, scope) ? [row] : [];
  }
  const glob = parseGlob(entity_path as string) as Glob;
  const named = key === undefined ? [] : [sql`key = ${key}`];
  const filters = [seenBy(agent_id), ...scopedPathConditions(scope, glob), ...named];
  return queries.listAllConflicts(tx, { account_id, merge_id }, filters);
}

export const conflictHandlers = { 'conflicts.list': list, 'conflicts.read': read, 'conflicts.resolve': resolve };
