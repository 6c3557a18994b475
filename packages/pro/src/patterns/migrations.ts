import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'patterns and scans for them',
    up: ({ engine, text, int, real }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE detected_patterns (
          account_id ${text} NOT NULL,
          pattern_id ${text} NOT NULL,
          pattern_type ${text} NOT NULL,
          severity ${text} NOT NULL,
          list_order ${int} NOT NULL,
          weight ${real} NOT NULL,
          entity_path ${text},
          of_agent ${text},
          branch ${text} NOT NULL,
          pull_request_id ${text},
          status ${text} NOT NULL,
          figures ${text} NOT NULL,
          evidence ${text} NOT NULL,
          evidence_seq ${int} NOT NULL,
          scan_seq ${int} NOT NULL,
          reopened ${int} NOT NULL,
          seq ${int} NOT NULL,
          detected_at ${int} NOT NULL,
          opened_at ${int} NOT NULL,
          updated_at ${int} NOT NULL,
          resolved_seq ${int},
          resolved_at ${int},
          resolved_by ${text},
          reason ${text} NOT NULL,
          PRIMARY KEY (account_id, pattern_id)
        ) ${clustered}`,
        'CREATE INDEX detected_patterns_in_order ON detected_patterns (account_id, list_order)',
        'CREATE INDEX detected_patterns_by_scan ON detected_patterns (account_id, status, scan_seq)',
        `CREATE TABLE pattern_agents (
          account_id ${text} NOT NULL,
          pattern_id ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          PRIMARY KEY (account_id, pattern_id, agent_id)
        ) ${clustered}`,
        `CREATE TABLE pattern_scans (
          account_id ${text} NOT NULL,
          scan_id ${text} NOT NULL,
          for_path ${text},
          for_agent ${text},
          settings ${text} NOT NULL,
          status ${text} NOT NULL,
          phase ${text} NOT NULL,
          entity_path ${text},
          place ${text},
          all_entries ${int} NOT NULL,
          scanned_entries ${int} NOT NULL,
          scanned_outcomes ${int} NOT NULL,
          scanned_agents ${int} NOT NULL,
          scanned_branches ${int} NOT NULL,
          patterns_found ${int} NOT NULL,
          patterns_opened ${int} NOT NULL,
          patterns_cleared ${int} NOT NULL,
          failures ${int} NOT NULL,
          agent_id ${text} NOT NULL,
          created_seq ${int} NOT NULL,
          created_at ${int} NOT NULL,
          ended_at ${int},
          PRIMARY KEY (account_id, scan_id)
        ) ${clustered}`,
        'CREATE INDEX pattern_scans_by_seq ON pattern_scans (account_id, created_seq)',
      ];
    },
  },
];
