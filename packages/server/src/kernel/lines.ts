/** A place in the ledger. */
export type Line = { seq: number; no: number };
