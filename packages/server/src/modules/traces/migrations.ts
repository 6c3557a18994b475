import type { Migration } from '../../db/index.ts';
import { WORD_BLOCKS } from '../text/index.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 12,
    name: 'traces',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        `CREATE TABLE traces (
          account_id ${text} NOT NULL,
          seq ${int} NOT NULL,
          trace_id ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          session ${text} NOT NULL,
          sequence ${int} NOT NULL,
          branch ${text} NOT NULL,
          outcome_ref ${text},
          outcome_type ${text},
          visible_to ${text} NOT NULL,
          created_at ${int} NOT NULL,
          header ${text} NOT NULL,
          parent_hash ${text},
          hash ${text} NOT NULL,
          signature ${text},
          key_id ${text},
          PRIMARY KEY (account_id, seq)
        )`,
        'CREATE UNIQUE INDEX traces_by_id ON traces (account_id, trace_id)',
        'CREATE UNIQUE INDEX traces_by_session ON traces (account_id, agent_id, session, sequence)',
        'CREATE INDEX traces_by_agent ON traces (account_id, agent_id, seq)',
        'CREATE INDEX traces_by_outcome ON traces (account_id, outcome_ref, seq) WHERE outcome_ref IS NOT NULL',
        ...(engine === 'sqlite'
          ? [
              `CREATE VIRTUAL TABLE trace_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii', detail=full)`,
            ]
          : [
              'ALTER TABLE traces ADD COLUMN search_words tsvector',
              'CREATE INDEX traces_by_word ON traces USING gin (search_words)',
            ]),
        // The parts of a trace, each with its own hash: one can be erased and the rest still be verified.
        `CREATE TABLE trace_items (
          account_id ${text} NOT NULL,
          seq ${int} NOT NULL,
          no ${int} NOT NULL,
          kind ${text} NOT NULL,
          visible_to ${text} NOT NULL,
          entity_path ${text},
          key ${text},
          entry_id ${int},
          data ${text},
          hash ${text} NOT NULL,
          PRIMARY KEY (account_id, seq, no)
        ) ${clustered}`,
        'CREATE INDEX trace_items_by_path ON trace_items (account_id, entity_path, seq) WHERE entity_path IS NOT NULL',
      ];
    },
  },
  {
    version: 2,
    legacy: 17,
    name: 'spans of exporters',
    up: ({ engine, text, int }) => {
      const clustered = engine === 'sqlite' ? 'WITHOUT ROWID' : '';
      return [
        // The spans received, and their items: a span that is sent again counts once.
        `CREATE TABLE otel_spans (
          account_id ${text} NOT NULL,
          trace_id ${text} NOT NULL,
          span_id ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          session ${text} NOT NULL,
          item_no ${int} NOT NULL,
          call_no ${int},
          at ${int} NOT NULL,
          PRIMARY KEY (account_id, trace_id, span_id)
        ) ${clustered}`,
        'CREATE INDEX otel_spans_by_time ON otel_spans (at)',
        // The session of each trace: its spans arrive in any order, and not all of them name it.
        `CREATE TABLE otel_traces (
          account_id ${text} NOT NULL,
          trace_id ${text} NOT NULL,
          agent_id ${text} NOT NULL,
          agent_rank ${int} NOT NULL,
          session ${text} NOT NULL,
          session_rank ${int} NOT NULL,
          at ${int} NOT NULL,
          PRIMARY KEY (account_id, trace_id)
        ) ${clustered}`,
        'CREATE INDEX otel_traces_by_time ON otel_traces (at)',
      ];
    },
  },
  {
    version: 3,
    name: 'words of traces by their place in the log',
    up: ({ engine }) =>
      engine === 'sqlite'
        ? []
        : [
            'DROP INDEX traces_by_word',
            `CREATE INDEX traces_by_word ON traces USING gin (search_words, (${WORD_BLOCKS}))`,
          ],
  },
  {
    version: 4,
    name: 'traces with errors',
    up: ({ int }) => [
      `ALTER TABLE traces ADD COLUMN has_error ${int}`,
      `UPDATE traces SET has_error = 1 WHERE EXISTS (SELECT 1 FROM trace_items
        WHERE trace_items.account_id = traces.account_id AND trace_items.seq = traces.seq AND trace_items.kind = 'error')`,
      'CREATE INDEX traces_with_error ON traces (account_id, seq) WHERE has_error = 1',
    ],
  },
];
