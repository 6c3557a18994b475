import type { Output } from '@mem-service/contract';
import { type AuditRow, agentHash, chainAudit, subjectHash } from '../../kernel/index.ts';

export type AuditProblem = Output<'audit.verify'>['problems'][number];
type PreviousLine = { no: number; hash: string | null };

/** Checks each line against the one before it. `last` is the line before the first of them. */
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

/** Lines from before the chain existed have no hash; from the first hash on, every line has one. */
function problemOf(row: AuditRow, previous: PreviousLine): AuditProblem['reason'] | undefined {
  if (row.hash === null) return previous.hash === null ? undefined : 'unchained';
  const { hash: _, ...rest } = row;
  if (chainAudit(previous.hash ?? '', rest) !== row.hash) return 'changed';
  // The same for an erased agent.
  if (row.agent_salt !== null && agentHash(row.agent_salt, row.agent_id) !== row.agent_hash) return 'changed';
  // A subject without a salt was erased, and only its hash remains.
  const isErased = row.subject_salt === null;
  return isErased || subjectHash(row.subject_salt as string, row) === row.subject_hash ? undefined : 'subject_changed';
}
