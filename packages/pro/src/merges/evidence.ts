import {
  type ComparedRow,
  isLive,
  type Lineage,
  listJudgedNames,
  MAIN_BRANCH,
  type Query,
  type SharedEvidence,
  shareEvidence,
  viewInWork,
  type Work,
} from '@mem-service/server/module';
import { MAX_MERGED_ENTRIES } from './limits.ts';
import { loadRows, type MergedName, nameText } from './load.ts';
import { requireScope, tooManyEntries } from './plan.ts';
import type { WriteWindow } from './rules/windows.ts';
import type { MergeRequest } from './run-merge.ts';

/** Names of entries that outcomes on branches other than `main` were about within windows. */
export async function namesJudged(
  query: Query,
  accountId: string,
  windows: readonly WriteWindow[],
): Promise<MergedName[]> {
  const names: MergedName[] = [];
  for (const { branch, after, up_to } of windows) {
    if (branch === MAIN_BRANCH) continue;
    const most = MAX_MERGED_ENTRIES + 1;
    names.push(...(await listJudgedNames(query, accountId, { branch, after, up_to, most })));
    if (names.length > MAX_MERGED_ENTRIES) throw tooManyEntries();
  }
  return names;
}

type FoundEvidence = SharedEvidence & { at: MergedName };

/** Evidence of the source about entries that the target has alike now. */
export async function evidenceOf(work: Work, { names, ends }: MergeRequest): Promise<FoundEvidence[]> {
  const of = (lineage: Lineage) => loadRows(work.tx, viewInWork(work, { lineage, agent_id: '' }), names);
  const source = await of(ends.source.lineage);
  const judged = names.filter((at) => isJudged(source.get(nameText(at)), work.now));
  if (judged.length === 0) return [];
  const target = await of(ends.target.lineage);
  const { branch, lineage } = ends.target;
  return judged.flatMap((at): FoundEvidence[] => {
    const [theirs, ours] = [source.get(nameText(at)) as ComparedRow, target.get(nameText(at))];
    const isAlike = isLive(ours, work.now) && ours.content_hash === theirs.content_hash && !isSameLine(ours, theirs);
    return isAlike ? [{ at, source: theirs, target: { ...at, branch, lineage } }] : [];
  });
}

/** Lets the target take it over. */
export async function mergeEvidence(work: Work, request: MergeRequest, seq: number): Promise<number> {
  const { caller } = request;
  const shared = await evidenceOf(work, request);
  requireScope(shared, { read: caller.key?.read, write: caller.key?.write });
  return shared.length === 0 ? 0 : shareEvidence(work, { seq, by: caller.agent_id }, shared);
}

const isJudged = (row: ComparedRow | undefined, now: number): boolean =>
  isLive(row, now) && row.standing !== null && row.line_seq !== null;

const isSameLine = (one: ComparedRow, other: ComparedRow): boolean =>
  one.line_seq === other.line_seq && one.line_no === other.line_no;
