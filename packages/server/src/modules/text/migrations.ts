import { dropView, type Migration } from '../../db/index.ts';
import { createWordsView } from '../entries/index.ts';
import { WORD_BLOCKS } from './newest-matches.ts';
import { PATH_MARKS } from './path-marks.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 4,
    name: 'full text',
    up: ({ engine }) =>
      engine === 'sqlite'
        ? [
            // Only the index is stored, not the text; words are prepared beforehand, so the tokenizer has nothing to
            // decide.
            `CREATE VIRTUAL TABLE entry_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii', detail=full)`,
          ]
        : [
            'ALTER TABLE entries ADD COLUMN search_words tsvector',
            'ALTER TABLE entries ADD COLUMN word_count BIGINT NOT NULL DEFAULT 0',
            // New words are collected in a pending list of up to 64 MB, which a job moves into the index, so that no write
            // has to.
            'CREATE INDEX entries_by_word ON entries USING gin (search_words) WITH (gin_pending_list_limit = 65536)',
          ],
  },
  {
    version: 2,
    legacy: 25,
    name: 'words by themselves',
    up: ({ engine }) =>
      engine === 'sqlite'
        ? []
        : [
            // Under row-level security the index of words can be used only through these views (db/row-security.ts).
            'CREATE VIEW words_of_entries AS SELECT account_id, branch, entity_path, seq, search_words, word_count FROM entries',
            'CREATE VIEW words_of_traces AS SELECT account_id, seq, search_words FROM traces',
          ],
  },
  {
    version: 3,
    name: 'words in a file of their own',
    // Made again from the entries, beside requests.
    up: ({ engine }) => (engine === 'sqlite' ? ['DROP TABLE entry_words'] : []),
  },
  {
    version: 4,
    name: 'words by their place in the log',
    up: ({ engine }) =>
      engine === 'sqlite'
        ? []
        : [
            'DROP INDEX entries_by_word',
            `CREATE INDEX entries_by_word ON entries USING gin (search_words, (${WORD_BLOCKS})) WITH (gin_pending_list_limit = 65536)`,
            // Under row-level security it is replaced by one for each account.
            dropView('words_of_entries'),
            createWordsView,
          ],
  },
  {
    version: 5,
    name: 'words by their path',
    up: ({ engine }) =>
      engine === 'sqlite'
        ? []
        : [
            'DROP INDEX entries_by_word',
            `CREATE INDEX entries_by_word ON entries USING gin (search_words, (${WORD_BLOCKS}), (${PATH_MARKS})) WITH (gin_pending_list_limit = 65536)`,
          ],
  },
];
