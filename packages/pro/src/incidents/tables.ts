import { exported, type TenantTable } from '@mem-service/server/module';
import { insertChanges, upsertIncidents } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(upsertIncidents, {
    kind: 'incident',
    key: ['incident_id'],
    nullable: ['muted_until', 'base_from_seq', 'base_until_seq', 'resolved_seq'],
    holds: ({ incidentShapes, judgeShapes, shapes, notNegative, time }) => {
      const { incident_id, source_kind, status, rule } = incidentShapes.incident.shape;
      const span = { from_seq: notNegative, to_seq: notNegative, resolved_seq: notNegative };
      const base = { base_from_seq: notNegative, base_until_seq: notNegative };
      const counts = { failures: notNegative, reported_failures: notNegative, last_trace_seq: notNegative };
      return {
        ...{ incident_id, source_kind, status, rule, ...span, ...base, ...counts },
        // Judges and behaviors have names of one form.
        ...{ source_id: judgeShapes.judgeId, source_version: shapes.version },
        ...{ muted_until: time, last_failed_at: time },
      };
    },
    agents: { of_agent: { erased: 'delete the row' }, visible_to: { erased: 'delete the row' } },
  }),
  exported(insertChanges, {
    kind: 'incident_change',
    key: ['incident_id', 'seq'],
    nullable: ['failures', 'muted_until'],
    holds: ({ incidentShapes, notNegative, time }) => ({
      ...{ change: incidentShapes.incidentChange.shape.change, failures: notNegative, muted_until: time },
    }),
    agents: {
      agent_id: { erased: 'rename', also: () => ({ reason: '' }) },
      of_agent: { erased: 'delete the row' },
      visible_to: { erased: 'delete the row' },
    },
  }),
];
