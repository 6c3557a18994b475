import * as z from 'zod';
import { judgeId } from './judge-shapes.ts';
import * as s from './shapes.ts';
import { slug } from './slug.ts';

export const MAX_ALERT_MINUTES = 43_200;

export const alertMetrics = ['failure_rate', 'incidents', 'cost_usd', 'duration_ms', 'calibration_error'] as const;
export type AlertMetric = (typeof alertMetrics)[number];

export const alertRuleId = slug('a rule', 'too-slow');
export const alertId = s.label(64).meta({ description: 'Which alert.', examples: ['01K9Z3V8M6T2Q4X7N5B1C0D9EF'] });
export const alertStatuses = ['raised', 'acknowledged'] as const;

/** What a rule can be given, apart from its id; what it watches stays as it is. */
export const alertRuleSettings = {
  name: s.label(128).meta({ description: 'What people call it.', examples: ['Too slow'] }),
  above: z
    .number()
    .min(0)
    .max(1e12)
    .meta({ description: 'An alert is raised where the metric is above this; rates and errors are below 1.' }),
  window_minutes: z
    .int()
    .min(1)
    .max(MAX_ALERT_MINUTES)
    .meta({ description: 'The time that it looks at, up to 30 days.' }),
  cooldown_minutes: z
    .int()
    .min(0)
    .max(MAX_ALERT_MINUTES)
    .meta({ description: 'For so long after an alert there is no other of the rule.' }),
  min_samples: z.int().min(1).max(1000).meta({ description: 'No alert with fewer in the window.' }),
};

export const alertMetric = z.enum(alertMetrics).meta({
  description:
    '`failure_rate`: the share of traces that a judge fails. `incidents`: how many were opened. `cost_usd`: what all traces cost ' +
    'together. `duration_ms`: what 95 % of the traces stay below. `calibration_error`: how far confidence is from what came of it.',
});

const watched = {
  rule_id: alertRuleId,
  metric: alertMetric,
  judge_id: judgeId.nullable().meta({ description: 'Whose failures count; null for other metrics.' }),
  for_agent: s.agentId.nullable().meta({ description: 'Only what this agent does; null: all agents together.' }),
};

const fields = {
  ...watched,
  ...alertRuleSettings,
  muted_until: s.utc.nullable().meta({ description: 'Until then it raises no alert.' }),
  raised_at: s.utc.nullable().meta({ description: 'When it last raised one.' }),
  agent_id: s.agentId.meta({ description: 'Who last changed it.' }),
  created_at: s.utc,
  updated_at: s.utc,
};

export const alertRule = z.object(fields).meta({ id: 'AlertRule', description: 'When to raise an alert.' });

const measured = {
  value: z.number().nullable().meta({ description: 'Null where there is nothing to measure.' }),
  samples: z.int().meta({ description: 'How many traces, incidents or outcomes that is of.' }),
  complete: z.boolean().meta({ description: 'False where there are more in the window than are looked at.' }),
  reason: z.string().meta({ description: 'The same in words, with all numbers.' }),
};

export const measuredAlertRule = z
  .object({ ...fields, current: z.object(measured).meta({ description: 'What the rule finds at this moment.' }) })
  .meta({ id: 'MeasuredAlertRule', description: 'A rule, and what it finds now.' });

export const alert = z
  .object({
    alert_id: alertId,
    ...watched,
    status: z.enum(alertStatuses),
    ...measured,
    value: z.number(),
    above: z.number().meta({ description: 'What the rule allowed then.' }),
    since: s.utc.meta({ description: 'Where the window began.' }),
    raised_at: s.utc,
    acknowledged_by: s.agentId.nullable(),
    acknowledged_at: s.utc.nullable(),
    comment: z.string().meta({ description: 'What the one who acknowledged it wrote.' }),
  })
  .meta({ id: 'Alert', description: 'A rule found more than it allows.' });
