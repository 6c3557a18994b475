import { type Sql, sql } from '../db/index.ts';

/** A place in the ledger. */
export type Line = { seq: number; no: number };

/**
 * The lines of the ledger about the entries of a condition, by their places. An entry knows the newest, and each line the
 * one before it about the same entry.
 */
export const linesOf = (account_id: string, entries: Sql): Sql =>
  sql`WITH RECURSIVE lines (seq, no) AS (
        SELECT line_seq, line_no FROM entries
          WHERE entries.account_id = ${account_id} AND entries.line_seq IS NOT NULL AND ${entries}
        UNION ALL
        SELECT earlier.before_seq, earlier.before_no FROM lines JOIN evidence AS earlier
          ON earlier.account_id = ${account_id} AND earlier.seq = lines.seq AND earlier.no = lines.no
          WHERE earlier.before_seq IS NOT NULL)
      SELECT lines.seq, lines.no FROM lines`;
