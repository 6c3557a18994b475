// Runs searches, other long reads, maintenance and large transactions on its own connection, so that they never delay a request.
import { parentPort, workerData } from 'node:worker_threads';
// biome-ignore lint/correctness/useImportExtensions: it is JavaScript, with types beside it
import { compileRowBuilder, takeFirst } from './sqlite-first.mjs';

// Some runtimes warn that their driver may change; users of the service cannot act on that.
process.removeAllListeners('warning');
const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
const { file, readOnly, settings, attach } = workerData;
const database = new DatabaseSync(file, { readOnly });
// VACUUM rewrites the whole file and needs as much space again, which may be more than the memory.
database.exec(`
  PRAGMA busy_timeout = 5000;
  PRAGMA trusted_schema = OFF;
  PRAGMA temp_store = ${readOnly ? 'MEMORY' : 'FILE'};
  PRAGMA cache_size = -16384;
  PRAGMA mmap_size = 268435456;
`);
database.exec(settings);
if (attach) database.prepare('ATTACH ? AS words').run(attach);
const statements = new Map();

/** Rows as arrays, where the driver can give them, are named by a function of the statement. */
function prepare(text) {
  const statement = database.prepare(text);
  const columns = typeof statement.setReturnArrays === 'function' ? statement.columns() : [];
  if (columns.length === 0) return { statement, build: (row) => ({ ...row }) };
  statement.setReturnArrays(true);
  return { statement, build: compileRowBuilder(columns.map(({ name }) => name)) };
}

const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

/** As one text, which takes a third of the time to read and to hand over (decision 070). */
function preparePacked(text) {
  const statement = database.prepare(text);
  if (typeof statement.columns !== 'function') return prepare(text);
  const names = statement.columns().map(({ name }) => name);
  const list = `json_group_array(json_array(${names.map(quoted).join(', ')}))`;
  return { names, statement: database.prepare(`SELECT ${list} AS packed FROM (${text})`) };
}

/** To read a longer text would keep the other thread for too long. */
const MAX_PACKED = 2_000_000;

function packedRows({ statement, names }, values) {
  const { packed } = statement.get(...values);
  return packed.length <= MAX_PACKED ? { names, packed } : JSON.parse(packed).map(compileRowBuilder(names));
}

function run({ text, values, limit, isCounted, packed }) {
  const name = packed ? `packed ${text}` : text;
  let prepared = statements.get(name);
  if (!prepared) {
    if (statements.size >= 200) statements.clear();
    prepared = packed ? preparePacked(text) : prepare(text);
    statements.set(name, prepared);
  }
  if (prepared.names) return packedRows(prepared, values);
  const { statement, build } = prepared;
  if (isCounted) return Number(statement.run(...values).changes);
  if (limit) return takeFirst(statement.iterate(...values), limit, build);
  return statement.all(...values).map(build);
}

const SQLITE_PROTOCOL = 15;

/**
 * Why the transaction takes no more steps: SQLite may have ended it, or another thread begun it that has ended, and they
 * would be committed one by one.
 */
let failure = Object.assign(new Error('no transaction has begun on this thread'), { errcode: SQLITE_PROTOCOL });

parentPort.on('message', (request) => {
  if (request === 'close') {
    statements.clear();
    database.close();
    parentPort.close();
    return;
  }
  const { part } = request;
  try {
    if (part === 'step' && failure) throw failure;
    const found = request.statements.map(run);
    if (part === 'begin') failure = undefined;
    parentPort.postMessage({ id: request.id, found });
  } catch (error) {
    if (part !== undefined) failure ??= error;
    parentPort.postMessage({ id: request.id, error: { message: error.message, errcode: error.errcode } });
  }
});
