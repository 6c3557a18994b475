/** The statements of the file of words. It has no rows of its own: everything in it is made from the entries. */

/** Raised when words are made otherwise, or the tables change: the file is then made again. */
export const FORMAT = 2;

export const PRAGMAS = `
  PRAGMA busy_timeout = 5000;
  PRAGMA page_size = 8192;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA secure_delete = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA temp_store = FILE;
  PRAGMA cache_size = -32768;
`;
export const STORE_PRAGMAS = `
  PRAGMA busy_timeout = 5000;
  PRAGMA trusted_schema = OFF;
  PRAGMA cache_size = -8192;
  PRAGMA mmap_size = 268435456;
`;

/** The words of an entry are with it once more, in their order, for searches that read all entries of a path. */
export const CREATE = `
  CREATE VIRTUAL TABLE entry_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii', detail=full);
  CREATE TABLE indexed_entries (entry INTEGER PRIMARY KEY, seq INTEGER NOT NULL, words TEXT);
  CREATE TABLE indexed_accounts (
    account_id TEXT PRIMARY KEY, number INTEGER NOT NULL, created_at INTEGER NOT NULL, seq INTEGER NOT NULL,
    stamp INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  PRAGMA user_version = ${FORMAT};
`;
export const DROP = `
  DROP TABLE IF EXISTS entry_words;
  DROP TABLE IF EXISTS indexed_entries;
  DROP TABLE IF EXISTS indexed_accounts;
`;

/** What `CREATE` makes, in the order of `listObjects`. */
export const OBJECTS = [
  'table entry_words',
  'table entry_words_config',
  'table entry_words_data',
  'table entry_words_docsize',
  'table entry_words_idx',
  'table indexed_accounts',
  'table indexed_entries',
].join(', ');
export const listObjects = `SELECT coalesce(group_concat(object, ', '), '') AS objects
  FROM (SELECT type || ' ' || name AS object FROM sqlite_schema ORDER BY 1)`;
export const readFormat = 'PRAGMA user_version';

export const readCursor = 'SELECT created_at, seq, stamp FROM indexed_accounts WHERE account_id = ?';
export const writeCursor = `INSERT INTO indexed_accounts (account_id, number, created_at, seq, stamp) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (account_id) DO UPDATE SET seq = excluded.seq, stamp = excluded.stamp`;
export const listAccounts = 'SELECT number, account_id FROM indexed_accounts';

export const insertWords = 'INSERT INTO entry_words (rowid, words) VALUES (?, ?)';
export const deleteWords = 'DELETE FROM entry_words WHERE rowid = ?';
export const readIndexed = 'SELECT seq FROM indexed_entries WHERE entry = ?';
export const writeIndexed = `INSERT INTO indexed_entries (entry, seq, words) VALUES (?, ?, ?)
  ON CONFLICT (entry) DO UPDATE SET seq = excluded.seq, words = excluded.words`;
export const deleteIndexed = 'DELETE FROM indexed_entries WHERE entry = ?';
export const listIndexed =
  'SELECT entry, seq FROM indexed_entries WHERE entry > ? AND entry < ? ORDER BY entry LIMIT ?';

/** Of all pages, and of the index that is in them. */
export const checkPages = 'PRAGMA quick_check(1)';
export const checkWords = `INSERT INTO entry_words (entry_words) VALUES ('integrity-check')`;

/** One step of merging the index into one segment, which drops the words of deleted rows. */
export const mergeWords = `INSERT INTO entry_words (entry_words, rank) VALUES ('merge', ?)`;
export const countChanges = 'SELECT total_changes() AS n';
