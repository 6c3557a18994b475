import {
  branchOf,
  changed,
  cursorsOf,
  cutPage,
  EVERYONE,
  exclusive,
  fromDocument,
  type Handler,
  hashedBy,
  type Input,
  invalidInput,
  JsonText,
  pageBytes,
  parseGlob,
  sessionName,
  startWithin,
  unchanged,
  type Work,
  writes,
} from '@mem-service/server/module';
import { stateAt } from '../branches/index.ts';
import { addTag } from '../tags/add-tag.ts';
import { findCandidates, type Selection } from './candidates.ts';
import { authorsOfSource, type StoredState } from './draft-back.ts';
import { type Restored, type RestoredEntries, restoreEntries } from './restore.ts';
import { findTarget } from './target.ts';

type RollbackInput = Input<'rollback.run'>;

const run = writes<'rollback.run'>(async (work, { input, caller, lineage }) => {
  await work.locked;
  const { agent_id = caller.agent_id, session_id = caller.session_id, dry_run } = input;
  const actor = { agent_id, session: sessionName(session_id, caller) };
  const branch = branchOf({ lineage });
  const seq = await findTarget(work, input, { branch, caller });
  const { lineage: past } = await stateAt({ account_id: work.account_id, read: work.tx }, { branch, seq });
  const selection: Selection = { now: lineage, past, ...filtersOf(input) };
  const names = await findCandidates(work, selection);
  const rollback_id = work.services.ids.next(work.now);
  const undo_tag = `rollback/${rollback_id}`;
  const before = work.account.seq;
  const mark = work.mark();
  let isBegun = false;
  const begin = async () => {
    if (isBegun) return;
    isBegun = true;
    const description = `before the rollback of ${branch} to ${seq}`;
    await addTag(work, { name: undo_tag, description, branch, seq: before, ...actor });
  };
  const restored = await restoreEntries(work, names, { ...selection, seq, agent_id, dry_run, rollback_id, begin });
  if (dry_run) work.reset(mark);
  const isChanged = isBegun;
  const answer = {
    rollback_id: isChanged ? rollback_id : null,
    branch,
    seq,
    dry_run,
    tag: isChanged ? undo_tag : null,
    ...countsOf(restored),
    ...pageOf(work, restored.done, input),
  };
  if (!isChanged) return unchanged(answer);
  emitRollback(work, {
    branch,
    actor,
    details: { ...detailsOf(input, seq), rollback_id, undo_tag, ...countsOf(restored) },
  });
  return changed(answer, { resource: rollback_id, ...hashedBy(answer) });
});

function filtersOf({ entity_path, written_by, source }: RollbackInput): Pick<Selection, 'glob' | 'agent_ids'> {
  if (written_by !== undefined && source !== undefined)
    throw invalidInput([{ path: 'source', message: 'is given together with written_by; give one of them' }]);
  const glob = entity_path === undefined ? undefined : parseGlob(entity_path);
  if (source !== undefined) return { glob, agent_ids: authorsOfSource(source) };
  return { glob, agent_ids: written_by === undefined ? undefined : [written_by] };
}

const countsOf = ({ done, hidden }: RestoredEntries) => ({
  entries_restored: done.filter(({ action }) => action === 'restore').length,
  entries_deleted: done.filter(({ action }) => action === 'delete').length,
  hidden,
});

const detailsOf = ({ tag, at }: RollbackInput, seq: number) => ({
  seq,
  ...(tag === undefined ? {} : { tag }),
  ...(at === undefined ? {} : { timestamp: at }),
});

type RollbackEvent = {
  branch: string;
  actor: { agent_id: string; session: string };
  details: Record<string, unknown>;
};

const emitRollback = (work: Work, { branch, actor, details }: RollbackEvent) =>
  work.emit({
    event_type: 'rollback',
    branch,
    entity_path: null,
    key: null,
    version: null,
    visible_to: EVERYONE,
    details,
    ...actor,
  });

const cursors = cursorsOf('rollback', ['number']);

/** The changes from the cursor on. */
function pageOf(work: Work, done: readonly Restored[], { dry_run, limit, cursor }: RollbackInput) {
  const from = cursor === undefined ? 0 : cursors.from(cursor)[0];
  const shown = done.flatMap((one, place) => (place < from ? [] : [{ one, place }]));
  const bytesOf = ({ one: { current, earlier } }: { one: Restored }) =>
    512 + (dry_run ? (current?.document.length ?? 0) + (earlier?.document.length ?? 0) : 0);
  const rows = startWithin(shown.slice(0, limit + 1), pageBytes(work.services), bytesOf);
  const found = { rows, more: rows.length < shown.length };
  const { items, ...page } = cutPage(found, limit, ({ place }) => cursors.to([place + 1]));
  return { changes: items.map(({ one }) => toChange(one, dry_run)), ...page };
}

function toChange({ entity_path, key, action, current, earlier }: Restored, dry_run: boolean) {
  const change = {
    entity_path,
    key,
    action,
    version: current?.version ?? 0,
    restored_version: action === 'restore' ? (earlier?.version ?? null) : null,
  };
  if (!dry_run) return change;
  return {
    ...change,
    ...shownValue('value', current),
    ...(action === 'restore' ? shownValue('restored_value', earlier) : {}),
  };
}

const shownValue = (name: 'value' | 'restored_value', state: StoredState | undefined) =>
  state?.deleted === 0 ? { [name]: new JsonText(fromDocument(state).value) } : {};

export const runRollback: Handler<'rollback.run'> = exclusive(run);
