import { type Migration, WORD_BLOCKS } from '@mem-service/server/module';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'documents of rooms',
    up: ({ engine, text, int }) => [
      `CREATE TABLE room_documents (
        account_id ${text} NOT NULL,
        document_id ${text} NOT NULL,
        name ${text} NOT NULL,
        title ${text} NOT NULL,
        format ${text} NOT NULL,
        version ${int} NOT NULL,
        status ${text} NOT NULL,
        reason ${text},
        message ${text},
        readable_version ${int},
        bytes ${int} NOT NULL,
        sha256 ${text} NOT NULL,
        page_count ${int},
        char_count ${int},
        agent_id ${text} NOT NULL,
        created_at ${int} NOT NULL,
        updated_at ${int} NOT NULL,
        PRIMARY KEY (account_id, document_id)
      ) ${engine === 'sqlite' ? 'WITHOUT ROWID' : ''}`,
      'CREATE INDEX room_documents_by_agent ON room_documents (account_id, agent_id)',
      `CREATE TABLE room_document_files (
        account_id ${text} NOT NULL,
        document_id ${text} NOT NULL,
        content ${text} NOT NULL,
        PRIMARY KEY (account_id, document_id)
      )`,
      `CREATE TABLE room_document_passages (
        account_id ${text} NOT NULL,
        seq ${int} NOT NULL,
        document_id ${text} NOT NULL,
        version ${int} NOT NULL,
        page ${int} NOT NULL,
        text ${text} NOT NULL,
        PRIMARY KEY (account_id, seq)
      )`,
      'CREATE INDEX room_document_passages_in_order ON room_document_passages (account_id, document_id, version, seq)',
      ...(engine === 'sqlite'
        ? [
            `CREATE VIRTUAL TABLE room_document_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii', detail=full)`,
          ]
        : [
            'ALTER TABLE room_document_passages ADD COLUMN search_words tsvector',
            `CREATE INDEX room_document_passages_by_word ON room_document_passages USING gin (search_words, (${WORD_BLOCKS}))`,
            'CREATE VIEW words_of_room_documents AS SELECT account_id, seq, search_words FROM room_document_passages',
          ]),
    ],
  },
  {
    version: 2,
    name: 'what documents of rooms store',
    up: ({ int }) => [`ALTER TABLE room_documents ADD COLUMN stored_bytes ${int} NOT NULL DEFAULT 0`],
  },
  {
    version: 3,
    name: 'who added documents of rooms',
    up: ({ text }) => [
      `ALTER TABLE room_documents ADD COLUMN added_by ${text} NOT NULL DEFAULT ''`,
      'UPDATE room_documents SET added_by = agent_id',
    ],
  },
];
