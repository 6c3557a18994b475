import { andAll, fragment, type Insert, type Query, type Sql, sql, type Transaction } from '@mem-service/server/module';

export type RuleRow = {
  account_id: string;
  rule_id: string;
  name: string;
  metric: string;
  judge_id: string | null;
  for_agent: string | null;
  above: number;
  window_minutes: number;
  cooldown_minutes: number;
  min_samples: number;
  muted_until: number | null;
  /** When it last raised an alert. */
  raised_at: number | null;
  /** Who last changed it. */
  agent_id: string;
  created_at: number;
  updated_seq: number;
  updated_at: number;
};

export const upsertRules: Insert = {
  table: 'alert_rules',
  columns: {
    account_id: 'text',
    rule_id: 'text',
    name: 'text',
    metric: 'text',
    judge_id: 'text',
    for_agent: 'text',
    above: 'real',
    window_minutes: 'int',
    cooldown_minutes: 'int',
    min_samples: 'int',
    muted_until: 'int',
    raised_at: 'int',
    agent_id: 'text',
    created_at: 'int',
    updated_seq: 'int',
    updated_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, rule_id) DO UPDATE SET name = excluded.name, above = excluded.above,
    window_minutes = excluded.window_minutes, cooldown_minutes = excluded.cooldown_minutes,
    min_samples = excluded.min_samples, muted_until = excluded.muted_until, raised_at = excluded.raised_at,
    agent_id = excluded.agent_id, updated_seq = excluded.updated_seq, updated_at = excluded.updated_at`,
};

const RULE = fragment(Object.keys(upsertRules.columns).join(', '));

/** All of an account, by id: they are few. */
export function listRules(query: Query, accountId: string): Promise<RuleRow[]> {
  return query.all(sql`SELECT ${RULE} FROM alert_rules WHERE account_id = ${accountId} ORDER BY rule_id`);
}

export function getRule(query: Query, accountId: string, ruleId: string): Promise<RuleRow | undefined> {
  return query.get(sql`SELECT ${RULE} FROM alert_rules WHERE account_id = ${accountId} AND rule_id = ${ruleId}`);
}

export function deleteRule(tx: Transaction, accountId: string, ruleId: string): Promise<number> {
  return tx.run(sql`DELETE FROM alert_rules WHERE account_id = ${accountId} AND rule_id = ${ruleId}`);
}

export type AlertRow = {
  account_id: string;
  /** The event that reports it. */
  seq: number;
  alert_id: string;
  rule_id: string;
  metric: string;
  judge_id: string | null;
  for_agent: string | null;
  value: number;
  above: number;
  samples: number;
  complete: number;
  /** Where the window began. */
  since: number;
  raised_at: number;
  acknowledged_by: string | null;
  acknowledged_at: number | null;
  comment: string;
};

export const upsertAlerts: Insert = {
  table: 'alerts',
  columns: {
    account_id: 'text',
    seq: 'int',
    alert_id: 'text',
    rule_id: 'text',
    metric: 'text',
    judge_id: 'text',
    for_agent: 'text',
    value: 'real',
    above: 'real',
    samples: 'int',
    complete: 'int',
    since: 'int',
    raised_at: 'int',
    acknowledged_by: 'text',
    acknowledged_at: 'int',
    comment: 'text',
  },
  suffix: `ON CONFLICT (account_id, seq) DO UPDATE SET acknowledged_by = excluded.acknowledged_by,
    acknowledged_at = excluded.acknowledged_at, comment = excluded.comment`,
};

const ALERT = fragment(Object.keys(upsertAlerts.columns).join(', '));

export function getAlert(query: Query, accountId: string, alertId: string): Promise<AlertRow | undefined> {
  return query.get(sql`SELECT ${ALERT} FROM alerts WHERE account_id = ${accountId} AND alert_id = ${alertId}`);
}

export type AlertPage = { account_id: string; filters: readonly Sql[]; before: number; limit: number };

/** Newest first; an account keeps few enough to look through them all. */
export function listAlerts(query: Query, { account_id, filters, before, limit }: AlertPage): Promise<AlertRow[]> {
  return query.all(
    sql`SELECT ${ALERT} FROM alerts WHERE account_id = ${account_id} AND seq < ${before}${andAll(filters)}
        ORDER BY seq DESC LIMIT ${limit}`,
  );
}

/** Keeps the newest. */
export function dropOldAlerts(tx: Transaction, accountId: string, kept: number): Promise<number> {
  return tx.run(
    sql`DELETE FROM alerts WHERE account_id = ${accountId} AND seq <=
          (SELECT seq FROM alerts WHERE account_id = ${accountId} ORDER BY seq DESC LIMIT 1 OFFSET ${kept})`,
  );
}
