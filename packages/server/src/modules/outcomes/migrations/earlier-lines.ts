/** Links the lines about each entry, using the index that existed for them then. */
export const chainLines: readonly string[] = [
  `UPDATE evidence SET (before_seq, before_no) = (SELECT earlier.seq, earlier.no FROM evidence AS earlier
    WHERE earlier.account_id = evidence.account_id AND earlier.entry_id = evidence.entry_id
      AND (earlier.seq, earlier.no) < (evidence.seq, evidence.no)
    ORDER BY earlier.seq DESC, earlier.no DESC LIMIT 1) WHERE entry_id IS NOT NULL`,
  `UPDATE entries SET (line_seq, line_no) = (SELECT evidence.seq, evidence.no FROM evidence
    WHERE evidence.account_id = entries.account_id AND evidence.entry_id = entries.entry_id
    ORDER BY evidence.seq DESC, evidence.no DESC LIMIT 1)
    WHERE EXISTS (SELECT 1 FROM evidence AS any_line
      WHERE any_line.account_id = entries.account_id AND any_line.entry_id = entries.entry_id)`,
];
