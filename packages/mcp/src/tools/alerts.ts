import { alertShapes, shapes } from '@mem-service/contract';
import * as z from 'zod';
import { ownTool } from '../own-tool.ts';
import { argumentError } from '../refusals.ts';
import { callService, type JsonObject, type McpSession } from '../session.ts';
import { type ToolAnswer, writeHints } from '../tool.ts';
import { given } from './given.ts';

const input = {
  action: z.enum(['list', 'acknowledge', 'mute', 'rules']).default('list'),
  alert_id: alertShapes.alertId.optional(),
  rule_id: alertShapes.alertRuleId.optional(),
  status: z.enum(alertShapes.alertStatuses).optional(),
  until: shapes.timestamp.optional(),
  comment: shapes.text(4096).optional(),
  limit: z.int().min(1).max(100).default(10),
  cursor: shapes.cursor,
};

type AskedAlerts = z.output<z.ZodObject<typeof input>>;

/** Everything that is done with alerts but setting their rules. */
export const alertsTool = ownTool({
  name: 'mem_alerts',
  toolset: 'evaluation',
  description: 'List alerts of failures, incidents, cost, time or calibration; acknowledge one, or mute its rule.',
  input,
  about: {
    action: 'What to do; list if omitted. rules: list the rules',
    alert_id: 'acknowledge: which',
    rule_id: 'mute: which rule. list: only its alerts',
    status: 'list: only these',
    until: 'mute: ISO time; without it, no longer',
    comment: 'acknowledge: why',
    limit: 'list: page size',
    cursor: 'list: next_cursor of the page before',
  },
  annotations: writeHints,
  run: act,
});

async function act(asked: AskedAlerts, session: McpSession): Promise<JsonObject | ToolAnswer> {
  const { action, alert_id, rule_id, status, until, comment, limit, cursor } = asked;
  if (action === 'rules') return callService(session, 'alert_rules.list', {});
  if (action === 'list') return callService(session, 'alerts.list', given({ rule_id, status, limit, cursor }));
  if (action === 'mute') {
    if (rule_id === undefined) return argumentError('rule_id', 'is needed to mute a rule');
    return callService(session, 'alert_rules.mute', { rule_id, until: until ?? null });
  }
  if (alert_id === undefined) return argumentError('alert_id', 'is needed to acknowledge an alert');
  return callService(session, 'alerts.acknowledge', given({ alert_id, comment }));
}
