import { type alertShapes, Fault, type Output, type Query, toIso, toIsoOrNull } from '@mem-service/server/module';
import { type AlertRow, getRule, type RuleRow } from './queries.ts';
import { reasonOf } from './rules/reason.ts';

type RaisedAlert = Output<'alerts.list'>['alerts'][number];

export const metricOf = ({ metric }: Pick<RuleRow, 'metric'>): alertShapes.AlertMetric =>
  metric as alertShapes.AlertMetric;

export const toRule = (row: RuleRow): Output<'alert_rules.create'> => ({
  rule_id: row.rule_id,
  metric: metricOf(row),
  judge_id: row.judge_id,
  for_agent: row.for_agent,
  name: row.name,
  above: row.above,
  window_minutes: row.window_minutes,
  cooldown_minutes: row.cooldown_minutes,
  min_samples: row.min_samples,
  muted_until: toIsoOrNull(row.muted_until),
  raised_at: toIsoOrNull(row.raised_at),
  agent_id: row.agent_id,
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

export async function requireRule(query: Query, accountId: string, ruleId: string): Promise<RuleRow> {
  const row = await getRule(query, accountId, ruleId);
  if (!row) throw new Fault('not_found', `there is no rule ${ruleId}`, { rule_id: ruleId });
  return row;
}

export function toAlert(row: AlertRow): RaisedAlert {
  const { value, samples, above, judge_id } = row;
  const complete = row.complete === 1;
  const metric = metricOf(row);
  return {
    ...{ alert_id: row.alert_id, rule_id: row.rule_id, metric, judge_id, for_agent: row.for_agent },
    status: row.acknowledged_at === null ? 'raised' : 'acknowledged',
    ...{ value, samples, complete, reason: reasonOf({ value, samples, complete, metric, judge_id, above }), above },
    since: toIso(row.since),
    raised_at: toIso(row.raised_at),
    acknowledged_by: row.acknowledged_by,
    acknowledged_at: toIsoOrNull(row.acknowledged_at),
    comment: row.comment,
  };
}
