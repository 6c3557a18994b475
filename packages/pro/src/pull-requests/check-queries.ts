import { fragment, type Insert, type Query, sql } from '@mem-service/server/module';

export type CheckStatus = 'passed' | 'failed' | 'pending' | 'neutral';

export type CheckRow = {
  account_id: string;
  pull_request_id: string;
  check_name: string;
  status: CheckStatus;
  summary: string;
  /** The last writes to the branches that it looked at. */
  source_seq: number;
  target_seq: number | null;
  /** Null for a check of the service, as it was at the merge. */
  posted_by: string | null;
  updated_at: number;
};

export const putChecks: Insert = {
  table: 'pull_request_checks',
  columns: {
    account_id: 'text',
    pull_request_id: 'text',
    check_name: 'text',
    status: 'text',
    summary: 'text',
    source_seq: 'int',
    target_seq: 'int',
    posted_by: 'text',
    updated_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, pull_request_id, check_name) DO UPDATE SET status = excluded.status,
    summary = excluded.summary, source_seq = excluded.source_seq, target_seq = excluded.target_seq,
    posted_by = excluded.posted_by, updated_at = excluded.updated_at`,
};

const CHECK = fragment(Object.keys(putChecks.columns).join(', '));

/** There are a few dozen at most. */
export function listChecks(query: Query, accountId: string, id: string): Promise<CheckRow[]> {
  return query.all(
    sql`SELECT ${CHECK} FROM pull_request_checks WHERE account_id = ${accountId} AND pull_request_id = ${id}
        ORDER BY check_name`,
  );
}
