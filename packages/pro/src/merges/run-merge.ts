import {
  bytesOfTexts,
  type Caller,
  commitMerge,
  EVERYONE,
  Fault,
  invalidInput,
  type Lineage,
  listChangedHeads,
  pause,
  storeMore,
  viewInWork,
  type Work,
} from '@mem-service/server/module';
import { deleteConflicts, listAllConflicts } from './conflict-queries.ts';
import { conflictsFault, storeConflicts } from './conflicts.ts';
import type { MergeEnd } from './ends.ts';
import { evidenceOf, mergeEvidence } from './evidence.ts';
import { MAX_MERGED_BYTES, MAX_MERGES } from './limits.ts';
import type { MergedName } from './load.ts';
import {
  isOpen,
  kindOfChange,
  type MergePlan,
  type PlannedEntry,
  planMerge,
  requireScope,
  tooManyBytes,
} from './plan.ts';
import * as queries from './queries.ts';
import { applyResolution, type Resolution, resolutionsOf } from './resolve-conflicts.ts';
import type { Three } from './rules/json.ts';
import type { Detection } from './rules/states.ts';
import type { MergeStrategy } from './rules/strategy.ts';
import { type MergeAuthor, writeMerged } from './write.ts';

/** A merge as it is asked for, with everything looked up that it names. */
export type MergeRequest = {
  kind: queries.MergeKind;
  merge_id: string;
  caller: Caller;
  author: MergeAuthor;
  ends: Three<MergeEnd>;
  /** What the source may have changed, or has evidence about. */
  names: readonly MergedName[];
  strategy: MergeStrategy;
  detection: Detection;
  message: string;
  resolutionOf: (at: MergedName) => Resolution | undefined;
  expected_head: number | undefined;
  dry_run: boolean;
  /** Says why what would be written may not be. */
  review?: ((entries: readonly PlannedEntry[]) => Promise<Fault | undefined>) | undefined;
  /** Something changes even where no entry does. */
  isMore?: boolean;
  /** A merge of this id that waits for its conflicts to be resolved. */
  waiting: queries.MergeRow | undefined;
};

export type MergeOutcome =
  | {
      row: queries.MergeRow;
      conflicting: PlannedEntry[];
      /** The target has everything already. */
      isNothing: boolean;
    }
  | Fault;

/** Plans a merge and, unless something stands in its way, makes it. Nothing is written where it is refused, but its conflicts are. */
export async function runMerge(work: Work, request: MergeRequest): Promise<MergeOutcome> {
  const { ends, caller, strategy, names } = request;
  const { lineage } = ends.target;
  await requireHead(work, request);
  const view = viewInWork(work, { lineage, agent_id: request.author.agent_id });
  const lineages: Three<Lineage> = {
    base: ends.base.lineage,
    source: ends.source.lineage,
    target: ends.target.lineage,
  };
  const plan = await planMerge({ query: work.tx, view }, { names, lineages, how: request });
  requireScope(plan.entries, { read: caller.key?.read, write: caller.key?.write });
  if (strategy === 'FAST_FORWARD') requireUnmoved(plan, ends.target);
  else await resolve(work, plan, request);
  const open = plan.entries.filter(isOpen);
  const row = await newRow(work, request, plan);
  const isNothing = plan.entries.length === 0 && !request.isMore && (await evidenceOf(work, request)).length === 0;
  if (request.dry_run) return { row, conflicting: open, isNothing };
  const refusal = await request.review?.(plan.entries);
  if (open.length > 0) await storeConflicts(work, { row, open, waiting: request.waiting });
  if (refusal) return refusal;
  if (open.length > 0) return conflictsFault(row, open);
  if (!isNothing) await makeMerge(work, request, { plan, row });
  return { row, conflicting: [], isNothing };
}

async function requireHead(
  { tx, account_id, account }: Work,
  { expected_head, ends: { target } }: MergeRequest,
): Promise<void> {
  if (expected_head === undefined) return;
  if (expected_head > account.seq)
    throw invalidInput([{ path: 'expected_head', message: `is beyond the newest place in the log, ${account.seq}` }]);
  const later = await listChangedHeads(tx, { account_id, branch: target.branch, after: expected_head, limit: 1 });
  if (later.length > 0) throw moved(target.branch, `${target.branch} was written to after ${expected_head}`);
}

const moved = (branch: string, message: string): Fault => new Fault('target_moved', message, { branch });

function requireUnmoved({ entries }: MergePlan, { branch }: MergeEnd): void {
  const n = entries.filter(({ hasMoved }) => hasMoved).length;
  if (n > 0) throw moved(branch, `${branch} has changed ${n} of the entries since: merge with THREE_WAY`);
}

