import { ADMINS, countShown, type Input, MAIN_BRANCH, type Work } from '@mem-service/server/module';
import { deleteOldScans, type PatternScanRow, upsertScans } from './queries.ts';

const KEPT_SCANS = 100;

export type ScanSettings = Pick<
  Input<'pattern_scans.create'>,
  'stale_days' | 'orphan_days' | 'pr_stale_days' | 'similarity_threshold' | 'incident_threshold'
>;

type AskedScan = { for_path: string | null; for_agent: string | null; settings: ScanSettings };

/** Begins a scan: the consumer of the log goes on with it. */
export async function startScan(
  work: Work,
  { for_path, for_agent, settings }: AskedScan,
  { agent_id, session }: { agent_id: string; session: string },
): Promise<PatternScanRow> {
  const { account_id, tx, now } = work;
  await deleteOldScans(tx, account_id, KEPT_SCANS - 1);
  const { shown } = await countShown(tx, { account_id, agent_id: '', branch: MAIN_BRANCH });
  const scan_id = work.services.ids.next(now);
  const created_seq = work.emit({
    event_type: 'pattern_scan_started',
    ...{ agent_id, session, branch: MAIN_BRANCH, entity_path: null, key: null, version: null, visible_to: ADMINS },
    details: { scan_id },
  });
  const row: PatternScanRow = {
    ...{ account_id, scan_id, for_path, for_agent, settings: JSON.stringify(settings), status: 'running' },
    ...{
      phase: 'entries',
      entity_path: null,
      place: null,
      all_entries: shown,
      scanned_entries: 0,
      scanned_outcomes: 0,
    },
    ...{ scanned_agents: 0, scanned_branches: 0, patterns_found: 0, patterns_opened: 0, patterns_cleared: 0 },
    ...{ failures: 0, agent_id, created_seq, created_at: now, ended_at: null },
  };
  work.send(tx.insertMany(upsertScans, [row]));
  return row;
}

/** The state after the end, which the log reports. */
export function endedScan(work: Work, scan: PatternScanRow, status: 'done' | 'cancelled' | 'failed'): PatternScanRow {
  const { scan_id, agent_id, patterns_found, patterns_opened, patterns_cleared } = scan;
  work.emit({
    event_type: 'pattern_scan_ended',
    ...{ agent_id, branch: MAIN_BRANCH, entity_path: null, key: null, version: null, visible_to: ADMINS },
    details: { scan_id, status, patterns_found, patterns_opened, patterns_cleared },
  });
  return { ...scan, status, phase: 'ended', entity_path: null, place: null, ended_at: work.now };
}
