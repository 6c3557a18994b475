// Adds made entries to a store of `made-store.mjs` that no server has open, past the service: rows as it would have written them,
// without the log, the audit and what else a question does not read. 1,000,000 take minutes instead of an hour.
import { join } from 'node:path';
import { addPacked, loadEmbedder, PACKED_HEAD_BYTES } from '../../packages/embedder/src/index.ts';
import { Encoding } from '../../packages/server/src/modules/recall/encoding.ts';
import { EMBEDDER_NUMBER } from '../../packages/server/src/modules/recall/follow-log.ts';
import { recordOf } from '../../packages/server/src/modules/recall/rules/code-records.ts';
import { markAll, markOf, rowidOf, shortText } from '../../packages/server/src/modules/text/indexing.ts';
import { wordsOfEntry } from '../../packages/server/src/modules/text/rules/words.ts';
import { madeEntry, wordsOfMemories } from './made-store.mjs';
import { readOwnSet } from './own-set.mjs';

/** As many numbers of entries as the vectors of a block. */
const BLOCK = 2 ** 14;
const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));

/** Goes on where it was ended. */
export async function growStore(data, entries) {
  const db = new DatabaseSync(join(data, 'mem.db'));
  db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -65536');
  db.prepare('ATTACH ? AS words').run(join(data, 'words.db'));
  const account = db.prepare('SELECT * FROM accounts').get();
  const { memories } = readOwnSet();
  const words = wordsOfMemories(memories);
  const writer = new StoreWriter(db, account.number);
  // Blocks are not shared with entries that are there.
  let seq = Math.ceil((account.seq + 1) / BLOCK) * BLOCK;
  for (let at = db.prepare('SELECT count(*) AS n FROM entries').get().n; at < entries; ) {
    db.exec('BEGIN');
    const upto = Math.min(at + BLOCK, entries);
    for (; at < upto; at++) writer.add(seq++, madeEntry(at - memories.length, words));
    writer.finish(seq - 1, at);
    db.exec('COMMIT');
    seq = Math.ceil(seq / BLOCK) * BLOCK;
  }
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

class StoreWriter {
  #db;
  #account;
  #encoding = new Encoding(loadEmbedder());
  #entry;
  #version;
  #sums;
  #blocks = new Map();
  #insert;

  constructor(db, account) {
    this.#db = db;
    this.#account = account;
    this.#entry = db.prepare('SELECT * FROM entries ORDER BY seq DESC LIMIT 1').get();
    this.#version = db.prepare('SELECT * FROM versions WHERE entry_id = ?').get(this.#entry.entry_id);
    this.#sums = db.prepare('SELECT * FROM vector_sums WHERE owner = 0').get();
    this.#sums.values = new Float64Array(new Uint8Array(Buffer.from(this.#sums.sums, 'base64')).buffer);
    this.#insert = Object.fromEntries(
      ['entries', 'versions', 'entry_vectors', 'vector_blocks'].map((table) => [table, insertInto(db, table)]),
    );
    this.#insert.words = db.prepare('INSERT INTO words.entry_words (rowid, words) VALUES (?, ?)');
    this.#insert.texts = db.prepare('INSERT INTO words.indexed_entries (entry, seq, words) VALUES (?, ?, ?)');
  }

  add(seq, { entity_path, key, value }) {
    const document = JSON.stringify({ ...JSON.parse(this.#entry.document), entity_path, key, value, seq });
    const own = { entry_id: seq, seq, document, entity_path, key };
    this.#insert.entries({ ...this.#entry, ...own });
    this.#insert.versions({ ...this.#version, ...own });
    const all = wordsOfEntry({ entity_path, key, value });
    this.#insert.words.run(rowidOf(this.#account, seq), markAll(markOf(this.#account), all));
    this.#insert.texts.run(rowidOf(this.#account, seq), seq, shortText(all));
    for (const part of this.#encoding.embed([{ entry_id: seq, document }])) this.#addVector(seq, part);
  }

  get #place() {
    return { account_id: this.#entry.account_id, branch: 'main', embedder: EMBEDDER_NUMBER, owner: 0 };
  }

  #addVector(seq, part) {
    this.#insert.entry_vectors({ ...this.#place, ...part, seq });
    const packed = Buffer.from(part.vector, 'base64');
    addPacked(this.#sums.values, packed);
    this.#sums.vectors++;
    const { length } = this.#sums.values;
    const record = recordOf(part, new Int8Array(packed.buffer, packed.byteOffset + PACKED_HEAD_BYTES, length));
    const known = this.#blocks.get(part.cluster) ?? [];
    known.push(record);
    this.#blocks.set(part.cluster, known);
  }

  /** The account is as far as its new entries, and so is what follows it. */
  finish(end, entries) {
    for (const [cluster, records] of this.#blocks)
      this.#insert.vector_blocks({
        ...{ ...this.#place, cluster, block: Math.floor(end / BLOCK) },
        records: Buffer.concat(records).toString('base64'),
      });
    this.#blocks.clear();
    const sums = Buffer.from(this.#sums.values.buffer).toString('base64');
    const update = (text, ...given) => this.#db.prepare(`UPDATE ${text}`).run(...given);
    update('vector_sums SET vectors = ?, sums = ? WHERE owner = 0', this.#sums.vectors, sums);
    for (const table of ['accounts', 'consumer_cursors']) update(`${table} SET seq = ?`, end);
    // Without a stamp, which would be that of the last event: there is none.
    update('words.indexed_accounts SET seq = ?, stamp = 0', end);
    update(`counts SET n = ? WHERE kind = 'all' AND visible_to = ''`, entries);
  }
}

/** Inserts rows with the columns that a row of the table has. */
function insertInto(db, table) {
  const names = Object.keys(db.prepare(`SELECT * FROM ${table} LIMIT 1`).get());
  const statement = db.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`);
  return (row) => statement.run(...names.map((name) => row[name]));
}
