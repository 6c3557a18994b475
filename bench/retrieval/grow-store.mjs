// Adds made entries to a store of `made-store.mjs` that nobody has opened, past the service: rows as it would have written
// them, without the log, the audit and what else a question does not read. 1,000,000 take minutes instead of an hour.
//   node --conditions=source --import tsx bench/retrieval/grow-store.mjs --data FOLDER --entries 1000000
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { addPacked, loadEmbedder } from '../../packages/embedder/src/index.ts';
import { Encoding } from '../../packages/server/src/modules/recall/encoding.ts';
import { CONSUMER, EMBEDDER_NUMBER } from '../../packages/server/src/modules/recall/follow-log.ts';
import { recordOf } from '../../packages/server/src/modules/recall/rules/code-records.ts';
import { markAll, markOf, rowidOf, shortText } from '../../packages/server/src/modules/text/indexing.ts';
import { wordsOfEntry } from '../../packages/server/src/modules/text/rules/words.ts';
import { madeEntry, wordsOfMemories } from './made-store.mjs';
import { readOwnSet } from './own-set.mjs';

const BLOCK = 2 ** 14;
const AT_ONCE = 2 ** 11;
const { values } = parseArgs({
  options: { data: { type: 'string' }, entries: { type: 'string', default: '1000000' } },
});
const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
const db = new DatabaseSync(join(values.data, 'mem.db'));
db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 20000');
db.prepare('ATTACH ? AS words').run(join(values.data, 'words.db'));

const account = db.prepare('SELECT * FROM accounts').get();
const of = account.account_id;
const known = db.prepare('SELECT count(*) AS n FROM entries').get().n;
const last = db.prepare('SELECT * FROM entries ORDER BY seq DESC LIMIT 1').get();
const template = JSON.parse(last.document);
const version = db.prepare('SELECT * FROM versions WHERE entry_id = ?').get(last.entry_id);
const encoding = new Encoding(loadEmbedder());
const { memories } = readOwnSet();
const words = wordsOfMemories(memories);

/** A statement that inserts rows with the columns of an example. */
function inserts(table, example) {
  const names = Object.keys(example);
  const statement = db.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`);
  return (row) => statement.run(...names.map((name) => row[name]));
}
const insertEntry = inserts('entries', last);
const insertVersion = inserts('versions', version);
const insertVector = inserts('entry_vectors', db.prepare('SELECT * FROM entry_vectors LIMIT 1').get());
const insertBlock = inserts('vector_blocks', db.prepare('SELECT * FROM vector_blocks LIMIT 1').get());
const insertWords = db.prepare('INSERT INTO words.entry_words (rowid, words) VALUES (?, ?)');
const insertIndexed = db.prepare('INSERT INTO words.indexed_entries (entry, seq, words) VALUES (?, ?, ?)');

const sumsRow = db.prepare('SELECT * FROM vector_sums WHERE owner = 0').get();
const sums = new Float64Array(new Uint8Array(Buffer.from(sumsRow.sums, 'base64')).buffer);
const place = { account_id: of, branch: 'main', embedder: EMBEDDER_NUMBER, owner: 0 };
let blocks = new Map();

// Blocks are not shared with entries that are there.
let seq = Math.ceil((account.seq + 1) / BLOCK) * BLOCK;
for (let at = known; at < Number(values.entries); ) {
  const upto = Math.min(at + AT_ONCE, Number(values.entries));
  db.exec('BEGIN');
  for (; at < upto; at++, seq++) {
    if (seq % BLOCK === 0) writeBlocks(seq / BLOCK - 1);
    addEntry(seq, madeEntry(at - memories.length, words));
  }
  db.exec('COMMIT');
}
db.exec('BEGIN');
writeBlocks(Math.floor((seq - 1) / BLOCK));
finish(seq - 1);
db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
db.close();

function addEntry(number, { entity_path, key, value }) {
  const document = JSON.stringify({ ...template, entity_path, key, value, seq: number });
  const own = { entry_id: number, seq: number, document, entity_path, key };
  insertEntry({ ...last, ...own });
  insertVersion({ ...version, ...own });
  const all = wordsOfEntry({ entity_path, key, value });
  insertWords.run(rowidOf(account.number, number), markAll(markOf(account.number), all));
  insertIndexed.run(rowidOf(account.number, number), number, shortText(all));
  for (const part of encoding.embed([{ entry_id: number, document }])) {
    insertVector({ ...place, ...part, seq: number });
    const packed = Buffer.from(part.vector, 'base64');
    addPacked(sums, packed);
    sumsRow.vectors++;
    const record = recordOf(part, new Int8Array(packed.buffer, packed.byteOffset + 4, sums.length));
    blocks.set(part.cluster, [...(blocks.get(part.cluster) ?? []), record]);
  }
}

function writeBlocks(block) {
  for (const [cluster, records] of blocks)
    insertBlock({ ...place, cluster, block, records: Buffer.concat(records).toString('base64') });
  blocks = new Map();
}

/** The account is as far as its new entries, and so is what follows it. */
function finish(end) {
  const text = Buffer.from(sums.buffer).toString('base64');
  db.prepare('UPDATE vector_sums SET vectors = ?, sums = ? WHERE owner = 0').run(sumsRow.vectors, text);
  db.prepare('UPDATE accounts SET seq = ?').run(end);
  db.prepare('UPDATE words.indexed_accounts SET seq = ?').run(end);
  db.prepare('UPDATE consumer_cursors SET seq = ?').run(end);
  db.prepare(`UPDATE counts SET n = ? WHERE kind = 'all' AND visible_to = ''`).run(Number(values.entries));
  console.log(`${CONSUMER} and all others are at ${end}`);
}
