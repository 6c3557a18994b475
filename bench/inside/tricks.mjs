// Times each optimisation against the plain code, in turns, on this machine: node --conditions=source --import tsx
// bench/inside/tricks.mjs [part of a name]. Prints the best of all rounds in microseconds per call. The table in
// docs/decisions/032-tricks-for-speed.md comes from here.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from '../../packages/server/src/db/index.ts';
import { loadDriver, SqliteConnection } from '../../packages/server/src/db/sqlite-connection.ts';
import { findChunks, placeRows } from '../../packages/server/src/db/sqlite-find.ts';
import { randomIds, toIso } from '../../packages/server/src/kernel/index.ts';
import { entryText, toDocument, UNTOUCHED } from '../../packages/server/src/modules/entries/rows.ts';

const ROUNDS = 25;
const ROUND_MS = 8;
const wanted = process.argv[2] ?? '';

function timeOf(run, calls) {
  const started = performance.now();
  for (let i = 0; i < calls; i++) run(i);
  return ((performance.now() - started) * 1000) / calls;
}

function compare(name, plain, trick) {
  if (!name.includes(wanted)) return;
  let calls = 1;
  while (timeOf(plain, calls) * calls < ROUND_MS * 1000 && calls < 1 << 20) calls *= 2;
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, run] of (round % 2 ? [plain, trick] : [trick, plain]).entries()) {
      const at = round % 2 ? i : 1 - i;
      best[at] = Math.min(best[at], timeOf(run, calls));
    }
  const [slow, fast] = best;
  console.log(
    `${name.padEnd(52)} plain ${slow.toFixed(3).padStart(9)}  trick ${fast.toFixed(3).padStart(9)}  × ${(slow / fast).toFixed(2)}`,
  );
}

let kept;
const keep = (value) => {
  kept = value;
};

const content = {
  value: JSON.stringify({ max_attempts: 5, backoff: 'exponential', note: 'about retries '.repeat(20) }),
  deleted: 0,
  confidence: 0.9,
  memory_type: 'fact',
  shared: 1,
  pattern_refs: '[]',
  artifact_refs: '[]',
  ttl_at: null,
  is_artifact: 0,
};
const origin = {
  branch: 'main',
  entity_path: 'checkout/payments',
  key: 'retry-policy',
  version: 3,
  agent_id: 'agent/deploy',
  session_id: 'sess-42',
  written_at: 1_767_225_600_000,
  commit_id: null,
};
const stamp = { hash: 'a'.repeat(64), chain: 'b'.repeat(64), seq: 4711 };

function plainDocument(content, origin, stamp) {
  const document = {
    entity_path: origin.entity_path,
    key: origin.key,
    branch: origin.branch,
    version: origin.version,
    value: JSON.parse(content.value),
    memory_type: content.memory_type,
    shared: content.shared === 1,
    provenance: {
      agent_id: origin.agent_id,
      session_id: origin.session_id,
      written_at: toIso(origin.written_at),
      pattern_refs: JSON.parse(content.pattern_refs),
    },
    ttl_at: content.ttl_at === null ? null : toIso(content.ttl_at),
    artifact_refs: JSON.parse(content.artifact_refs),
    is_artifact: content.is_artifact === 1,
    content_hash: stamp.hash,
    integrity_chain: stamp.chain,
    commit_id: origin.commit_id,
    seq: stamp.seq,
  };
  return JSON.stringify(document);
}
compare(
  'a document built by hand (toDocument)',
  () => keep(plainDocument(content, origin, stamp)),
  () => keep(toDocument(content, origin, stamp)),
);

const row = { document: toDocument(content, origin, stamp), confidence: 0.9, standing: null, recall_count: 7 };
compare(
  'an answer spliced from texts (entryText)',
  () => keep(JSON.stringify({ ...JSON.parse(row.document), confidence: 0.9, ...UNTOUCHED, recall_count: 7 })),
  () => keep(entryText(row)),
);

compare(
  'the last time as a text (toIso)',
  (i) => keep(new Date(1_767_225_600_000 + (i >> 3)).toISOString()),
  (i) => keep(toIso(1_767_225_600_000 + (i >> 3))),
);

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
function plainId(now) {
  let time = '';
  for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time;
  let random = '';
  for (const byte of randomBytes(16)) random += ALPHABET[byte % 32];
  return time + random;
}
compare(
  'random bytes for 64 ids at once (randomIds)',
  () => keep(plainId(1_767_225_600_000)),
  () => keep(randomIds.next(1_767_225_600_000)),
);

compare(
  'the text of a statement made once (sql)',
  (i) => {
    const strings = ['SELECT a, b, c FROM entries WHERE account_id = ', ' AND branch = ', ' AND entity_path = ', ''];
    keep({ text: strings.join('?'), values: ['a', 'main', i] });
  },
  (i) => keep(sql`SELECT a, b, c FROM entries WHERE account_id = ${'a'} AND branch = ${'main'} AND entity_path = ${i}`),
);

const fourteen = () => {
  const { branch, entity_path, key, version, agent_id, session_id, written_at, commit_id } = origin;
  return { branch, entity_path, key, version, agent_id, session_id, written_at, commit_id };
};
const base = { ...fourteen(), seq: 1, deleted: 0, shared: 1, ttl_at: null, confidence: 0.5, content_hash: 'h' };
compare(
  'a row of 16 members written out, not spread first',
  (i) => keep({ ...base, document: 'd', seq: i }),
  (i) =>
    keep({
      branch: base.branch,
      entity_path: base.entity_path,
      key: base.key,
      version: base.version,
      agent_id: base.agent_id,
      session_id: base.session_id,
      written_at: base.written_at,
      commit_id: base.commit_id,
      deleted: base.deleted,
      shared: base.shared,
      ttl_at: base.ttl_at,
      confidence: base.confidence,
      content_hash: base.content_hash,
      document: 'd',
      seq: i,
    }),
);
compare(
  'a spread that comes last, not first',
  (i) => keep({ ...base, a: i, b: 2, c: 3, d: 4 }),
  (i) => keep({ a: i, b: 2, c: 3, d: 4, ...base }),
);

const isAscii = (text) => {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return text.normalize('NFC');
  return text;
};
compare(
  'ASCII is not normalised (toNfc)',
  () => keep('checkout/payments/retry-policy'.normalize('NFC')),
  () => keep(isAscii('checkout/payments/retry-policy')),
);

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
const values = (i) => ['a', 'main', `path/${i % 40}`, `key-${i}`, i, row.document.padEnd(2000), 0.5];
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
  'bare rows: five entries of 2 kB without documents',
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

const prepared = connection.statement(one);
const named = typeof database.prepare(one).setReturnArrays === 'function';
console.log(`rows as arrays, named by us: ${named ? 'in use' : 'this driver has no such rows'}`);
keep(prepared);
connection.close();
rmSync(folder, { recursive: true });
process.exitCode = kept === undefined ? 1 : 0;
