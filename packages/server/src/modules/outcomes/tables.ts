import type { Row } from '../../db/index.ts';
import { exported, type TenantTable, type Work } from '../../kernel/index.ts';
import { listNewestLines, updateNewestLines } from '../entries/index.ts';
import * as queries from './queries.ts';

/** Puts lines back and ties each to the one before it about the same entry. Entries are there by now. */
async function restoreLines(work: Work, rows: readonly Row[]): Promise<void> {
  const lines = rows as unknown as readonly queries.EvidenceRow[];
  const ids = [...new Set(lines.flatMap(({ entry_id }) => entry_id ?? []))];
  const heads = await listNewestLines(work.tx, work.account_id, work.dialect.numbers(ids));
  const newest = new Map(heads.map((head) => [head.entry_id, head]));
  const tied = lines.map((line) => {
    const head = newest.get(line.entry_id ?? 0);
    const before = { before_seq: head?.line_seq ?? null, before_no: head?.line_no ?? null };
    if (head) Object.assign(head, { line_seq: line.seq, line_no: line.no });
    return { ...line, ...before };
  });
  work.send(work.tx.insertMany(queries.insertEvidence, tied));
  work.send(work.tx.updateMany(updateNewestLines, heads));
}

export const tables: readonly TenantTable[] = [
  exported(queries.insertOutcomes, { kind: 'outcome', key: ['seq'], nullable: ['trace_id'], json: ['document'] }),
  exported(
    { table: 'evidence', columns: queries.evidenceColumns },
    {
      kind: 'evidence',
      key: ['seq', 'no'],
      nullable: [
        ...['entry_id', 'entity_path', 'key', 'version', 'read_version', 'written_by', 'attempt', 'reason'],
        ...['surprise', 'weight', 'confidence_before', 'confidence_after'],
        ...['evidence_success', 'evidence_failure', 'evidence_status'],
      ],
      derived: ['before_seq', 'before_no'],
      restore: restoreLines,
    },
  ),
];
