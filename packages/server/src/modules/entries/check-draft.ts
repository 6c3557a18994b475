import { Fault } from '@mem-service/contract';
import { requireRoom, type Work } from '../../kernel/index.ts';
import type { WriteReason } from './emit.ts';
import type { EntryRow } from './rows.ts';
import { type EntryDraft, isLive, mayAgentSee } from './rules/next.ts';
import { isQuarantined } from './rules/state.ts';

/** Throws where only merges write to the branch. */
export function refuseProtected(work: Work, { branch }: { branch: string }, reason?: WriteReason): void {
  if (reason?.despite_protection || !work.protectedBranches.has(branch)) return;
  throw new Fault('branch_protected', `the branch ${JSON.stringify(branch)} is changed by merges only`, { branch });
}

/** Throws when the draft is not allowed to change the entry. */
export function checkDraft(
  before: EntryRow | undefined,
  draft: EntryDraft,
  { now, reason }: { now: number; reason: WriteReason },
): void {
  const there = isLive(before, now);
  const isOwn = reason.actor_agent_id === undefined;
  if (isOwn && before && (there || isQuarantined(before)) && !mayAgentSee(before, draft.agent_id))
    throw new Fault('forbidden', 'this key belongs to an entry that only its author may see and change');
  if (isOwn && there && draft.shared === false && before.shared === 1 && before.agent_id !== draft.agent_id)
    throw new Fault('forbidden', 'only the agent that wrote an entry last may make it private');
  if (isQuarantined(before)) throw underQuarantine(draft);
  const { if_version, if_exists } = draft;
  const current = there ? before.version : 0;
  if (if_version !== undefined && if_version !== current)
    throw conflict(draft, current, `the entry is at version ${current}, not ${if_version}`);
  if (if_exists && !there) throw conflict(draft, current, 'there is no such entry to write to');
}

/** Where plans bound what accounts store. The names around a value are counted, but not a reason to refuse it. */
export function requireRoomFor(work: Work, value: string, own: EntryRow | undefined): void {
  if (work.services.boundsOf === undefined) return;
  requireRoom(work, { bytes: Buffer.byteLength(value), entries: own?.deleted === 0 ? 0 : 1 });
}

const underQuarantine = ({ entity_path, key }: EntryDraft): Fault =>
  new Fault('entry_quarantined', 'the entry is under quarantine: it can be written to when that is undone', {
    entity_path,
    key,
  });

const conflict = ({ entity_path, key }: EntryDraft, current_version: number, message: string): Fault =>
  new Fault('version_conflict', message, { entity_path, key, current_version });
