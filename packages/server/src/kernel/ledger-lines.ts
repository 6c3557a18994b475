/** A position in the ledger. */
export type LedgerPosition = { seq: number; no: number };
