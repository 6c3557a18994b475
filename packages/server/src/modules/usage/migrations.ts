import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 21,
    name: 'usage',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE usage_counters (
          account_id ${text} NOT NULL,
          period ${text} NOT NULL,
          no ${int} NOT NULL,
          ops_used ${int} NOT NULL,
          PRIMARY KEY (account_id, period)
        ) ${clustered}`,
        `CREATE TABLE usage_ledger (
          account_id ${text} NOT NULL,
          period ${text} NOT NULL,
          no ${int} NOT NULL,
          at ${int} NOT NULL,
          class ${text} NOT NULL,
          ops ${int} NOT NULL,
          requests ${int} NOT NULL,
          lease_id ${text},
          PRIMARY KEY (account_id, period, no)
        ) ${clustered}`,
      ];
    },
  },
  {
    version: 2,
    legacy: 22,
    name: 'rate limits',
    up: ({ engine, text, int }) => [
      `CREATE TABLE rate_cells (
        account_id ${text} NOT NULL,
        key_id ${text} NOT NULL,
        cell ${int} NOT NULL,
        requests ${int} NOT NULL,
        PRIMARY KEY (account_id, key_id, cell)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
      'CREATE INDEX rate_cells_by_time ON rate_cells (cell)',
    ],
  },
];
