import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'incidents',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE incidents (
          account_id ${text} NOT NULL,
          incident_id ${text} NOT NULL,
          source_kind ${text} NOT NULL,
          source_id ${text} NOT NULL,
          source_version ${int} NOT NULL,
          of_agent ${text} NOT NULL,
          branch ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          status ${text} NOT NULL,
          muted_until ${int},
          rule ${text} NOT NULL,
          from_seq ${int} NOT NULL,
          to_seq ${int} NOT NULL,
          base_from_seq ${int},
          base_until_seq ${int},
          resolved_seq ${int},
          failures ${int} NOT NULL,
          reported_failures ${int} NOT NULL,
          last_trace_seq ${int} NOT NULL,
          last_failed_at ${int} NOT NULL,
          seq ${int} NOT NULL,
          created_at ${int} NOT NULL,
          opened_at ${int} NOT NULL,
          updated_at ${int} NOT NULL,
          PRIMARY KEY (account_id, incident_id)
        ) ${clustered}`,
        `CREATE UNIQUE INDEX incidents_by_source
          ON incidents (account_id, source_kind, source_id, of_agent, branch, visible_to)`,
        'CREATE INDEX incidents_by_seq ON incidents (account_id, seq)',
        'CREATE INDEX incidents_by_last_trace ON incidents (account_id, last_trace_seq)',
        `CREATE TABLE incident_changes (
          account_id ${text} NOT NULL,
          incident_id ${text} NOT NULL,
          seq ${int} NOT NULL,
          change ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          of_agent ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          reason ${text} NOT NULL,
          failures ${int},
          muted_until ${int},
          created_at ${int} NOT NULL,
          PRIMARY KEY (account_id, incident_id, seq)
        ) ${clustered}`,
      ];
    },
  },
  {
    version: 2,
    name: 'groups of incidents',
    up: ({ text }) => [
      `ALTER TABLE incidents ADD COLUMN group_id ${text} NOT NULL DEFAULT ''`,
      'UPDATE incidents SET group_id = incident_id',
      'CREATE INDEX incidents_by_group ON incidents (account_id, group_id, seq)',
    ],
  },
];
