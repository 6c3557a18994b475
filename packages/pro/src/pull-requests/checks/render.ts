import {
  type Caller,
  type HitName,
  isInScope,
  type Output,
  parseGlob,
  readScope,
  type Scope,
  scopeCovers,
  toIso,
} from '@mem-service/server/module';
import type { CheckRow } from '../check-queries.ts';
import { SHOWN_FINDINGS } from '../limits.ts';
import type { ReplayedQuestion } from './replay.ts';
import { type CheckResult, isSeenBy } from './result.ts';

export type CheckAnswer = Output<'pull_requests.check'>;

type Rendering = { required_checks: readonly string[] };
type Posted = Rendering & { isCurrent: boolean };

/** A check as it is stored. After a merge it is as it was then. */
export const toPostedCheck = (row: CheckRow, { isCurrent, required_checks }: Posted): CheckAnswer => ({
  name: row.check_name,
  status: row.status,
  summary: row.summary,
  is_required: required_checks.includes(row.check_name),
  is_current: isCurrent,
  source_seq: row.source_seq,
  target_seq: row.target_seq,
  findings: [],
  hidden: 0,
  posted_by: row.posted_by,
  updated_at: toIso(row.updated_at),
});

type Ran = Rendering & { source_seq: number; target_seq: number; caller: Caller; now: number };

/** What a caller may see of a check that was run just now. */
export function toRunCheck(
  result: CheckResult,
  { caller, now, required_checks, source_seq, target_seq }: Ran,
): CheckAnswer {
  const { name, status, summary, findings } = result;
  const seen = findings.filter((one) => isSeenBy(one, caller)).slice(0, SHOWN_FINDINGS);
  const asked = result.questions?.filter((one) => mayAsk(readScope(caller), one)).slice(0, SHOWN_FINDINGS);
  const all = findings.length + (result.questions?.length ?? 0);
  return {
    ...{ name, status, summary, is_required: required_checks.includes(name), is_current: true, source_seq, target_seq },
    findings: seen.map(({ entity_path, key, message }) => ({ entity_path, key, message })),
    ...(asked ? { questions: asked.map((one) => toQuestion(one, readScope(caller))) } : {}),
    hidden: all - seen.length - (asked?.length ?? 0),
    posted_by: null,
    updated_at: toIso(now),
  };
}

/** A key with a scope sees questions about paths that it may read. */
function mayAsk(scope: Scope | undefined, { asked_path, below }: ReplayedQuestion): boolean {
  if (scope === undefined) return true;
  const globs = asked_path === null ? [] : [asked_path, ...(below === 1 ? [`${asked_path}/**`] : [])].map(parseGlob);
  return globs.length > 0 && globs.every((glob) => glob !== undefined && scopeCovers(scope, glob));
}

function toQuestion({ below: _, first, ...asked }: ReplayedQuestion, scope: Scope | undefined) {
  const inScope = (hits: readonly HitName[]) => hits.filter(({ entity_path }) => isInScope(scope, entity_path));
  const orNull = (hit: HitName | null) => (hit && isInScope(scope, hit.entity_path) ? hit : null);
  const { entered, left, lost } = asked;
  return {
    ...asked,
    ...{ entered: inScope(entered), left: inScope(left), lost: inScope(lost) },
    first: first && { before: orNull(first.before), after: orNull(first.after) },
  };
}
