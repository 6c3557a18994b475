import type { BranchSpan, Lineage } from '@mem-service/server/module';

/** A branch may be nested so deep below `main`. */
export const MAX_DEPTH = 16;

export type Fork = { parent: string; fork_seq: number; is_kept: boolean; inherited: Lineage };

/** What a branch shows besides its own writes: its parent up to the fork, and what that inherited there. */
export function spansOfFork({ parent, fork_seq, is_kept, inherited }: Fork): Lineage {
  const span: BranchSpan = { branch: parent, up_to_seq: fork_seq };
  return [is_kept ? { ...span, is_kept: true } : span, ...inherited];
}

export const parseSpans = (json: string): Lineage => JSON.parse(json) as Lineage;

/** What one lineage shows of each branch beyond another: its writes after a `seq`, up to another or to its newest one. */
export function newerSpans(then: Lineage, now: Lineage): { branch: string; after: number; until: number | null }[] {
  return now.flatMap(({ branch, up_to_seq: until }) => {
    const before = then.find((span) => span.branch === branch);
    const after = before ? before.up_to_seq : 0;
    return after === null || after === until ? [] : [{ branch, after, until }];
  });
}
