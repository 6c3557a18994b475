import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'budgets',
    up: ({ engine, text, int, real }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE model_budgets (
          account_id ${text} NOT NULL,
          period ${text} NOT NULL,
          max_calls ${int},
          max_usd ${real},
          agent_id ${text} NOT NULL,
          updated_at ${int} NOT NULL,
          PRIMARY KEY (account_id, period)
        ) ${clustered}`,
        `CREATE TABLE model_spending (
          account_id ${text} NOT NULL,
          period ${text} NOT NULL,
          starts_at ${int} NOT NULL,
          calls ${int} NOT NULL,
          failed ${int} NOT NULL,
          cost_usd ${real} NOT NULL,
          input_tokens ${int} NOT NULL,
          output_tokens ${int} NOT NULL,
          PRIMARY KEY (account_id, period, starts_at)
        ) ${clustered}`,
      ];
    },
  },
];
