import type { Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'negotiations',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE negotiations (
          account_id ${text} NOT NULL,
          negotiation_id ${text} NOT NULL,
          title ${text} NOT NULL,
          description ${text} NOT NULL,
          status ${text} NOT NULL,
          round ${int} NOT NULL,
          max_rounds ${int} NOT NULL,
          deadline_at ${int},
          proposed_by ${text},
          proposal_no ${int} NOT NULL,
          step_count ${int} NOT NULL,
          participant_count ${int} NOT NULL,
          agent_id ${text} NOT NULL,
          created_seq ${int} NOT NULL,
          created_at ${int} NOT NULL,
          updated_at ${int} NOT NULL,
          ended_at ${int},
          PRIMARY KEY (account_id, negotiation_id)
        ) ${clustered}`,
        'CREATE INDEX negotiations_newest ON negotiations (account_id, created_seq)',
        "CREATE INDEX negotiations_due ON negotiations (deadline_at) WHERE status = 'open' AND deadline_at IS NOT NULL",
        `CREATE TABLE negotiation_participants (
          account_id ${text} NOT NULL,
          negotiation_id ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          answer ${text},
          has_left ${int} NOT NULL,
          PRIMARY KEY (account_id, negotiation_id, agent_id)
        ) ${clustered}`,
        `CREATE TABLE negotiation_steps (
          account_id ${text} NOT NULL,
          negotiation_id ${text} NOT NULL,
          no ${int} NOT NULL,
          round ${int} NOT NULL,
          agent_id ${text} NOT NULL,
          action ${text} NOT NULL,
          proposal ${text},
          rationale ${text} NOT NULL,
          created_at ${int} NOT NULL,
          PRIMARY KEY (account_id, negotiation_id, no)
        ) ${clustered}`,
      ];
    },
  },
  {
    version: 2,
    name: 'open and ended negotiations',
    up: () => [
      "CREATE INDEX negotiations_open ON negotiations (account_id, agent_id) WHERE status = 'open'",
      'CREATE INDEX negotiations_ended ON negotiations (account_id, ended_at, negotiation_id) WHERE ended_at IS NOT NULL',
    ],
  },
];
