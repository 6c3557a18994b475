import type { GivenDecision } from '../review-queries.ts';
import { isDismissed, type Protection } from './requirements.ts';

/** How a pull request stood when it was merged or closed. */
export type EndState = {
  source_seq: number;
  required_approvals: number;
  required_checks: readonly string[];
  approvals: number;
  /** The numbers of approvals that did not count any more. */
  dismissed: readonly number[];
  /** Checks whose result was older than the last change of the branch. */
  stale_checks: readonly string[];
};

type Ending = {
  source_seq: number;
  /** The last change that decisions had to see. */
  decided_seq: number;
  protection: Protection;
  approvals: number;
  decisions: readonly Pick<GivenDecision, 'no' | 'decision' | 'source_seq'>[];
  checks: readonly { name: string; isCurrent: boolean }[];
};

export function endStateOf({ source_seq, decided_seq, protection, approvals, decisions, checks }: Ending): EndState {
  const { required_approvals, required_checks } = protection;
  const dismissed = decisions.filter((one) => isDismissed(one, protection, decided_seq)).map(({ no }) => no);
  const stale_checks = checks.filter(({ isCurrent }) => !isCurrent).map(({ name }) => name);
  return { source_seq, required_approvals, required_checks, approvals, dismissed, stale_checks };
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isListOf = (is: (item: unknown) => boolean, value: unknown): boolean => Array.isArray(value) && value.every(is);
const isName = (value: unknown): boolean => typeof value === 'string';

/** Describes what is wrong with the end of an imported pull request. */
export function endStateProblem(text: string | null): string | undefined {
  if (text === null) return undefined;
  const end = JSON.parse(text) as Partial<Record<keyof EndState, unknown>>;
  const isWhole =
    isCount(end.source_seq) &&
    isCount(end.required_approvals) &&
    isCount(end.approvals) &&
    isListOf(isName, end.required_checks) &&
    isListOf(isName, end.stale_checks) &&
    isListOf(isCount, end.dismissed);
  return isWhole ? undefined : 'end_state: must say how the pull request stood';
}
