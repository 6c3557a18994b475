import { type Sql, sql } from '../db/index.ts';

/** A place in the ledger. */
export type Line = { seq: number; no: number };

/**
 * The places of ledger lines, from the newest about some entries back to the first. `newest` selects those; each line knows
 * the one before it about the same entry.
 */
export const linesFrom = (account_id: string, newest: Sql): Sql =>
  sql`WITH RECURSIVE lines (seq, no) AS (
        ${newest}
        UNION ALL
        SELECT earlier.before_seq, earlier.before_no FROM lines JOIN evidence AS earlier
          ON earlier.account_id = ${account_id} AND earlier.seq = lines.seq AND earlier.no = lines.no
          WHERE earlier.before_seq IS NOT NULL)
      SELECT lines.seq, lines.no FROM lines`;
