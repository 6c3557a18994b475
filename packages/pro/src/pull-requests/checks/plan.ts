import { type Caller, Fault, isInScope, readScope } from '@mem-service/server/module';
import { listAllConflicts } from '../../merges/conflict-queries.ts';
import { endOf, mergeBase } from '../../merges/ends.ts';
import { namesToMerge } from '../../merges/merge.ts';
import { isOpen, type PlannedEntry, type PlanReader, planMerge } from '../../merges/plan.ts';
import { applyResolution, resolutionsOf } from '../../merges/resolve-conflicts.ts';
import type { PullRequestRow } from '../queries.ts';

/** What the merge of a pull request would change, and the conflicts that are not resolved yet. */
export type PullPlan = { entries: readonly PlannedEntry[]; conflicting: readonly PlannedEntry[] };

/** The Fault where more differs than one merge takes. */
export async function planPull(reader: PlanReader, row: PullRequestRow): Promise<PullPlan | Fault> {
  const { query } = reader;
  const { account_id, id } = row;
  const refs = { account_id, read: query };
  const [source, target] = [await endOf(refs, row.source_branch), await endOf(refs, row.target_branch)];
  const base = await mergeBase(refs, source, target);
  try {
    const names = await namesToMerge(refs, { base, source });
    const lineages = { base: base.lineage, source: source.lineage, target: target.lineage };
    const how = { strategy: 'THREE_WAY', detection: 'field' } as const;
    const { entries } = await planMerge(reader, { names, lineages, how });
    const resolutionOf = resolutionsOf(await listAllConflicts(query, { account_id, merge_id: id }));
    for (const planned of entries.filter(isOpen)) {
      const resolution = resolutionOf(planned);
      if (resolution) await applyResolution(planned, resolution);
    }
    return { entries, conflicting: entries.filter(isOpen) };
  } catch (error) {
    if (error instanceof Fault && error.code === 'merge_too_large') return error;
    throw error;
  }
}

/** How many entries differ, of those that the caller may see. */
export function countChanges({ entries }: PullPlan, caller: Caller) {
  const counts = { added: 0, modified: 0, deleted: 0, hidden: 0 };
  for (const { at, contents, isSeen } of entries) {
    const kind = !contents.base ? 'added' : contents.source ? 'modified' : 'deleted';
    counts[isSeen && isInScope(readScope(caller), at.entity_path) ? kind : 'hidden']++;
  }
  return counts;
}
