import type { Output } from '@mem-service/contract';
import { type AuditRow, agentHash, chainAudit, subjectHash } from '../../kernel/index.ts';

export type AuditProblem = Output<'audit.verify'>['problems'][number];
type PreviousLine = { no: number; hash: string | null };

/** Holds lines against each other. `last` is the one before the first of them. */
export function checkLines(rows: readonly AuditRow[], last: PreviousLine): AuditProblem[] {
  const problems: AuditProblem[] = [];
  let previous = last;
  for (const row of rows) {
    for (let no = previous.no + 1; no < row.no; no++) problems.push({ no, reason: 'missing' });
    const reason = problemOf(row, previous);
    if (reason) problems.push({ no: row.no, reason });
    previous = row;
  }
  return problems;
}

/** Lines from before there was a chain have no hash; after the first that has one, each has. */
function problemOf(row: AuditRow, previous: PreviousLine): AuditProblem['reason'] | undefined {
  if (row.hash === null) return previous.hash === null ? undefined : 'unchained';
  const { hash: _, ...rest } = row;
  if (chainAudit(previous.hash ?? '', rest) !== row.hash) return 'changed';
  // Likewise an agent that was forgotten.
  if (row.agent_salt !== null && agentHash(row.agent_salt, row.agent_id) !== row.agent_hash) return 'changed';
  // Without its salt, the subject was erased, and its hash stands for it.
  const isErased = row.subject_salt === null;
  return isErased || subjectHash(row.subject_salt as string, row) === row.subject_hash ? undefined : 'subject_changed';
}
