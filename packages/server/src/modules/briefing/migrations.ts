import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'marks and visits',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        // One row for each path above an entry: what is best below a path is one range of the key.
        `CREATE TABLE briefing_marks (
          account_id ${text} NOT NULL,
          branch ${text} NOT NULL,
          kind ${text} NOT NULL,
          ancestor ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          rank ${int} NOT NULL,
          entry_id ${int} NOT NULL,
          PRIMARY KEY (account_id, branch, kind, ancestor, visible_to, rank, entry_id)
        ) ${clustered}`,
        'CREATE INDEX briefing_marks_by_entry ON briefing_marks (account_id, entry_id)',
        `CREATE TABLE briefing_visits (
          account_id ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          branch ${text} NOT NULL,
          seq ${int} NOT NULL,
          entity_path ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          read_at ${int} NOT NULL,
          PRIMARY KEY (account_id, agent_id, branch, seq, entity_path)
        ) ${clustered}`,
        'CREATE INDEX briefing_visits_by_path ON briefing_visits (account_id, entity_path)',
      ];
    },
  },
];
