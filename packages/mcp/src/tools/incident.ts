import { behaviorShapes, incidentShapes, judgeShapes, shapes } from '@mem-service/contract';
import * as z from 'zod';
import { ownTool } from '../own-tool.ts';
import { argumentError } from '../refusals.ts';
import { callService, type JsonObject, type McpSession } from '../session.ts';
import { type ToolAnswer, writeHints } from '../tool.ts';
import { given } from './given.ts';

const input = {
  action: z.enum(['list', 'get', 'acknowledge', 'resolve', 'mute']).optional(),
  incident_id: incidentShapes.incidentId.optional(),
  agent_id: shapes.agentId.optional(),
  judge_id: judgeShapes.judgeId.optional(),
  behavior_id: behaviorShapes.behaviorId.optional(),
  group_id: incidentShapes.groupId.optional(),
  status: z.enum(incidentShapes.incidentStatuses).optional(),
  whole_group: z.boolean().optional(),
  until: shapes.timestamp.optional(),
  reason: shapes.text(4096).optional(),
  limit: z.int().min(1).max(100).default(10),
  cursor: shapes.cursor,
};

type AskedIncident = z.output<z.ZodObject<typeof input>>;

/** Everything that is done with incidents: they are few, and one tool takes less of a context than five. */
export const incidentTool = ownTool({
  name: 'mem_incident',
  toolset: 'evaluation',
  description: 'List, read, acknowledge, resolve or mute incidents: traces that fail more often than before.',
  input,
  about: {
    action: 'What to do; omitted: get with incident_id, else list',
    incident_id: 'Which; for all but list',
    agent_id: 'list: of this agent',
    judge_id: 'list: of this judge',
    behavior_id: 'list: of this behavior',
    group_id: 'list: each of this group, else one for each group',
    status: 'list: only these',
    whole_group: 'acknowledge, resolve, mute: the others of its group too',
    until: 'mute: ISO time; without it, no longer',
    reason: 'Why, for the timeline',
    limit: 'list: page size',
    cursor: 'list: next_cursor of the page before',
  },
  annotations: writeHints,
  run: act,
});

async function act(asked: AskedIncident, session: McpSession): Promise<JsonObject | ToolAnswer> {
  const { incident_id, agent_id, judge_id, behavior_id, group_id, whole_group, status, until, reason, limit, cursor } =
    asked;
  const { action = incident_id === undefined ? 'list' : 'get' } = asked;
  if (action === 'list')
    return callService(
      session,
      'incidents.list',
      given({ agent_id, judge_id, behavior_id, group_id, status, limit, cursor }),
    );
  if (incident_id === undefined) return argumentError('incident_id', `is needed to ${action} an incident`);
  if (action === 'get') return callService(session, 'incidents.read', { incident_id });
  const change = given({ incident_id, whole_group, reason });
  if (action === 'mute') return callService(session, 'incidents.mute', { ...change, until: until ?? null });
  return callService(session, action === 'resolve' ? 'incidents.resolve' : 'incidents.acknowledge', change);
}
