import { exported, type TenantTable } from '@mem-service/server/module';
import { insertPatternAgents, upsertPatterns, upsertScans } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(upsertPatterns, {
    kind: 'detected_pattern',
    key: ['pattern_id'],
    nullable: ['entity_path', 'of_agent', 'pull_request_id', 'resolved_seq', 'resolved_at', 'resolved_by'],
    json: ['figures', 'evidence'],
    holds: ({ patternShapes: pattern, z, time, notNegative }) => {
      const { pattern_id, pattern_type, severity, status, figures, reopened } = pattern.detectedPattern.shape;
      const entry = z.union([z.tuple([z.int(), z.int()]), z.tuple([z.int(), z.int(), z.int()])]);
      return {
        ...{ pattern_id, pattern_type, severity, status, figures, reopened },
        evidence: z.strictObject({ entries: z.array(entry), traces: z.array(z.string()) }),
        ...{ evidence_seq: notNegative, scan_seq: notNegative, resolved_seq: notNegative },
        ...{ detected_at: time, resolved_at: time },
      };
    },
    agents: {
      of_agent: { erased: 'delete the row' },
      resolved_by: { erased: 'rename', also: () => ({ reason: '' }) },
    },
    entries: { entity_path: 'delete the row' },
  }),
  exported(insertPatternAgents, {
    kind: 'pattern_agent',
    key: ['pattern_id', 'agent_id'],
    agents: { agent_id: { erased: 'delete the row' } },
  }),
  exported(upsertScans, {
    kind: 'pattern_scan',
    key: ['scan_id'],
    nullable: ['for_path', 'for_agent', 'entity_path', 'place', 'ended_at'],
    json: ['settings'],
    holds: ({ patternShapes: pattern, shapes, z, time, notNegative }) => {
      const { scan_id, status, phase } = pattern.patternScan.shape;
      const scanned = { all_entries: notNegative, scanned_entries: notNegative, scanned_outcomes: notNegative };
      const found = { patterns_found: notNegative, patterns_opened: notNegative, patterns_cleared: notNegative };
      return {
        ...{ scan_id, status, phase, for_path: shapes.pathGlob, settings: z.strictObject(pattern.scanSettings) },
        ...{ ...scanned, scanned_agents: notNegative, scanned_branches: notNegative, ...found },
        ...{ failures: notNegative, created_seq: notNegative, ended_at: time },
      };
    },
    agents: { agent_id: { erased: 'rename' }, for_agent: { erased: 'rename' }, place: { erased: 'rename' } },
    entries: {
      for_path: { kept: 'where an administrator had it look, whether entries exist there or not' },
      entity_path: 'set to null',
    },
  }),
];
