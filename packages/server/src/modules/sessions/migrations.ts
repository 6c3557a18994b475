import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 8,
    name: 'sessions',
    up: ({ engine, text, int, real }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      const session = `account_id ${text} NOT NULL, agent_id ${text} NOT NULL, session ${text} NOT NULL`;
      return [
        `CREATE TABLE sessions (${session},
          opened_at ${int} NOT NULL,
          last_at ${int} NOT NULL,
          attempt ${int} NOT NULL,
          reads ${int} NOT NULL,
          items ${int} NOT NULL,
          actions ${int} NOT NULL,
          truncated ${int} NOT NULL,
          attributes ${text} NOT NULL,
          PRIMARY KEY (account_id, agent_id, session)
        ) ${clustered}`,
        'CREATE INDEX sessions_by_time ON sessions (last_at)',
        `CREATE TABLE session_reads (${session},
          entry_id ${int} NOT NULL,
          version ${int} NOT NULL,
          attempt ${int} NOT NULL,
          no ${int} NOT NULL,
          branch ${text} NOT NULL,
          entity_path ${text} NOT NULL,
          key ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          written_by ${text} NOT NULL,
          confidence ${real} NOT NULL,
          standing ${text},
          read_at ${int} NOT NULL,
          duration_ms ${real} NOT NULL,
          PRIMARY KEY (account_id, agent_id, session, entry_id, version, attempt)
        ) ${clustered}`,
        'CREATE INDEX session_reads_by_entry ON session_reads (account_id, entry_id)',
        `CREATE TABLE session_items (${session},
          no ${int} NOT NULL,
          kind ${text} NOT NULL,
          attempt ${int} NOT NULL,
          at ${int} NOT NULL,
          entity_path ${text},
          data ${text} NOT NULL,
          PRIMARY KEY (account_id, agent_id, session, no)
        ) ${clustered}`,
        'CREATE INDEX session_items_by_path ON session_items (account_id, entity_path) WHERE entity_path IS NOT NULL',
      ];
    },
  },
];
