/** The number of an entry in the graph's notation. */
const node = (entryId: string) =>
  `substr('0000000000000000' || CAST(${entryId} AS TEXT), length(CAST(${entryId} AS TEXT)) + 1)`;

/** The causes of each outcome, in order. An erased cause keeps its position. */
const CAUSES = `SELECT evidence.account_id, evidence.branch, evidence.seq, outcome_ref, entry_id, evidence.visible_to,
    min(evidence.no) AS no
  FROM evidence JOIN outcomes ON outcomes.account_id = evidence.account_id AND outcomes.seq = evidence.seq
  WHERE entry_id IS NOT NULL OR entity_path IS NULL
  GROUP BY evidence.account_id, evidence.branch, evidence.seq, outcome_ref, entry_id, evidence.visible_to,
    CASE WHEN entry_id IS NULL THEN evidence.no ELSE -1 END`;

/** Each cause and the one before it, of those that are visible to everyone. */
const OPEN = `SELECT account_id, branch, seq, no, entry_id AS here, lag(entry_id) OVER chain AS before,
    lag(no) OVER chain AS before_no, '' AS visible_to, 0 AS hidden
  FROM causes WHERE visible_to = '' WINDOW chain AS (PARTITION BY account_id, seq ORDER BY no)`;

/** Each cause and the one before it, where one of them is visible to a single agent. */
const HIDDEN = `SELECT account_id, branch, seq, no, here, before, before_no, whose AS visible_to, 1 AS hidden FROM (
    SELECT account_id, branch, seq, no, entry_id AS here, visible_to, lag(entry_id) OVER chain AS before,
      lag(no) OVER chain AS before_no,
      CASE WHEN visible_to <> '' THEN visible_to ELSE lag(visible_to) OVER chain END AS whose,
      sum(CASE WHEN visible_to = '' THEN 1 ELSE 0 END) OVER chain AS open_so_far
    FROM causes WINDOW chain AS (PARTITION BY account_id, seq ORDER BY no)) AS chained
  WHERE visible_to <> '' OR open_so_far = 1 AND whose <> ''`;

const KEY = ['account_id', 'branch', 'source', 'visible_to', 'relation', 'target'];

/** How often the ledger contains each edge. */
const LEDGER_EDGES = `WITH causes AS (${CAUSES}),
  pairs AS (${OPEN} UNION ALL ${HIDDEN}),
  placed AS (SELECT account_id, branch, seq, visible_to,
      CASE WHEN here < before THEN here ELSE before END AS first,
      CASE WHEN here < before THEN before ELSE here END AS second,
      row_number() OVER (PARTITION BY account_id, seq ORDER BY hidden, no) AS place
    FROM pairs WHERE before_no IS NOT NULL)
  SELECT account_id, branch, ${node('entry_id')} AS source, visible_to, 'informed' AS relation, outcome_ref AS target,
    count(*) AS n
  FROM causes WHERE entry_id IS NOT NULL GROUP BY account_id, branch, entry_id, visible_to, outcome_ref
  UNION ALL
  SELECT account_id, branch, ${node('first')} AS source, visible_to, 'co_occurs_with' AS relation,
    ${node('second')} AS target, count(*) AS n
  FROM placed WHERE place <= 50 AND first IS NOT NULL AND second IS NOT NULL
  GROUP BY account_id, branch, first, second, visible_to`;

const isSame = KEY.map((name) => `told_edges.${name} = edges.${name}`).join(' AND ');

/** Subtracts from the stored edges those derived from the ledger; edges that callers asserted stay. */
export const deleteLedgerEdges: readonly string[] = [
  `CREATE TABLE told_edges AS ${LEDGER_EDGES}`,
  `CREATE INDEX told_edges_by_key ON told_edges (${KEY.join(', ')})`,
  `UPDATE edges SET evidence_count = evidence_count - (SELECT n FROM told_edges WHERE ${isSame})
    WHERE relation IN ('informed', 'co_occurs_with') AND source_type = 'entry'
      AND target_type = CASE WHEN relation = 'informed' THEN 'outcome' ELSE 'entry' END
      AND EXISTS (SELECT 1 FROM told_edges WHERE ${isSame})`,
  `DELETE FROM edges WHERE relation IN ('informed', 'co_occurs_with') AND evidence_count <= 0`,
  'DROP TABLE told_edges',
];
