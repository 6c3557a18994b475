import type { CheckStatus } from '../check-queries.ts';
import type { CountedDecision } from '../deciders.ts';
import type { GivenDecision } from '../review-queries.ts';

/** What a merge into a branch needs. */
export type Protection = {
  required_approvals: number;
  dismisses_approvals: boolean;
  required_checks: readonly string[];
};

export const UNPROTECTED: Protection = { required_approvals: 0, dismisses_approvals: false, required_checks: [] };

export type Blocker = {
  reason: 'approvals' | 'changes_requested' | 'check' | 'conflicts';
  message: string;
  check?: string;
};

/** An approval holds for the branch as the reviewer could see it, where the protection says so. */
export const isDismissed = (
  { decision, source_seq }: Pick<GivenDecision, 'decision' | 'source_seq'>,
  { dismisses_approvals }: Protection,
  sourceSeq: number,
): boolean => decision === 'approved' && dismisses_approvals && source_seq < sourceSeq;

type CountedDecisions = { approvals: number; objections: number };

/** Of the decisions of a reviewer the newest counts, of one entry until the reviewer approves the whole. */
export function countDecisions(
  decisions: readonly CountedDecision[],
  protection: Protection,
  sourceSeq: number,
): CountedDecisions {
  const wholes = new Map<string, GivenDecision>();
  const parts = new Map<string, { by: string; decision: GivenDecision }>();
  for (const one of decisions) {
    const { by } = one;
    if (one.entity_path === null) wholes.set(by, one);
    else parts.set(JSON.stringify([by, one.entity_path, one.key]), { by, decision: one });
  }
  const objecting = new Set<string>();
  for (const [by, one] of wholes) if (one.decision === 'changes_requested') objecting.add(by);
  for (const { by, decision } of parts.values()) {
    const whole = wholes.get(by);
    const isResolved = whole?.decision === 'approved' && whole.no > decision.no;
    if (decision.decision === 'changes_requested' && !isResolved) objecting.add(by);
  }
  const approving = [...wholes].filter(
    ([by, one]) => one.decision === 'approved' && !objecting.has(by) && !isDismissed(one, protection, sourceSeq),
  );
  return { approvals: approving.length, objections: objecting.size };
}

export type CountedCheck = { name: string; status: CheckStatus; isCurrent: boolean };

export const conflictsBlock = (id: string, conflicts: number): Blocker => ({
  reason: 'conflicts',
  message: `${conflicts === 1 ? '1 conflict is' : `${conflicts} conflicts are`} open under the merge id ${id}`,
});

/** What stands in the way of a merge, besides conflicts. */
export function blockersOf(
  { required_approvals, required_checks }: Protection,
  { approvals, objections }: CountedDecisions,
  checks: readonly CountedCheck[],
): Blocker[] {
  const found: Blocker[] = [];
  if (objections > 0)
    found.push({
      reason: 'changes_requested',
      message: objections === 1 ? 'a reviewer asks for changes' : `${objections} reviewers ask for changes`,
    });
  if (approvals < required_approvals)
    found.push({
      reason: 'approvals',
      message:
        required_approvals - approvals === 1
          ? '1 approval is missing'
          : `${required_approvals - approvals} approvals are missing`,
    });
  for (const check of required_checks) {
    const result = checks.find(({ name }) => name === check);
    const is = !result ? 'missing' : result.isCurrent ? result.status : 'older than the last change of the branch';
    if (is !== 'passed') found.push({ reason: 'check', message: `the check ${check} is ${is}`, check });
  }
  return found;
}
