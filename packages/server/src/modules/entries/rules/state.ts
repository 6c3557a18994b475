/** `deleted` of an entry: 0, 1 for a tombstone, or this. Versions are never under quarantine, only their entry. */
export const QUARANTINED = 2;

export const isQuarantined = (row: { deleted: number } | undefined): boolean => row?.deleted === QUARANTINED;
