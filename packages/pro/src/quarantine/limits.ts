/** Writes, reads and lines of evidence that a search looks at. */
export const MAX_LOOKED_AT = 100_000;
/** Decisions that it finds. */
export const MAX_DECISIONS = 10_000;
/** Branches on which it looks for copies of what it has found. */
export const MAX_BRANCHES = 100;
/** Quarantines of an account; the oldest that was undone makes room for one more. */
export const MAX_QUARANTINES = 1000;
