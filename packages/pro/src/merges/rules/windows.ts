import type { Lineage } from '@mem-service/server/module';

/** Writes to a branch after one place in the log, up to another or to its end. */
export type WriteWindow = { branch: string; after: number; up_to: number | null };

/**
 * The writes that only one of two lineages shows. An entry that none of them touches is the same in both: branches are nested in the
 * same order in every lineage, so that what hides it in one hides it in the other.
 */
export function windowsBetween(one: Lineage, other: Lineage): WriteWindow[] {
  const branches = [...new Set([...one, ...other].map(({ branch }) => branch))];
  return branches.flatMap((branch) => {
    const [a, b] = [endIn(one, branch), endIn(other, branch)];
    if (a === b) return [];
    const up_to = Math.max(a, b);
    return [{ branch, after: Math.min(a, b), up_to: up_to === Number.POSITIVE_INFINITY ? null : up_to }];
  });
}

function endIn(lineage: Lineage, branch: string): number {
  const span = lineage.find((one) => one.branch === branch);
  return span === undefined ? 0 : (span.up_to_seq ?? Number.POSITIVE_INFINITY);
}
