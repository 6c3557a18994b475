import * as z from 'zod';
import * as s from './shapes.ts';
import { traceId } from './trace-shapes.ts';

export const incidentId = s
  .label(64)
  .meta({ description: 'Which incident.', examples: ['01K9Z3V8M6T2Q4X7N5B1C0D9EF'] });

export const groupId = s.label(64).meta({ examples: ['01K9Z3V8M6T2Q4X7N5B1C0D9EF'] });

export const incidentStatuses = ['open', 'acknowledged', 'muted', 'resolved'] as const;
export const incidentSources = ['judge', 'behavior'] as const;

const tracesCounted = z
  .object({
    samples: z.int().meta({ description: 'How many traces passed or failed, or a behavior was looked for in.' }),
    failures: z.int().meta({ description: 'How many of these failed, or have the behavior.' }),
    rate: z.number().nullable().meta({ description: 'The share that failed; null without traces.' }),
    low: z.number().meta({ description: 'The true share is above this, and below `high`, with 95 % confidence.' }),
    high: z.number(),
  })
  .meta({ id: 'TracesCounted', description: 'As the traces and their verdicts are now.' });

const related = z
  .object({
    incident_id: incidentId,
    source_kind: z.enum(incidentSources),
    source_id: z.string().meta({ description: 'Which judge or behavior it is.' }),
    agent_id: s.agentId.nullable(),
    status: z.enum(incidentStatuses),
  })
  .meta({ id: 'RelatedIncident', description: 'Another incident of the same group.' });

const fields = {
  incident_id: incidentId,
  group_id: groupId.meta({ description: 'The same for incidents that were opened by mostly the same traces.' }),
  related: z.array(related).meta({ description: 'Up to 20 others of its group, that which was opened first first.' }),
  related_complete: z.boolean().meta({ description: 'False where there are more.' }),
  source_kind: z
    .enum(incidentSources)
    .meta({ description: 'What fails; a trace with a behavior counts as one that fails.' }),
  source_id: z.string().meta({ description: 'Which judge or behavior it is.' }),
  source_version: z.int(),
  agent_id: s.agentId.nullable().meta({ description: 'Whose traces fail; null where they are of several agents.' }),
  branch: s.branch,
  status: z.enum(incidentStatuses),
  muted_until: s.utc.nullable(),
  reason: z.string().meta({ description: 'Why it was opened, with all numbers.' }),
  rule: z.enum(['excess', 'again', 'from_start']).meta({
    description:
      '`excess`: more failures than in the traces before. `again`: more than before the incident, soon after it was resolved. ' +
      '`from_start`: a judge fails more than half, where too few traces came before.',
  }),
  window: tracesCounted.meta({ description: 'The traces that it was opened by.' }),
  base: tracesCounted.nullable().meta({ description: 'The traces before, which these were compared with.' }),
  chance: z
    .number()
    .nullable()
    .meta({ description: 'How probable so many failures are if nothing has changed (one-sided, Fisher).' }),
  bound: z.number().meta({
    description: 'What `chance` has to be below; where there is no base, what the `low` of the window has to be above.',
  }),
  since: tracesCounted.meta({ description: 'The newest 1,000 traces after the window, up to the resolution.' }),
  created_at: s.utc.meta({ description: 'When it was opened the first time.' }),
  opened_at: s.utc.meta({ description: 'When it was opened last.' }),
  last_failed_at: s.utc.meta({ description: 'When the last trace that failed was sealed.' }),
  updated_at: s.utc,
};

export const incident = z
  .object(fields)
  .meta({ id: 'Incident', description: 'Traces fail, or have a behavior, more often than usual.' });

export const incidentChange = z
  .object({
    change: z.enum(['opened', 'grown', 'acknowledged', 'muted', 'resolved', 'reopened']),
    agent_id: s.agentId.meta({ description: 'Who did it.' }),
    reason: z.string(),
    failures: z.int().nullable().meta({ description: 'How many failures there were by then.' }),
    muted_until: s.utc.nullable(),
    created_at: s.utc,
  })
  .meta({ id: 'IncidentChange' });

export const wholeIncident = z
  .object({
    ...fields,
    traces: z
      .array(z.object({ trace_id: traceId, agent_id: s.agentId, traced_at: s.utc }))
      .meta({ description: 'The newest 20 that failed, newest first.' }),
    timeline: z.array(incidentChange).meta({ description: 'The last 100 changes, newest first.' }),
  })
  .meta({ id: 'WholeIncident', description: 'An incident with its traces and its timeline.' });
