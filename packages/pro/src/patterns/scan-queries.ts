import { fragment, type Insert, type Query, sql, type Transaction } from '@mem-service/server/module';

export type PatternScanRow = {
  account_id: string;
  scan_id: string;
  /** A glob; null for everywhere. */
  for_path: string | null;
  for_agent: string | null;
  /** JSON of the settings. */
  settings: string;
  status: string;
  phase: string;
  /** The last path that is done. */
  entity_path: string | null;
  /** The last agent or branch that is done. */
  place: string | null;
  all_entries: number;
  scanned_entries: number;
  scanned_outcomes: number;
  scanned_agents: number;
  scanned_branches: number;
  patterns_found: number;
  patterns_opened: number;
  patterns_cleared: number;
  /** Attempts at one step that failed. */
  failures: number;
  agent_id: string;
  created_seq: number;
  created_at: number;
  ended_at: number | null;
};

const scanColumns = {
  account_id: 'text',
  scan_id: 'text',
  for_path: 'text',
  for_agent: 'text',
  settings: 'text',
  status: 'text',
  phase: 'text',
  entity_path: 'text',
  place: 'text',
  all_entries: 'int',
  scanned_entries: 'int',
  scanned_outcomes: 'int',
  scanned_agents: 'int',
  scanned_branches: 'int',
  patterns_found: 'int',
  patterns_opened: 'int',
  patterns_cleared: 'int',
  failures: 'int',
  agent_id: 'text',
  created_seq: 'int',
  created_at: 'int',
  ended_at: 'int',
} as const;

export const upsertScans: Insert = {
  table: 'pattern_scans',
  columns: scanColumns,
  suffix: `ON CONFLICT (account_id, scan_id) DO UPDATE SET ${Object.keys(scanColumns)
    .slice(5)
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`,
};

const SCAN = fragment(Object.keys(scanColumns).join(', '));

export function getScan(query: Query, accountId: string, id: string): Promise<PatternScanRow | undefined> {
  return query.get(sql`SELECT ${SCAN} FROM pattern_scans WHERE account_id = ${accountId} AND scan_id = ${id}`);
}

export function getRunningScan(query: Query, accountId: string): Promise<PatternScanRow | undefined> {
  return query.get(
    sql`SELECT ${SCAN} FROM pattern_scans WHERE account_id = ${accountId} AND status = 'running' ORDER BY created_seq LIMIT 1`,
  );
}

export async function countRunning(query: Query, accountId: string): Promise<number> {
  const found = await query.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM pattern_scans WHERE account_id = ${accountId} AND status = 'running'`,
  );
  return Number(found?.n ?? 0);
}

export type ScanPage = { account_id: string; before: number; limit: number };

export function listScans(query: Query, { account_id, before, limit }: ScanPage): Promise<PatternScanRow[]> {
  return query.all(
    sql`SELECT ${SCAN} FROM pattern_scans WHERE account_id = ${account_id} AND created_seq < ${before}
        ORDER BY created_seq DESC LIMIT ${limit}`,
  );
}

/** Those beyond the newest `kept`. */
export function deleteOldScans(tx: Transaction, accountId: string, kept: number): Promise<number> {
  return tx.run(
    sql`DELETE FROM pattern_scans WHERE account_id = ${accountId} AND status <> 'running' AND scan_id IN (SELECT scan_id
          FROM pattern_scans WHERE account_id = ${accountId} ORDER BY created_seq DESC LIMIT 1000 OFFSET ${kept})`,
  );
}
