import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'pull requests, reviews and checks',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE pull_requests (
          account_id ${text} NOT NULL,
          id ${text} NOT NULL,
          title ${text} NOT NULL,
          description ${text} NOT NULL,
          source_branch ${text} NOT NULL,
          target_branch ${text} NOT NULL,
          status ${text} NOT NULL,
          created_by ${text} NOT NULL,
          holder ${text},
          created_seq ${int} NOT NULL,
          created_at ${int} NOT NULL,
          updated_at ${int} NOT NULL,
          merged_by ${text},
          merged_at ${int},
          merge_strategy ${text},
          merge_id ${text},
          closed_by ${text},
          closed_at ${int},
          PRIMARY KEY (account_id, id)
        ) ${clustered}`,
        'CREATE INDEX pull_requests_by_creation ON pull_requests (account_id, created_seq)',
        'CREATE INDEX pull_requests_by_status ON pull_requests (account_id, status, created_seq)',
        'CREATE INDEX pull_requests_by_source ON pull_requests (account_id, source_branch, created_seq)',
        'CREATE INDEX pull_requests_by_target ON pull_requests (account_id, target_branch, created_seq)',
        `CREATE TABLE pull_request_reviews (
          account_id ${text} NOT NULL,
          pull_request_id ${text} NOT NULL,
          no ${int} NOT NULL,
          reviewer ${text} NOT NULL,
          holder ${text},
          decision ${text} NOT NULL,
          comment ${text} NOT NULL,
          entity_path ${text},
          key ${text},
          visible_to ${text} NOT NULL,
          source_seq ${int} NOT NULL,
          created_at ${int} NOT NULL,
          PRIMARY KEY (account_id, pull_request_id, no)
        ) ${clustered}`,
        `CREATE INDEX pull_request_reviews_by_entry ON pull_request_reviews (account_id, entity_path, key)
          WHERE entity_path IS NOT NULL`,
        `CREATE TABLE pull_request_checks (
          account_id ${text} NOT NULL,
          pull_request_id ${text} NOT NULL,
          check_name ${text} NOT NULL,
          status ${text} NOT NULL,
          summary ${text} NOT NULL,
          source_seq ${int} NOT NULL,
          target_seq ${int},
          posted_by ${text},
          updated_at ${int} NOT NULL,
          PRIMARY KEY (account_id, pull_request_id, check_name)
        ) ${clustered}`,
      ];
    },
  },
  {
    version: 2,
    name: 'how a pull request stood when it ended',
    up: ({ text }) => [`ALTER TABLE pull_requests ADD COLUMN end_state ${text}`],
  },
];
