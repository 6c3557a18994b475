const LEAST = 5;
/** Where the plan sets no limit. */
const MOST = 100_000;
/** A burst is no rate yet: a lease grows by this factor at a time. */
const GROWTH = 4;

export type Spending = {
  /** Ops of the lease before; 0 where there was none. */
  size: number;
  /** Ops spent since it was asked for, and in how many milliseconds. */
  spent: number;
  ms: number;
  limit: number | null;
};

/** About as many ops as a second takes, at least 5 and at most 1 % of the limit. */
export function leaseSize({ size, spent, ms, limit }: Spending): number {
  const most = limit === null ? MOST : Math.max(1, Math.floor(limit / 100));
  const second = Math.ceil((spent * 1000) / Math.max(1, ms));
  return Math.min(most, Math.max(LEAST, Math.min(second, size * GROWTH)));
}
