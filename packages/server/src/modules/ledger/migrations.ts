import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'lines that merges bring along',
    up: ({ int }) => [
      `ALTER TABLE evidence ADD COLUMN origin_seq ${int}`,
      `ALTER TABLE evidence ADD COLUMN origin_no ${int}`,
      // Lines about entries of `main`, nearly all of them, are not in it.
      `CREATE INDEX evidence_by_branch ON evidence (account_id, branch, seq) WHERE branch <> 'main'`,
    ],
  },
  {
    version: 2,
    name: 'lines that verdicts write',
    up: ({ text, int }) => [
      `ALTER TABLE evidence ADD COLUMN trace_seq ${int}`,
      `ALTER TABLE evidence ADD COLUMN judge_id ${text}`,
      `ALTER TABLE evidence ADD COLUMN judge_version ${int}`,
    ],
  },
];
