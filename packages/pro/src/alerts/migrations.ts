import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'rules and alerts',
    up: ({ engine, text, int, real }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE alert_rules (
          account_id ${text} NOT NULL,
          rule_id ${text} NOT NULL,
          name ${text} NOT NULL,
          metric ${text} NOT NULL,
          judge_id ${text},
          for_agent ${text},
          above ${real} NOT NULL,
          window_minutes ${int} NOT NULL,
          cooldown_minutes ${int} NOT NULL,
          min_samples ${int} NOT NULL,
          muted_until ${int},
          raised_at ${int},
          agent_id ${text} NOT NULL,
          created_at ${int} NOT NULL,
          updated_seq ${int} NOT NULL,
          updated_at ${int} NOT NULL,
          PRIMARY KEY (account_id, rule_id)
        ) ${clustered}`,
        `CREATE TABLE alerts (
          account_id ${text} NOT NULL,
          seq ${int} NOT NULL,
          alert_id ${text} NOT NULL,
          rule_id ${text} NOT NULL,
          metric ${text} NOT NULL,
          judge_id ${text},
          for_agent ${text},
          value ${real} NOT NULL,
          above ${real} NOT NULL,
          samples ${int} NOT NULL,
          complete ${int} NOT NULL,
          since ${int} NOT NULL,
          raised_at ${int} NOT NULL,
          acknowledged_by ${text},
          acknowledged_at ${int},
          comment ${text} NOT NULL,
          PRIMARY KEY (account_id, seq)
        ) ${clustered}`,
        'CREATE UNIQUE INDEX alerts_by_id ON alerts (account_id, alert_id)',
      ];
    },
  },
];
