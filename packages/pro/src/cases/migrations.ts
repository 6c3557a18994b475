import { countColumns, type Migration } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'regression cases',
    up: ({ engine, text, int, real }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE cases (
          account_id ${text} NOT NULL,
          case_id ${text} NOT NULL,
          set_id ${text} NOT NULL,
          version ${int} NOT NULL,
          name ${text} NOT NULL,
          description ${text} NOT NULL,
          task_input ${text},
          expected ${text} NOT NULL,
          trace_id ${text},
          trace_agent ${text},
          agent_id ${text} NOT NULL,
          created_at ${int} NOT NULL,
          updated_seq ${int} NOT NULL,
          updated_at ${int} NOT NULL,
          PRIMARY KEY (account_id, case_id)
        ) ${clustered}`,
        'CREATE UNIQUE INDEX cases_by_set ON cases (account_id, set_id, case_id)',
        `CREATE TABLE case_runs (
          account_id ${text} NOT NULL,
          seq ${int} NOT NULL,
          case_run_id ${text} NOT NULL,
          set_id ${text} NOT NULL,
          label ${text} NOT NULL,
          counts ${text} NOT NULL,
          previous_case_run_id ${text},
          agent_id ${text} NOT NULL,
          created_at ${int} NOT NULL,
          PRIMARY KEY (account_id, seq)
        ) ${clustered}`,
        'CREATE UNIQUE INDEX case_runs_by_id ON case_runs (account_id, case_run_id)',
        'CREATE INDEX case_runs_by_set ON case_runs (account_id, set_id, seq)',
        `CREATE TABLE case_results (
          account_id ${text} NOT NULL,
          run_seq ${int} NOT NULL,
          case_id ${text} NOT NULL,
          case_version ${int} NOT NULL,
          result ${text} NOT NULL,
          score ${real},
          reason ${text} NOT NULL,
          trace_id ${text},
          trace_agent ${text},
          branch ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          before_result ${text},
          PRIMARY KEY (account_id, run_seq, case_id)
        ) ${clustered}`,
      ];
    },
  },
  {
    version: 2,
    name: 'runs on branches',
    up: ({ text }) => [`ALTER TABLE case_runs ADD COLUMN branch ${text} NOT NULL DEFAULT 'main'`],
  },
  {
    version: 3,
    name: 'results of cases count as storage',
    up: () => [countColumns('case_results', ['reason'])],
  },
];
