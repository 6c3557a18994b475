import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 24,
    name: 'retention',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE retention (
          account_id ${text} NOT NULL,
          kind ${text} NOT NULL,
          days ${int},
          updated_at ${int} NOT NULL,
          done_seq ${int} NOT NULL,
          PRIMARY KEY (account_id, kind)
        ) ${clustered}`,
        `CREATE TABLE trace_ends (
          account_id ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          session ${text} NOT NULL,
          sequence ${int} NOT NULL,
          hash ${text} NOT NULL,
          seq ${int} NOT NULL,
          PRIMARY KEY (account_id, agent_id, session)
        ) ${clustered}`,
        `ALTER TABLE traces ADD COLUMN header_hash ${text}`,
      ];
    },
  },
];
