import { type Migration, WORD_BLOCKS } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'an index of traces',
    up: ({ engine, text, int, real }) => [
      `CREATE TABLE indexed_traces (
        account_id ${text} NOT NULL,
        seq ${int} NOT NULL,
        agent_id ${text} NOT NULL,
        branch ${text} NOT NULL,
        visible_to ${text} NOT NULL,
        duration_ms ${int},
        cost_usd ${real},
        facts ${text} NOT NULL,
        PRIMARY KEY (account_id, seq)
      )`,
      'CREATE INDEX indexed_traces_by_agent ON indexed_traces (account_id, agent_id)',
      ...(engine === 'sqlite'
        ? [
            `CREATE VIRTUAL TABLE indexed_trace_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii', detail=full)`,
          ]
        : [
            'ALTER TABLE indexed_traces ADD COLUMN search_words tsvector',
            `CREATE INDEX indexed_traces_by_word ON indexed_traces USING gin (search_words, (${WORD_BLOCKS}))`,
            'CREATE VIEW words_of_indexed_traces AS SELECT account_id, seq, search_words FROM indexed_traces',
          ]),
    ],
  },
  {
    version: 2,
    name: 'traces by cost and duration',
    up: () => [
      'CREATE INDEX indexed_traces_by_cost ON indexed_traces (account_id, cost_usd, seq)',
      'CREATE INDEX indexed_traces_by_duration ON indexed_traces (account_id, duration_ms, seq)',
    ],
  },
  {
    version: 3,
    name: 'merge words of traces early',
    // Two segments of a size are merged when there is time for it, not only four while traces are indexed.
    up: ({ engine }) =>
      engine === 'sqlite'
        ? [`INSERT INTO indexed_trace_words (indexed_trace_words, rank) VALUES ('usermerge', 2)`]
        : [],
  },
];
