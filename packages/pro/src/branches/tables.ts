import { exported, MAIN_BRANCH, protectMain, type Row, type TenantTable, type Work } from '@mem-service/server/module';
import { insertBranch, insertFork, putProtection } from './queries.ts';

async function restoreProtections(work: Work, rows: readonly Row[]): Promise<void> {
  if (rows.some(({ branch }) => branch === MAIN_BRANCH)) protectMain(work, true);
  work.send(work.tx.insertMany(putProtection, [...rows]));
}

export const tables: readonly TenantTable[] = [
  exported(insertBranch, {
    kind: 'branch',
    key: ['name'],
    nullable: ['holder', 'merged_by', 'merged_at', 'closed_by', 'closed_at'],
    json: ['inherits'],
    stored: ({ name, description }) => [name as string, description as string],
    agents: {
      created_by: { erased: 'rename', also: () => ({ description: '' }) },
      merged_by: { erased: 'rename' },
      closed_by: { erased: 'rename' },
    },
  }),
  exported(insertFork, { kind: 'branch_fork', key: ['branch', 'since_seq'], json: ['inherits'] }),
  exported(putProtection, {
    kind: 'branch_protection',
    key: ['branch'],
    json: ['required_checks'],
    agents: { set_by: { erased: 'rename' } },
    restore: restoreProtections,
  }),
];
