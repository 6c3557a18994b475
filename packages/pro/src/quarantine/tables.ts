import { exported, type Row, restoreQuarantined, type TenantTable, type Work } from '@mem-service/server/module';
import { insertQuarantinedEntries, insertQuarantines, putQuarantinedBranches } from './queries.ts';

/** Entries are restored from their versions, which are under no quarantine. */
async function restoreEntries(work: Work, rows: readonly Row[]): Promise<void> {
  work.send(work.tx.insertMany(insertQuarantinedEntries, rows));
  const held = rows.flatMap(({ entry_id, released_seq }) => (released_seq === null ? [entry_id as number] : []));
  restoreQuarantined(work, held);
}

export const tables: readonly TenantTable[] = [
  exported(insertQuarantines, {
    kind: 'quarantine',
    key: ['quarantine_id'],
    nullable: ['undone_seq', 'undone_by', 'undone_at'],
    holds: ({ flag, time, notNegative }) => ({
      ...{ hidden_count: notNegative, decision_count: notNegative, is_complete: flag },
      ...{ created_seq: notNegative, undone_seq: notNegative, undone_at: time },
    }),
    stored: ({ reason }) => [reason as string],
    agents: { agent_id: { erased: 'rename', also: () => ({ reason: '' }) }, undone_by: { erased: 'rename' } },
  }),
  exported(insertQuarantinedEntries, {
    kind: 'quarantined_entry',
    key: ['quarantine_id', 'no'],
    nullable: ['released_seq'],
    erased_with: 'their entries',
    restore: restoreEntries,
  }),
  exported(putQuarantinedBranches, { kind: 'quarantined_branch', key: ['branch'] }),
];
