import type { Row } from '../../db/index.ts';
import { exported, type TenantTable, type Work } from '../../kernel/index.ts';
import { findNewestLines, upsertNewestLines } from '../entries/index.ts';
import * as queries from './queries.ts';

/** Restores lines and links each to the one before it about the same entry. Entries are restored by now. */
async function restoreLines(work: Work, rows: readonly Row[]): Promise<void> {
  const lines = rows as unknown as readonly queries.EvidenceRow[];
  const ids = [...new Set(lines.flatMap(({ entry_id }) => entry_id ?? []))];
  const heads = await findNewestLines(work.tx, work.account_id, ids);
  const newest = new Map(heads.map((head) => [head.entry_id, head]));
  const tied = lines.map((line) => {
    const head = newest.get(line.entry_id ?? 0);
    const before = { before_seq: head?.line_seq ?? null, before_no: head?.line_no ?? null };
    if (head) Object.assign(head, { line_seq: line.seq, line_no: line.no });
    return { ...line, ...before };
  });
  work.send(work.tx.insertMany(queries.insertEvidence, tied));
  work.send(work.tx.insertMany(upsertNewestLines, heads));
}

const SILENT = '{"decision_summary":null,"final_action_index":null,"attributes":{},"immutable_trace_id":null}';

export const tables: readonly TenantTable[] = [
  exported(queries.insertOutcomes, {
    kind: 'outcome',
    key: ['seq'],
    nullable: ['trace_id'],
    json: ['document'],
    agents: {
      // The effect on other agents' entries must still add up, but without the agent that reported the outcomes and its
      // words.
      agent_id: {
        erased: 'rename',
        counted_as: 'outcomes',
        also: ({ alias }) => ({ session: '', outcome_ref: alias, trace_id: null, document: SILENT }),
      },
      visible_to: { erased: 'rename' },
    },
    planner: {
      outcomes: '100000 100000 1',
      outcomes_by_ref: '100000 100000 2 1',
      outcomes_by_agent: '100000 100000 500 1',
    },
  }),
  exported(
    { table: 'evidence', columns: queries.evidenceColumns },
    {
      kind: 'evidence',
      key: ['seq', 'no'],
      nullable: [
        ...['entry_id', 'entity_path', 'key', 'version', 'read_version', 'written_by', 'attempt', 'reason'],
        ...['surprise', 'weight', 'confidence_before', 'confidence_after'],
        ...['evidence_success', 'evidence_failure', 'evidence_status'],
        ...['origin_seq', 'origin_no', 'trace_seq', 'judge_id', 'judge_version'],
      ],
      derived: ['before_seq', 'before_no'],
      agents: {
        agent_id: { erased: 'rename' },
        written_by: { erased: 'rename' },
        visible_to: { erased: 'rename' },
      },
      entries: { entity_path: 'by its owner', key: 'by its owner' },
      planner: {
        evidence: '1000000 1000000 10 1',
        evidence_by_author: '1000000 1000000 5000 10',
        evidence_by_name: '10000 10000 10 1',
        evidence_by_branch: '10000 10000 100 1',
      },
      restore: restoreLines,
    },
  ),
];
