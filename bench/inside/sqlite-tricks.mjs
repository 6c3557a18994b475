// The part of tricks.mjs that is about SQLite.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CACHE_LIMITS, RowCache } from '../../packages/server/src/db/row-cache.ts';
import { loadDriver, SqliteConnection } from '../../packages/server/src/db/sqlite-connection.ts';
import { findChunks, placeRows } from '../../packages/server/src/db/sqlite-find.ts';
import { compare, keep, wanted } from './compare.mjs';

const DOCUMENT = JSON.stringify({ max_attempts: 5, note: 'about retries '.repeat(40) }).padEnd(2000);

const folder = mkdtempSync(join(tmpdir(), 'mem-tricks-'));
const driver = await loadDriver();
const database = new driver.DatabaseSync(join(folder, 'tricks.db'));
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
  CREATE TABLE rows (account_id TEXT, branch TEXT, entity_path TEXT, key TEXT, seq INTEGER, document TEXT,
    confidence REAL, PRIMARY KEY (account_id, branch, entity_path, key)) WITHOUT ROWID;
  CREATE INDEX rows_by_seq ON rows (account_id, branch, seq)`);
const connection = new SqliteConnection(database);
const COLUMNS = 'account_id, branch, entity_path, key, seq, document, confidence';
const insertText = (n) =>
  `INSERT INTO rows (${COLUMNS}) VALUES ${new Array(n).fill('(?, ?, ?, ?, ?, ?, ?)').join(', ')}`;
const values = (i) => ['a', 'main', `path/${i % 40}`, `key-${i}`, i, DOCUMENT, 0.5];
database.exec('BEGIN');
for (let i = 0; i < 20_000; i++) connection.statement(insertText(1)).run(values(i));
database.exec('COMMIT');

const listText = 'SELECT seq, key FROM rows WHERE account_id = ? AND branch = ? AND seq < ? ORDER BY seq DESC LIMIT ';
const bare = database.prepare(`${listText}?`);
const added = database.prepare(`${listText}? + 0`);
compare(
  'LIMIT ? + 0 (one row)',
  (i) => keep(bare.all('a', 'main', 20_000 - (i % 100), 1)),
  (i) => keep(added.all('a', 'main', 20_000 - (i % 100), 1)),
);
compare(
  'LIMIT ? + 0 (a hundred rows)',
  (i) => keep(bare.all('a', 'main', 20_000 - (i % 100), 100)),
  (i) => keep(added.all('a', 'main', 20_000 - (i % 100), 100)),
);

const find = { table: 'rows', by: { account_id: 'text', branch: 'text', entity_path: 'text', key: 'text' } };
const whole = { ...find, select: COLUMNS };
const short = { ...find, select: 'seq, confidence' };
const keysOf = (count, i) =>
  Array.from({ length: count }, (_, j) => {
    const n = (i * 31 + j * 17) % 20_000;
    return ['a', 'main', `path/${n % 40}`, `key-${n}`];
  });
compare(
  'dropped: five entries of 2 kB without documents',
  (i) => keep(connection.findMany(whole, keysOf(5, i))),
  (i) => keep(connection.findMany(short, keysOf(5, i))),
);

const one = `SELECT ${COLUMNS} FROM rows WHERE account_id = ? AND branch = ? AND entity_path = ? AND key = ?`;
for (const count of [8, 32, 128, 500])
  compare(
    `${count} keys looked up in chunks, not one by one`,
    (i) => keep(keysOf(count, i).map((key) => connection.statement(one).get(key))),
    (i) => {
      const chunks = findChunks(whole, keysOf(count, i));
      keep(placeRows(chunks, ({ statement }) => connection.all(statement), count));
    },
  );

const readerWith = (pragmas) => {
  const reader = new driver.DatabaseSync(join(folder, 'tricks.db'), { readOnly: true });
  reader.exec(pragmas);
  return new SqliteConnection(reader);
};
database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
const [small, cached, mapped] = [
  '',
  'PRAGMA cache_size = -32768',
  'PRAGMA cache_size = -32768; PRAGMA mmap_size = 268435456',
].map(readerWith);
const anyKey = (i) => keysOf(1, i * 7919)[0];
compare(
  'a cache of 32 MB for SQLite',
  (i) => keep(small.statement(one).get(anyKey(i))),
  (i) => keep(cached.statement(one).get(anyKey(i))),
);
compare(
  'the file mapped into memory',
  (i) => keep(cached.statement(one).get(anyKey(i))),
  (i) => keep(mapped.statement(one).get(anyKey(i))),
);
for (const reader of [small, cached, mapped]) reader.close();

const kept = new RowCache({ ...whole, number: 'seq' }, CACHE_LIMITS);
compare(
  'a row kept in memory (RowCache)',
  (i) => keep(connection.statement(one).get(anyKey(i % 1000))),
  (i) =>
    keep(kept.get(anyKey(i % 1000)) ?? kept.put(anyKey(i % 1000), connection.statement(one).get(anyKey(i % 1000)))),
);

database.exec(
  `CREATE TABLE written (account_id TEXT, seq INTEGER, a TEXT, b TEXT, c INTEGER, PRIMARY KEY (account_id, seq)) WITHOUT ROWID`,
);
const written = (n) =>
  connection.statement(`INSERT INTO written VALUES ${new Array(n).fill('(?, ?, ?, ?, ?)').join(', ')}`);
let seq = 0;
database.exec('BEGIN');
compare(
  '32 rows inserted with one statement',
  () => {
    for (let i = 0; i < 32; i++) written(1).run(['a', ++seq, 'some text', 'more text', 1]);
  },
  () => {
    const all = [];
    for (let i = 0; i < 32; i++) all.push('a', ++seq, 'some text', 'more text', 1);
    written(32).run(all);
  },
);
database.exec('COMMIT');

const asObjects = database.prepare(one);
if (typeof asObjects.setReturnArrays === 'function')
  compare(
    'rows as arrays, named by us (SqliteStatement)',
    (i) => keep(asObjects.get(...keysOf(1, i)[0])),
    (i) => keep(connection.statement(one).get(keysOf(1, i)[0])),
  );
// A log of 200,000 events of 1,000 agents, in two files: one with figures for the planner, one without.
const logOf = (name, figures) => {
  const log = new driver.DatabaseSync(join(folder, name));
  log.exec(`PRAGMA synchronous = OFF; CREATE TABLE events (account_id TEXT, seq INTEGER, agent_id TEXT, visible_to TEXT,
      details TEXT, PRIMARY KEY (account_id, seq)) WITHOUT ROWID;
    CREATE INDEX events_by_agent ON events (account_id, agent_id, seq); BEGIN`);
  const add = log.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)');
  for (let i = 0; i < 200_000; i++) add.run('a', i, `agent/${i % 1000}`, '', 'details of the event '.repeat(5));
  log.exec('COMMIT; ANALYZE sqlite_schema');
  if (figures)
    log.exec(`INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('events', 'events', '1000000 1000000 1'),
      ('events', 'events_by_agent', '1000000 1000000 1000 1'); ANALYZE sqlite_schema`);
  return log.prepare(`SELECT seq, details FROM events WHERE account_id = ? AND seq < ? AND agent_id = ?
    AND visible_to IN ('', ?) ORDER BY seq DESC LIMIT ? + 0`);
};
if ('figures for the planner of SQLite'.includes(wanted)) {
  const [guessed, figured] = [logOf('guessed.db', false), logOf('figured.db', true)];
  compare(
    'figures for the planner of SQLite',
    (i) => keep(guessed.all('a', 200_000, `agent/${i % 1000}`, 'me', 20)),
    (i) => keep(figured.all('a', 200_000, `agent/${i % 1000}`, 'me', 20)),
  );
}
connection.close();
rmSync(folder, { recursive: true });
