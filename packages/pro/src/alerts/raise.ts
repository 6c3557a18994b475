import { EVERYONE, MAIN_BRANCH, SELF_CALLER, type Work } from '@mem-service/server/module';
import { MINUTE, windowStart } from './measure.ts';
import * as queries from './queries.ts';
import type { MeasuredMetric } from './rules/reason.ts';

const MAX_ALERTS = 1000;

export type RuleFinding = MeasuredMetric & { rule: queries.RuleRow; value: number };

export function mayRaise({ muted_until, raised_at, cooldown_minutes }: queries.RuleRow, at: number): boolean {
  const isMuted = muted_until !== null && muted_until > at;
  return !isMuted && (raised_at === null || at >= raised_at + cooldown_minutes * MINUTE);
}

/** Raises the alerts of rules that may still do so. */
export async function raiseAlerts(work: Work, findings: readonly RuleFinding[], at: number): Promise<void> {
  const { tx, account_id } = work;
  const current = new Map((await queries.listRules(tx, account_id)).map((rule) => [rule.rule_id, rule]));
  for (const finding of findings) {
    const rule = current.get(finding.rule.rule_id);
    // Somebody may have changed, muted or deleted it while it was measured.
    if (!rule || rule.updated_seq !== finding.rule.updated_seq || !mayRaise(rule, at)) continue;
    work.send(tx.insertMany(queries.upsertAlerts, [raise(work, finding, at)]));
    work.send(tx.insertMany(queries.upsertRules, [{ ...rule, raised_at: at }]));
  }
  work.send(queries.dropOldAlerts(tx, account_id, MAX_ALERTS));
}

function raise(work: Work, { rule, value, samples, complete }: RuleFinding, at: number): queries.AlertRow {
  const { account_id } = work;
  const { rule_id, metric, judge_id, for_agent, above } = rule;
  const alert_id = work.services.ids.next(work.now);
  const seq = work.emit({
    event_type: 'alert_raised',
    agent_id: for_agent ?? SELF_CALLER.agent_id,
    branch: MAIN_BRANCH,
    ...{ visible_to: EVERYONE, entity_path: null, key: null, version: null },
    details: { alert_id, rule_id, metric, value, above },
    actor_agent_id: SELF_CALLER.agent_id,
  });
  return {
    ...{ account_id, seq, alert_id, rule_id, metric, judge_id, for_agent, value, above, samples },
    ...{ complete: Number(complete), since: windowStart(rule, at), raised_at: work.now },
    ...{ acknowledged_by: null, acknowledged_at: null, comment: '' },
  };
}
