const LEAST = 5;
/** The limit where the plan sets none. */
const MOST = 100_000;
/** A lease grows at most by this factor at a time: a burst is not yet a rate. */
const GROWTH = 4;

export type Spending = {
  /** Ops of the previous lease; 0 where there was none. */
  size: number;
  /** Ops spent since it was requested, and in how many milliseconds. */
  spent: number;
  ms: number;
  limit: number | null;
};

/** About as many ops as one second takes, at least 5 and at most 1 % of the limit. */
export function leaseSize({ size, spent, ms, limit }: Spending): number {
  const most = limit === null ? MOST : Math.max(1, Math.floor(limit / 100));
  const second = Math.ceil((spent * 1000) / Math.max(1, ms));
  return Math.min(most, Math.max(LEAST, Math.min(second, size * GROWTH)));
}
