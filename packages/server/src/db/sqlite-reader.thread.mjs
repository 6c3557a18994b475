// Runs searches, other long reads and maintenance on its own connection, so that they never delay a request.
import { parentPort, workerData } from 'node:worker_threads';
// biome-ignore lint/correctness/useImportExtensions: it is JavaScript, with types beside it
import { takeFirst } from './sqlite-first.mjs';

// Some runtimes warn that their driver may change; users of the service cannot act on that.
process.removeAllListeners('warning');
const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
const { file, readOnly } = workerData;
const database = new DatabaseSync(file, { readOnly });
// VACUUM rewrites the whole file and needs as much space again, which may be more than the memory.
database.exec(`
  PRAGMA busy_timeout = 5000;
  PRAGMA trusted_schema = OFF;
  PRAGMA temp_store = ${readOnly ? 'MEMORY' : 'FILE'};
  PRAGMA cache_size = -16384;
  PRAGMA mmap_size = 268435456;
`);
const statements = new Map();

function prepared(text) {
  let statement = statements.get(text);
  if (!statement) {
    if (statements.size >= 200) statements.clear();
    statement = database.prepare(text);
    statements.set(text, statement);
  }
  return statement;
}

function run({ text, values, limit }) {
  if (limit) return takeFirst(prepared(text).iterate(...values), limit);
  return prepared(text)
    .all(...values)
    .map((row) => ({ ...row }));
}

parentPort.on('message', (request) => {
  if (request === 'close') {
    statements.clear();
    database.close();
    parentPort.close();
    return;
  }
  try {
    parentPort.postMessage({ id: request.id, found: request.statements.map(run) });
  } catch (error) {
    parentPort.postMessage({ id: request.id, error: { message: error.message, errcode: error.errcode } });
  }
});
