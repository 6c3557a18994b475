import type { WordIndex } from '../../kernel/index.ts';

export const wordIndexes: readonly WordIndex[] = [
  {
    of: 'entries',
    table: 'entry_words',
    view: 'words_of_entries',
    columns: [
      ...['account_id', 'branch', 'entity_path', 'key', 'seq', 'search_words', 'word_count'],
      // What a search filters by.
      ...['agent_id', 'memory_type', 'written_at', 'is_artifact', 'pattern_refs', 'shared', 'deleted', 'ttl_at'],
    ],
    apart: true,
  },
];
