import type { HitName, RecentQuestion } from '@mem-service/server/module';

/** A question that would be answered from other entries after a merge. */
export type ReplayedQuestion = Pick<RecentQuestion, 'question' | 'asked_path' | 'below' | 'trace_ids'> & {
  entered: HitName[];
  left: HitName[];
  first: { before: HitName | null; after: HitName | null } | null;
  lost: HitName[];
};

const nameOf = ({ entity_path, key }: HitName): string => `${entity_path}\n${key}`;

const without = (all: readonly HitName[], others: readonly HitName[]): HitName[] => {
  const names = new Set(others.map(nameOf));
  return all.filter((one) => !names.has(nameOf(one)));
};

/** Compares the answers to a question; undefined where they are the same. */
export function compareHits(
  { question, asked_path, below, trace_ids, helped }: RecentQuestion,
  before: readonly HitName[],
  after: readonly HitName[],
): ReplayedQuestion | undefined {
  const [left, entered] = [without(before, after), without(after, before)];
  const [first, then] = [before[0] ?? null, after[0] ?? null];
  const isSameFirst = first === null || then === null ? first === then : nameOf(first) === nameOf(then);
  if (left.length + entered.length === 0 && isSameFirst) return undefined;
  const lost = left.filter((one) => helped.some((other) => nameOf(other) === nameOf(one)));
  const moved = isSameFirst ? null : { before: first, after: then };
  return { question, asked_path, below, trace_ids, entered, left, first: moved, lost };
}