/** What the caller says about a conflict counts more than what was decided before. */
async function resolve(work: Work, plan: MergePlan, { resolutionOf, waiting }: MergeRequest): Promise<void> {
  const stored = resolutionsOf(waiting ? await listAllConflicts(work.tx, waiting) : []);
  let bytes = 0;
  for (const planned of plan.entries.filter(isOpen)) {
    await pause();
    const given = planned.isSeen ? resolutionOf(planned.at) : undefined;
    const resolution = given ?? stored(planned);
    bytes += resolution?.value?.length ?? 0;
    if (bytes > MAX_MERGED_BYTES) throw tooManyBytes(bytes);
    if (resolution) await applyResolution(planned, resolution);
  }
}

/** As for a commit: something that everyone may see, or only the branches as a whole. */
const isAboutShared = (kind: queries.MergeKind, entries: readonly PlannedEntry[]): boolean =>
  entries.length === 0
    ? kind !== 'cherry_pick'
    : entries.some(({ rows }) => rows.source?.shared === 1 || rows.target?.shared === 1);

async function newRow(work: Work, request: MergeRequest, { entries, hidden }: MergePlan): Promise<queries.MergeRow> {
  const { kind, merge_id, ends, strategy, detection, message, author } = request;
  const counts = { added: 0, modified: 0, deleted: 0 };
  for (const planned of entries) {
    await pause();
    const change = kindOfChange(planned, work.now);
    if (change) counts[change]++;
  }
  const conflicts = entries.filter(isOpen).length;
  const hasBase = kind !== 'cherry_pick';
  return {
    account_id: work.account_id,
    ...{ merge_id, kind, strategy, detection, message, hidden, conflicts },
    status: conflicts > 0 ? 'conflicts' : 'merged',
    source: ends.source.branch,
    source_seq: ends.source.seq,
    target: ends.target.branch,
    target_seq: ends.target.seq,
    base_branch: hasBase ? ends.base.branch : null,
    base_seq: hasBase ? ends.base.seq : null,
    agent_id: author.agent_id,
    visible_to: isAboutShared(kind, entries) ? EVERYONE : author.agent_id,
    ...counts,
    judged: 0,
    commit_id: null,
    head_seq: null,
    resolved_seq: request.waiting?.resolved_seq ?? null,
    created_seq: work.account.seq,
    created_at: work.now,
  };
}

const EVENTS = { merge: 'branch_merged', refresh: 'branch_refreshed', cherry_pick: 'cherry_pick' } as const;

async function makeMerge(
  work: Work,
  request: MergeRequest,
  { plan, row }: { plan: MergePlan; row: queries.MergeRow },
): Promise<void> {
  const { tx, account_id } = work;
  const { kind, merge_id, ends, strategy, message, author, waiting } = request;
  const { source, target } = ends;
  if (await queries.hasMerges(tx, account_id, { count: MAX_MERGES }))
    throw new Fault('conflict', `the account has ${MAX_MERGES} merges, and can have no more`, {
      max_merges: MAX_MERGES,
    });
  const commit_id = work.services.ids.next(work.now);
  const isSquashed = strategy === 'SQUASH';
  const writes = { merge_id, commit_id, target, author, isSquashed, entries: plan.entries };
  const { written, counts } = await writeMerged(work, writes);
  Object.assign(row, counts);
  if (written.length > 0) {
    row.commit_id = commit_id;
    const from = isSquashed || kind === 'cherry_pick' ? undefined : source;
    row.visible_to = await commitMerge(work, {
      commit_id,
      target,
      source: from,
      message,
      author,
      written,
    });
  }
  if (waiting) await deleteWaiting(work, waiting);
  storeMore(work, bytesOfTexts([message]));
  const { added, modified, deleted } = counts;
  row.head_seq = work.emit({
    event_type: EVENTS[kind],
    agent_id: author.agent_id,
    branch: kind === 'merge' ? source.branch : target.branch,
    entity_path: null,
    key: null,
    version: null,
    visible_to: row.visible_to,
    details: {
      merge_id,
      branch: source.branch,
      source: source.branch,
      target: target.branch,
      strategy,
      added,
      modified,
      deleted,
      entries: written.length,
    },
    session: author.session,
  });
  row.created_seq = row.head_seq;
  row.judged = await mergeEvidence(work, request, row.head_seq);
  work.send(tx.insertMany(queries.insertMerge, [row]));
}

/** Removes a merge that waited, with its conflicts. */
export async function deleteWaiting(work: Work, waiting: queries.MergeRow): Promise<void> {
  const conflicts = await listAllConflicts(work.tx, waiting);
  const freed = bytesOfTexts([waiting.message, ...conflicts.map(({ value }) => value)]);
  await deleteConflicts(work.tx, waiting);
  await queries.deleteMerge(work.tx, work.account_id, waiting.merge_id);
  storeMore(work, -freed);
}
