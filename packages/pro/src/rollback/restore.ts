import {
  branchOf,
  type EntryRow,
  EntrySet,
  Fault,
  findEarlierVersions,
  findEntriesIn,
  isLive,
  isQuarantined,
  MAX_MOVED_BYTES,
  mayAgentSee,
  pause,
  viewInWork,
  type Work,
} from '@mem-service/server/module';
import type { RestoredName, Selection } from './candidates.ts';
import { draftBack, type StoredState } from './draft-back.ts';

export type RestoreRun = Selection & {
  seq: number;
  /** The agent that rolls back. */
  agent_id: string;
  dry_run: boolean;
  rollback_id: string;
  /** Called before the first change is stored. */
  begin(): Promise<void>;
};

export type Restored = RestoredName & {
  action: 'restore' | 'delete';
  current: EntryRow | undefined;
  earlier: StoredState | undefined;
};

/** `hidden` counts those that only another agent may see, now or then: they stay as they are. */
export type RestoredEntries = { done: Restored[]; hidden: number };

const ENTRIES_PER_STEP = 100;

/** Brings entries back to an earlier state, some at a time. A dry run only decides. */
export async function restoreEntries(
  work: Work,
  names: readonly RestoredName[],
  part: RestoreRun,
): Promise<RestoredEntries> {
  const done: Restored[] = [];
  let hidden = 0;
  let bytes = 0;
  for (let at = 0; at < names.length; at += ENTRIES_PER_STEP) {
    const step = await restoreStep(work, names.slice(at, at + ENTRIES_PER_STEP), part);
    for (const { action, earlier } of step.done) if (action === 'restore') bytes += earlier?.document.length ?? 0;
    if (bytes > MAX_MOVED_BYTES) throw tooLong();
    done.push(...step.done);
    hidden += step.hidden;
    await pause();
  }
  return { done, hidden };
}

const tooLong = () =>
  new Fault('conflict', 'the entries to restore are too long for one step: narrow it by entity_path', {
    max_bytes: MAX_MOVED_BYTES,
  });

async function restoreStep(work: Work, names: readonly RestoredName[], part: RestoreRun): Promise<RestoredEntries> {
  const { now: lineage, agent_id, rollback_id } = part;
  const branch = branchOf({ lineage });
  const places = names.map((name) => ({ ...name, branch, lineage }));
  const entries = await EntrySet.load(work, places);
  const states = await findStates(work, { names, part, current: places.map((at) => entries.get(at)) });
  const done: Restored[] = [];
  let hidden = 0;
  for (const [i, name] of names.entries()) {
    await pause();
    const current = entries.get({ ...name, branch });
    const earlier = states[i];
    if (isQuarantined(current)) continue;
    const draft = draftBack(current, earlier, { ...name, branch, agent_id, now: work.now });
    if (!draft) continue;
    if (isHidden({ current, earlier, agent_id, now: work.now })) {
      hidden++;
      continue;
    }
    const isDeletion = draft.value === undefined;
    const details = isDeletion ? { rollback_id } : { rollback_id, restored_from: earlier?.version };
    const reason = { event_type: isDeletion ? 'delete' : 'write', details, actor_agent_id: agent_id };
    await entries.compare(draft);
    if (entries.apply(draft, reason).unchanged) continue;
    const action = isDeletion ? 'delete' : 'restore';
    done.push({ ...name, action, current, earlier });
  }
  if (part.dry_run || done.length === 0) return { done, hidden };
  await part.begin();
  await entries.save();
  await work.waitForSent();
  return { done, hidden };
}

type Shown = { current: EntryRow | undefined; earlier: StoredState | undefined; agent_id: string; now: number };

const isHidden = ({ current, earlier, agent_id, now }: Shown): boolean =>
  [current, earlier].some((state) => isLive(state, now) && !mayAgentSee(state, agent_id));

type States = { names: readonly RestoredName[]; part: RestoreRun; current: readonly (EntryRow | undefined)[] };

/**
 * The state that each entry goes back to, in the order of the names. That of the branch itself is found by the numbers of its
 * entries; only what it inherited is looked up by name.
 */
async function findStates(work: Work, { names, part, current }: States): Promise<(StoredState | undefined)[]> {
  const { account_id, tx, dialect } = work;
  const branch = branchOf({ lineage: part.now });
  const entry_ids = current.flatMap((row) => (row?.branch === branch ? row.entry_id : []));
  const own = await findEarlierVersions(tx, dialect, { account_id, entry_ids, seq: part.seq, without: part.agent_ids });
  const byNumber = new Map(own.map((row) => [row.entry_id, row]));
  const found = current.map((row) => byNumber.get(row?.entry_id ?? 0));
  if (part.past.length === 1) return found;
  const view = viewInWork(work, { lineage: part.past, agent_id: part.agent_id });
  const others = names.filter((_, i) => !found[i]);
  const rows = others.length === 0 ? [] : await findEntriesIn(tx, view, others);
  const byName = new Map(rows.map((row) => [nameOf(row), row]));
  return names.map((name, i) => found[i] ?? byName.get(nameOf(name)));
}

const nameOf = ({ entity_path, key }: RestoredName): string => `${entity_path}\n${key}`;
