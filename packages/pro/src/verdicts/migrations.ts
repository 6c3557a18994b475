import { countColumns, type Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'verdicts',
    up: ({ engine, text, int, real }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE verdicts (
          account_id ${text} NOT NULL,
          trace_seq ${int} NOT NULL,
          judge_id ${text} NOT NULL,
          judge_version ${int} NOT NULL,
          trace_id ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          branch ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          result ${text} NOT NULL,
          judge_result ${text} NOT NULL,
          score ${real},
          reason ${text} NOT NULL,
          evidence ${text} NOT NULL,
          is_partial ${int} NOT NULL,
          cost_usd ${real},
          traced_at ${int} NOT NULL,
          seq ${int} NOT NULL,
          created_at ${int} NOT NULL,
          PRIMARY KEY (account_id, trace_seq, judge_id, judge_version)
        ) ${clustered}`,
        'CREATE INDEX verdicts_by_judge ON verdicts (account_id, judge_id, trace_seq, judge_version)',
        'CREATE INDEX verdicts_by_agent ON verdicts (account_id, agent_id, trace_seq, judge_id, judge_version)',
        `CREATE TABLE human_verdicts (
          account_id ${text} NOT NULL,
          trace_seq ${int} NOT NULL,
          judge_id ${text} NOT NULL,
          result ${text} NOT NULL,
          reason ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          trace_agent ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          seq ${int} NOT NULL,
          created_at ${int} NOT NULL,
          PRIMARY KEY (account_id, trace_seq, judge_id)
        ) ${clustered}`,
        'CREATE INDEX human_verdicts_by_judge ON human_verdicts (account_id, judge_id, trace_seq)',
      ];
    },
  },
  {
    version: 2,
    name: 'verdicts_by_judge_and_agent',
    up: () => [
      'CREATE INDEX verdicts_by_judge_and_agent ON verdicts (account_id, judge_id, agent_id, trace_seq, judge_version)',
    ],
  },
  { version: 3, name: 'model_calls', up: ({ text }) => [`ALTER TABLE verdicts ADD COLUMN model_call ${text}`] },
  {
    version: 4,
    name: 'counted_verdicts',
    up: ({ engine, text, int, real }) => [
      `CREATE TABLE counted_verdicts (
        account_id ${text} NOT NULL,
        trace_seq ${int} NOT NULL,
        judge_id ${text} NOT NULL,
        judge_version ${int} NOT NULL,
        verdict ${text} NOT NULL,
        weight ${real} NOT NULL,
        n_causal ${int} NOT NULL,
        agent_id ${text} NOT NULL,
        visible_to ${text} NOT NULL,
        PRIMARY KEY (account_id, trace_seq, judge_id)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
    ],
  },
  {
    version: 5,
    name: 'verdicts count as storage',
    up: () => [countColumns('verdicts', ['trace_id', 'agent_id', 'judge_id', 'reason', 'evidence', 'model_call'])],
  },
];
