import type { Row } from '../../db/index.ts';
import type { EntryHead, Projection } from '../../kernel/index.ts';
import { inTurns } from '../../turns.ts';
import { indexerOf } from './indexer.ts';
import { markOf, toTsvector } from './indexing.ts';
import { wordsOfEntryInSteps } from './rules/words.ts';

const indexed = (heads: readonly EntryHead[]) => heads.filter((head) => head.deleted !== 1);

/**
 * The search words of entries. On PostgreSQL they are columns of the entry. On SQLite they follow the log in a file of their
 * own (`indexer.ts`), so that a write does not wait for them.
 */
export const wordsOfEntries: Projection = {
  name: 'words',
  tables: ['entry_words', 'words_of_entries'],
  rowColumns: {
    engine: 'postgres',
    types: { search_words: 'search_text', word_count: 'int' },
    async values(work, changes) {
      const mark = markOf(work.account.number);
      const rows: Row[] = [];
      for (const { after, value } of changes) {
        const words = value === undefined ? [] : await inTurns(wordsOfEntryInSteps({ ...after, value }));
        rows.push({ search_words: toTsvector(mark, words), word_count: words.length });
      }
      return rows;
    },
  },
  apply() {},
  async count(_work, { heads }) {
    return { index_rows: indexed(heads).length };
  },
  /** The columns go with the entry, and the file is compacted. */
  async erase(_work, { heads }) {
    return { index_rows: indexed(heads).length };
  },
  async compact(services) {
    return (await indexerOf(services)?.compact()) ?? true;
  },
};
