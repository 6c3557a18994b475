import * as z from 'zod';
import * as a from '../alert-shapes.ts';
import { judgeId } from '../judge-shapes.ts';
import { nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

/** Rules count traces of the whole account. */
const about = { module: 'alerts', whole: true } as const;
const example = { rule_id: 'too-slow' };

export const alerts = {
  'alert_rules.create': operation({
    summary: 'Set a rule for alerts',
    description:
      'Rules count traces and outcomes on main that every agent may see. An alert is an event of the log: follow the stream to ' +
      'hear of it; the service calls nobody.',
    ...about,
    effect: 'write',
    cost: 2,
    http: {
      method: 'POST',
      path: '/api/v1/eval/alert-rules',
      status: 201,
      location: '/api/v1/eval/alert-rules/{rule_id}',
    },
    cli: { args: ['rule_id', 'metric', 'above'], alias: 'set-alert', also: ['alerts create', 'eval set-alert'] },
    input: () =>
      z.strictObject({
        rule_id: a.alertRuleId,
        metric: a.alertMetric,
        above: a.alertRuleSettings.above,
        judge_id: judgeId.optional().meta({ description: 'Whose failures count; needed for `failure_rate`.' }),
        for_agent: s.agentId.nullable().default(null).meta({ description: 'Only what this agent does.' }),
        name: a.alertRuleSettings.name.optional().meta({ description: 'Its id where it is left out.' }),
        window_minutes: a.alertRuleSettings.window_minutes.default(60),
        cooldown_minutes: a.alertRuleSettings.cooldown_minutes.default(60),
        min_samples: a.alertRuleSettings.min_samples
          .optional()
          .meta({ description: 'No alert with fewer in the window: 1 for `incidents` and `cost_usd`, else 10.' }),
        ...author,
      }),
    output: () => a.alertRule,
    errors: ['conflict', 'not_found', 'module_not_installed'],
    example: (n) => ({ rule_id: nth('too-slow', n), metric: 'duration_ms' as const, above: 30_000 }),
  }),

  'alert_rules.list': operation({
    summary: 'List the rules for alerts',
    description: 'By id; an account has at most 50.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/alert-rules' },
    cli: { alias: 'alert-rules', also: ['alerts rules'] },
    input: () => z.strictObject({}),
    output: () => z.object({ rules: z.array(a.alertRule) }),
    errors: ['module_not_installed'],
    example: () => ({}),
  }),

  'alert_rules.read': operation({
    summary: 'Read a rule for alerts',
    description: 'With what it finds now.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/alert-rules/{rule_id}' },
    cli: { args: ['rule_id'], alias: 'alert-rule' },
    input: () => z.strictObject({ rule_id: a.alertRuleId }),
    output: () => a.measuredAlertRule,
    errors: ['not_found', 'module_not_installed'],
    example: () => example,
  }),

  'alert_rules.update': operation({
    summary: 'Change a rule for alerts',
    description: 'What it watches stays: for another metric, judge or agent set another rule.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'PATCH', path: '/api/v1/eval/alert-rules/{rule_id}' },
    cli: { args: ['rule_id'], alias: 'change-alert' },
    input: () => z.strictObject({ rule_id: a.alertRuleId, ...partialSettings(), ...author }),
    output: () => a.alertRule,
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ ...example, above: 20_000 }),
  }),

  'alert_rules.mute': operation({
    summary: 'Mute a rule for alerts',
    description: 'Until then it raises none. `until: null` ends that.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: '/api/v1/eval/alert-rules/{rule_id}/mute' },
    cli: { args: ['rule_id'], alias: 'mute-alert', also: ['alerts mute'] },
    input: () =>
      z.strictObject({
        rule_id: a.alertRuleId,
        until: s.timestamp.nullable().meta({ description: 'Until this time, which is to come; null: not any more.' }),
        ...author,
      }),
    output: () => a.alertRule,
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ ...example, until: '2040-01-01T00:00:00.000Z' }),
  }),

  'alerts.list': operation({
    summary: 'List alerts',
    description: 'Newest first. The newest 1,000 of an account are kept.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/alerts' },
    cli: { alias: 'alerts', also: ['eval alerts'] },
    input: () =>
      z.strictObject({
        status: z.enum(a.alertStatuses).optional().meta({ description: 'Only those with this status.' }),
        rule_id: a.alertRuleId.optional().meta({ description: 'Only those of this rule.' }),
        for_agent: s.agentId.optional().meta({ description: 'Only those of rules about this agent.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ alerts: z.array(a.alert), ...s.page }),
    errors: ['invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => ({}),
  }),

  'alerts.acknowledge': operation({
    summary: 'Acknowledge an alert',
    description: 'Somebody looks after it. The rule goes on: mute it to hear nothing of it.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: '/api/v1/eval/alerts/{alert_id}/acknowledge' },
    cli: { args: ['alert_id'], alias: 'acknowledge-alert', also: ['alerts ack'] },
    input: () =>
      z.strictObject({
        alert_id: a.alertId,
        comment: s.text(4096).default('').meta({ description: 'For those who look at it later.' }),
        ...author,
      }),
    output: () => a.alert,
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ alert_id: '01K9Z3V8M6T2Q4X7N5B1C0D9EF' }),
  }),

  'alert_rules.delete': operation({
    summary: 'Delete a rule for alerts',
    description: 'The alerts that it raised stay.',
    ...about,
    effect: 'write',
    cost: 2,
    removes: 'alert_rules.create',
    http: { method: 'DELETE', path: '/api/v1/eval/alert-rules/{rule_id}' },
    cli: { args: ['rule_id'], alias: 'delete-alert' },
    input: () => z.strictObject({ rule_id: a.alertRuleId, ...author }),
    output: () => z.object({ rule_id: a.alertRuleId, deleted: z.boolean() }),
    errors: ['not_found', 'module_not_installed'],
    example: () => example,
  }),
};

function partialSettings() {
  const { name, above, window_minutes, cooldown_minutes, min_samples } = a.alertRuleSettings;
  return {
    name: name.optional(),
    above: above.optional(),
    window_minutes: window_minutes.optional(),
    cooldown_minutes: cooldown_minutes.optional(),
    min_samples: min_samples.optional(),
  };
}
