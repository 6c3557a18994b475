// Records what the service asks of SQLite for durable writes of 64 callers: the statements with their values, in their
// order and their transactions, and those that index the words. The options are JSON in the first argument.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRAGMAS, SqliteConnection } from '../../packages/server/src/db/sqlite-connection.ts';
import { plannedOnce } from '../../packages/server/src/db/sqlite-limit.ts';
import { accountStatement, stampStatement } from '../../packages/server/src/kernel/index.ts';
import { headStatements } from '../../packages/server/src/modules/entries/index.ts';
import { WordsFile } from '../../packages/server/src/modules/text/file/words-file.ts';
import { entryOf } from '../corpus.mjs';
import { caller, open } from './open.mjs';

const { folder, file, writes = 12_000 } = JSON.parse(process.argv[2]);
const CALLERS = 64;
const PER_INDEXING = 2000;
const driver = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));

// The service's threads do not keep a process alive.
setInterval(() => {}, 1000);
const dataDir = join(folder, 'recorded');
const base = join(folder, 'recorded-base');
for (const one of [dataDir, base]) rmSync(one, { recursive: true, force: true });
await (await open({ dataDir })).close();
cpSync(dataDir, base, { recursive: true });

/** Each step is [connection, kind, text, values]; the store's is 0, those of the index are 1 (its file) and 2. */
const steps = [[0, 'exec', PRAGMAS]];
const { exec, statement: prepare } = SqliteConnection.prototype;
let writer;
SqliteConnection.prototype.exec = function (text) {
  // One that found the store busy is tried again.
  exec.call(this, text);
  if (text === 'BEGIN IMMEDIATE') writer = this;
  if (this === writer) steps.push([0, 'exec', text]);
};
const watched = new WeakSet();
SqliteConnection.prototype.statement = function (text) {
  const found = prepare.call(this, text);
  if (this === writer && !watched.has(found))
    watch(found, { connection: 0, text: plannedOnce(text), toValues: ([values]) => values });
  return found;
};
function watch(statement, { connection, text, toValues }) {
  watched.add(statement);
  for (const kind of ['run', 'get', 'all']) {
    const original = statement[kind];
    statement[kind] = (...given) => {
      steps.push([connection, kind, text, toValues(given)]);
      return original.apply(statement, given);
    };
  }
}
/** The driver for the index, with every step recorded. */
class RecordedFile {
  constructor(file, options) {
    this.connection = options.readOnly ? 2 : 1;
    this.file = new driver.DatabaseSync(file, options);
  }
  exec(text) {
    steps.push([this.connection, 'exec', text]);
    this.file.exec(text);
  }
  prepare(text) {
    const statement = this.file.prepare(text);
    const plain = Object.fromEntries(['run', 'get', 'all'].map((kind) => [kind, statement[kind].bind(statement)]));
    watch(plain, { connection: this.connection, text, toValues: (values) => values });
    return plain;
  }
  close() {
    this.file.close();
  }
}

const app = await open({ dataDir });
const store = join(dataDir, 'mem.db');
const words = new WordsFile(
  { DatabaseSync: RecordedFile },
  {
    path: join(dataDir, 'floor-words.db'),
    store,
    statements: { ...headStatements, account: accountStatement, stamp: stampStatement },
  },
);
// Of the start, the settings of the store and all that made the file of words: what else it did, the copy of the store has.
const first = steps.filter(([connection], at) => at === 0 || connection !== 0);
steps.splice(0, steps.length, ...first);
const start = steps.length;
for (let at = 0; at < writes; at += CALLERS) {
  const inputs = Array.from({ length: CALLERS }, (_, i) => entryOf(at + i));
  await Promise.all(inputs.map((input) => app.kernel.invoke('entries.write', input, caller)));
  if (Math.floor(at / PER_INDEXING) !== Math.floor((at + CALLERS) / PER_INDEXING)) words.indexSome(caller.account_id);
}
const end = steps.length;
words.close();
await app.close();
writeFileSync(
  file,
  JSON.stringify({ base, writes: Math.ceil(writes / CALLERS) * CALLERS, start, steps: steps.slice(0, end) }),
);
process.exit(0);
