import {
  type Caller,
  changed,
  EVERYONE,
  exclusive,
  Fault,
  isInScope,
  readScope,
  type Scope,
  type Work,
  writes,
} from '@mem-service/server/module';
import { getPullRequest } from '../pull-requests/queries.ts';
import { requireEnds } from './access.ts';
import { type ConflictRow, listAllConflicts } from './conflict-queries.ts';
import { findMerge, noMerge } from './lists.ts';
import { authorOf } from './merge.ts';
import { requireScope } from './plan.ts';
import type { MergeRow } from './queries.ts';
import { deleteWaiting } from './run-merge.ts';

export const abort = exclusive(
  writes<'merges.abort'>(async (work, { input, caller }) => {
    const { merge_id } = input;
    const merge = await findMerge(work.tx, work.account_id, merge_id);
    await requireEnds(work.services, caller, { ends: merge, permission: 'read_write' });
    const { agent_id, session } = authorOf(input, caller);
    const waiting = await listAllConflicts(work.tx, merge);
    if (!mayKnow(merge, waiting, { agent_id, scope: readScope(caller) })) throw noMerge(merge_id);
    await requireWaiting(work, merge);
    requireScopeOf(waiting, caller);
    const { kind, source, target } = merge;
    const conflicts = waiting.length;
    await deleteWaiting(work, merge);
    work.emit({
      event_type: 'merge_aborted',
      agent_id,
      branch: target,
      entity_path: null,
      key: null,
      version: null,
      visible_to: waiting.some(({ visible_to }) => visible_to === EVERYONE) ? EVERYONE : agent_id,
      details: { merge_id, conflicts },
      session,
    });
    return changed({ merge_id, kind, source, target, conflicts }, { resource: merge_id, before: null, after: null });
  }),
);

type AbortRequest = { agent_id: string; scope: Scope | undefined };

/** What others merge out of sight or scope is not there. */
function mayKnow(merge: MergeRow, conflicts: readonly ConflictRow[], { agent_id, scope }: AbortRequest): boolean {
  const isSeen = ({ visible_to, entity_path }: ConflictRow) =>
    (visible_to === EVERYONE || visible_to === agent_id) && isInScope(scope, entity_path);
  const isOpenToAll = conflicts.length === 0 && scope === undefined;
  return merge.agent_id === agent_id || isOpenToAll || conflicts.some(isSeen);
}

async function requireWaiting({ tx, account_id }: Work, { merge_id, status }: MergeRow): Promise<void> {
  if (status === 'merged')
    throw new Fault('conflict', `the merge ${merge_id} was made: it cannot be given up, only rolled back`, {
      merge_id,
    });
  if (await getPullRequest(tx, account_id, merge_id))
    throw new Fault('conflict', `${merge_id} is the id of a pull request: close that`, { merge_id });
}

const requireScopeOf = (conflicts: readonly ConflictRow[], { key }: Caller): void =>
  requireScope(
    conflicts.map(({ entity_path, key }) => ({ at: { entity_path, key } })),
    { read: key?.read, write: key?.write },
  );
