import type { Row } from '../../db/index.ts';
import type { EntryChange, EntryHead, Projection, Work } from '../../kernel/index.ts';
import { inTurns } from '../../turns.ts';
import { markAll, markOf, rowidOf, toTsvector } from './indexing.ts';
import { deleteWords, insertWords } from './queries.ts';
import { wordsOfEntry, wordsOfEntryInSteps } from './rules/words.ts';

const wordsOf = ({ after, value }: EntryChange): string[] =>
  value === undefined ? [] : wordsOfEntry({ entity_path: after.entity_path, key: after.key, value });

/** On SQLite, which has a table for the index. On PostgreSQL the words are columns of the entry. */
function index(work: Work, changes: readonly EntryChange[]): void {
  if (work.dialect.engine === 'postgres') return;
  const { number } = work.account;
  const mark = markOf(number);
  const old: number[] = [];
  for (const { before } of changes) if (before && before.deleted === 0) old.push(rowidOf(number, before.seq));
  if (old.length > 0) work.send(deleteWords(work.tx, work.dialect, old));
  const rows: { rowid: number; words: string }[] = [];
  for (const change of changes)
    if (change.value !== undefined)
      rows.push({ rowid: rowidOf(number, change.after.seq), words: markAll(mark, wordsOf(change)) });
  work.send(work.tx.insertMany(insertWords, rows));
}

const indexed = (heads: readonly EntryHead[]) => heads.filter((head) => head.deleted === 0);

/** The search words of entries. */
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
  apply: index,
  restore: index,
  async count(_work, { heads }) {
    return { index_rows: indexed(heads).length };
  },
  async erase({ tx, dialect, account }, { heads }) {
    const gone = indexed(heads);
    const rowids = gone.map(({ seq }) => rowidOf(account.number, seq));
    if (dialect.engine === 'sqlite' && rowids.length > 0) await deleteWords(tx, dialect, rowids);
    return { index_rows: gone.length };
  },
};
