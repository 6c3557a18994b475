import { exported, type Row, type TenantTable } from '@mem-service/server/module';
import { upsertAlerts, upsertRules } from './queries.ts';

/** Whose failures a rule is about is known where it is about failures, and only there. */
const ofJudge = ({ metric, judge_id }: Row): string | undefined =>
  (metric === 'failure_rate') === (judge_id !== null)
    ? undefined
    : 'judge_id goes with the metric failure_rate, and only with it';

export const tables: readonly TenantTable[] = [
  exported(upsertRules, {
    kind: 'alert_rule',
    key: ['rule_id'],
    nullable: ['judge_id', 'for_agent', 'muted_until', 'raised_at'],
    holds: ({ alertShapes: alert, judgeShapes, time, notNegative }) => ({
      ...{ rule_id: alert.alertRuleId, metric: alert.alertMetric, judge_id: judgeShapes.judgeId },
      ...{ ...alert.alertRuleSettings, muted_until: time, raised_at: time, updated_seq: notNegative },
    }),
    refers: { judge_id: 'judge' },
    check: ofJudge,
    agents: { for_agent: { erased: 'delete the row' }, agent_id: { erased: 'rename' } },
  }),
  exported(upsertAlerts, {
    kind: 'alert',
    key: ['seq'],
    nullable: ['judge_id', 'for_agent', 'acknowledged_by', 'acknowledged_at'],
    holds: ({ alertShapes: alert, judgeShapes, time, flag, notNegative }) => ({
      ...{ rule_id: alert.alertRuleId, metric: alert.alertMetric, judge_id: judgeShapes.judgeId },
      ...{ value: notNegative, above: notNegative, samples: notNegative, complete: flag },
      ...{ since: time, raised_at: time, acknowledged_at: time },
    }),
    check: ofJudge,
    agents: {
      for_agent: { erased: 'delete the row' },
      acknowledged_by: { erased: 'rename', also: () => ({ comment: '' }) },
    },
  }),
];
