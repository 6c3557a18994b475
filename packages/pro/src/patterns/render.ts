import { type Output, patternShapes, toIso, toIsoOrNull } from '@mem-service/server/module';
import type { DetectedRow, PatternScanRow } from './queries.ts';
import { describePattern } from './rules/describe.ts';
import type { ScanSettings } from './start.ts';

export type ShownPattern = Output<'detected_patterns.list'>['patterns'][number];
export type ShownScan = Output<'pattern_scans.read'>;

export function toPattern(row: DetectedRow): ShownPattern {
  const { pattern_id, entity_path, branch, pull_request_id, reopened, resolved_by, reason } = row;
  const pattern_type = row.pattern_type as patternShapes.PatternType;
  const figures = JSON.parse(row.figures) as Record<string, number>;
  return {
    ...{ pattern_id, pattern_type, category: patternShapes.categoryOf[pattern_type] },
    severity: row.severity as ShownPattern['severity'],
    status: row.status as ShownPattern['status'],
    ...{ entity_path, agent_id: row.of_agent, branch, pull_request_id },
    description: describePattern({ pattern_type, figures }),
    ...{ figures, reopened, detected_at: toIso(row.detected_at), opened_at: toIso(row.opened_at) },
    ...{ resolved_at: toIsoOrNull(row.resolved_at), resolved_by, reason },
  };
}

/** `group` is undefined where the rule makes none, and in findings of earlier versions. */
export type StoredEvidence = {
  entries: { entry_id: number; version: number; group?: number | undefined }[];
  traces: string[];
};

export function evidenceIn({ evidence }: Pick<DetectedRow, 'evidence'>): StoredEvidence {
  const { entries, traces } = JSON.parse(evidence) as { entries: [number, number, number?][]; traces: string[] };
  return { entries: entries.map(([entry_id, version, group]) => ({ entry_id, version, group })), traces };
}

/** How much of all work each phase is, where it begins. */
const BEGINS: Readonly<Record<string, number>> = { entries: 0, agents: 0.9, branches: 0.95, clearing: 0.99, ended: 1 };

function progressOf({ phase, status, scanned_entries, all_entries }: PatternScanRow): number {
  if (phase !== 'entries') return status === 'done' ? 1 : (BEGINS[phase] ?? 0);
  return Math.floor(Math.min(1, scanned_entries / Math.max(1, all_entries)) * 900) / 1000;
}

export function toScan(row: PatternScanRow): ShownScan {
  return {
    ...{ scan_id: row.scan_id, entity_path: row.for_path, for_agent: row.for_agent },
    ...(JSON.parse(row.settings) as ScanSettings),
    status: row.status as ShownScan['status'],
    phase: row.phase as ShownScan['phase'],
    progress: progressOf(row),
    scanned_entries: row.scanned_entries,
    scanned_outcomes: row.scanned_outcomes,
    scanned_agents: row.scanned_agents,
    scanned_branches: row.scanned_branches,
    patterns_found: row.patterns_found,
    patterns_opened: row.patterns_opened,
    patterns_cleared: row.patterns_cleared,
    agent_id: row.agent_id,
    created_at: toIso(row.created_at),
    ended_at: toIsoOrNull(row.ended_at),
  };
}
