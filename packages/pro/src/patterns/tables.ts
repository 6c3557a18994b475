import { exported, type TenantTable } from '@mem-service/server/module';
import { insertPatternAgents, upsertPatterns, upsertScans } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(upsertPatterns, {
    kind: 'detected_pattern',
    key: ['pattern_id'],
    nullable: ['entity_path', 'of_agent', 'pull_request_id', 'resolved_seq', 'resolved_at', 'resolved_by'],
    json: ['figures', 'evidence'],
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
    agents: { agent_id: { erased: 'rename' }, for_agent: { erased: 'rename' }, place: { erased: 'rename' } },
    entries: {
      for_path: { kept: 'where an administrator had it look, whether entries exist there or not' },
      entity_path: 'set to null',
    },
  }),
];
