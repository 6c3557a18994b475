/** What one merge may change: about as much as it then holds in memory three times. */
export const MAX_MERGED_ENTRIES = 10_000;
export const MAX_MERGED_BYTES = 64 * 1024 * 1024;

/** What an account may have of merges, and of those that wait for conflicts to be resolved. */
export const MAX_MERGES = 100_000;
export const MAX_WAITING_MERGES = 100;
