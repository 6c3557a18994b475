import * as z from 'zod';
import { behaviorId } from '../behavior-shapes.ts';
import * as i from '../incident-shapes.ts';
import * as j from '../judge-shapes.ts';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

const example = { incident_id: '01K9Z3V8M6T2Q4X7N5B1C0D9EF' };
const wholeGroup = z
  .boolean()
  .default(false)
  .meta({ description: 'The other incidents of its group too, up to 100 together.' });
const why = s.text(4096).default('').meta({ description: 'For the timeline.' });

export const incidents = {
  'incidents.list': operation({
    summary: 'List incidents',
    description:
      'Those that were opened last first. One is opened where a judge fails more often than before, or a behavior is found more often, for an agent or ' +
      'for several. Of a group, incidents that were opened by mostly the same traces, that which was opened first stands for all; `related` names the others.',
    module: 'incidents',
    effect: 'read',
    cost: 1,
    whole: true,
    http: { method: 'GET', path: '/api/v1/eval/incidents' },
    cli: { alias: 'incidents', also: ['eval incidents'] },
    input: () =>
      z.strictObject({
        status: z.enum(i.incidentStatuses).optional().meta({ description: 'Only those with this status.' }),
        agent_id: s.agentId.optional().meta({ description: 'Only those of this agent.' }),
        judge_id: j.judgeId.optional().meta({ description: 'Only those of this judge.' }),
        behavior_id: behaviorId.optional().meta({ description: 'Only those of this behavior.' }),
        group_id: i.groupId.optional().meta({ description: 'Each incident of this group.' }),
        each: z.boolean().default(false).meta({ description: 'Each incident, not one for each group.' }),
        limit: z.int().min(1).max(100).default(50).meta({ description: 'Page size, 1 to 100.' }),
        cursor: s.cursor,
      }),
    output: () => z.object({ incidents: z.array(i.incident), ...s.page }),
    errors: ['invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => ({}),
  }),

  'incidents.read': operation({
    summary: 'Read an incident',
    description: 'With the traces that failed, and what happened to it.',
    module: 'incidents',
    effect: 'read',
    cost: 1,
    whole: true,
    http: { method: 'GET', path: '/api/v1/eval/incidents/{incident_id}' },
    cli: { args: ['incident_id'], alias: 'show-incident', also: ['eval incident'] },
    input: () => z.strictObject({ incident_id: i.incidentId }),
    output: () => i.wholeIncident,
    errors: ['not_found', 'module_not_installed'],
    example: () => example,
  }),

  'incidents.acknowledge': operation({
    summary: 'Acknowledge an incident',
    description: 'Somebody looks after it. One that is resolved stays so.',
    module: 'incidents',
    effect: 'write',
    cost: 2,
    whole: true,
    http: { method: 'POST', path: '/api/v1/eval/incidents/{incident_id}/acknowledge' },
    cli: { args: ['incident_id'], alias: 'acknowledge', also: ['incidents ack', 'eval acknowledge'] },
    input: () => z.strictObject({ incident_id: i.incidentId, whole_group: wholeGroup, reason: why, ...author }),
    output: () => i.incident,
    errors: ['not_found', 'module_not_installed'],
    example: () => example,
  }),

  'incidents.resolve': operation({
    summary: 'Resolve an incident',
    description:
      'Its cause is gone. Where traces that come after this fail too often, it is opened again: in the first 30 few failures are enough.',
    module: 'incidents',
    effect: 'write',
    cost: 2,
    whole: true,
    http: { method: 'POST', path: '/api/v1/eval/incidents/{incident_id}/resolve' },
    cli: { args: ['incident_id'], alias: 'resolve-incident', also: ['eval resolve'] },
    input: () => z.strictObject({ incident_id: i.incidentId, whole_group: wholeGroup, reason: why, ...author }),
    output: () => i.incident,
    errors: ['not_found', 'module_not_installed'],
    example: () => example,
  }),

  'incidents.mute': operation({
    summary: 'Mute an incident',
    description:
      'Until then nothing of it is reported, and it is not opened again. Afterwards it is what it was. `until: null` ends that.',
    module: 'incidents',
    effect: 'write',
    cost: 2,
    whole: true,
    http: { method: 'POST', path: '/api/v1/eval/incidents/{incident_id}/mute' },
    cli: { args: ['incident_id'], alias: 'mute-incident', also: ['eval mute'] },
    input: () =>
      z.strictObject({
        incident_id: i.incidentId,
        until: s.timestamp.nullable().meta({ description: 'Until this time, which is to come; null: not any more.' }),
        whole_group: wholeGroup,
        reason: why,
        ...author,
      }),
    output: () => i.incident,
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ ...example, until: '2040-01-01T00:00:00.000Z' }),
  }),
};
