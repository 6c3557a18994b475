// Fills a store with entries to be listed. Ten thousand are written by the service. The others are copies of their rows below
// paths of their own, in the same tables and indexes and with their counts; they are in no other index, and no event is
// about them. The options are JSON in the first argument.
import { join } from 'node:path';
import { entryOf } from '../corpus.mjs';
import { caller, open } from './open.mjs';
import { progress } from './progress.mjs';

const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
const { entries, ...place } = JSON.parse(process.argv[2]);
const ORIGINALS = Math.min(10_000, entries);
const BATCH = 500;
const FOLDER = 'bench';

const report = progress(entries);
await writeOriginals();
copyThem(Math.ceil(entries / ORIGINALS) - 1);
const { per_s } = report(entries);
process.stdout.write(JSON.stringify({ per_s, how: `entries/s, the first ${ORIGINALS} through the service` }));

async function writeOriginals() {
  const app = await open(place);
  for (let from = 0; from < ORIGINALS; from += BATCH) {
    const writes = Array.from({ length: Math.min(BATCH, ORIGINALS - from) }, (_, i) => entryOf(from + i));
    await app.kernel.invoke('commits.create', { writes }, caller);
    report(from + BATCH);
  }
  await app.jobs.sweep();
  await app.close();
}

function copyThem(copies) {
  const file = new DatabaseSync(join(place.dataDir, 'mem.db'));
  // An incomplete store is filled again from the start, so durability is not needed.
  file.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -524288');
  const span = file.prepare('SELECT seq FROM accounts').get().seq;
  const copyings = [
    copyingOf(file, 'entries', `seq <= ${span}`),
    copyingOf(file, 'versions', `seq <= ${span}`),
    copyingOf(file, 'counts', `kind = 'entity' AND name LIKE '${FOLDER}/%'`),
  ];
  for (let n = 1; n <= copies; n++) {
    file.exec('BEGIN');
    for (const copying of copyings) file.exec(copying(n, span));
    file.exec('COMMIT');
    report((n + 1) * ORIGINALS);
  }
  const times = copies + 1;
  file.exec(`UPDATE counts SET n = n * ${times}, confidence_sum = confidence_sum * ${times}
    WHERE kind IN ('all', 'agent', 'type') OR (kind = 'total' AND name = 'entity')`);
  file.exec(`UPDATE accounts SET seq = seq * ${times}, storage_bytes = storage_bytes * ${times},
    storage_entries = storage_entries * ${times}`);
  // No consumer looks for the events that the copies do not have.
  file.exec('UPDATE consumer_cursors SET seq = (SELECT seq FROM accounts)');
  file.exec('ANALYZE; PRAGMA journal_mode = WAL');
  file.close();
}

/** The statement that copies a table for the nth time. */
function copyingOf(file, table, which) {
  const columns = file
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => name);
  const below = (n) => `${FOLDER}-${n}`;
  const changed = {
    seq: (n, span) => `seq + ${n * span}`,
    entry_id: (n, span) => `entry_id + ${n * span}`,
    entity_path: (n) => `'${below(n)}' || substr(entity_path, ${FOLDER.length + 1})`,
    document: (n) => `replace(document, '"entity_path":"${FOLDER}/', '"entity_path":"${below(n)}/')`,
    name: (n) => `'${below(n)}' || substr(name, ${FOLDER.length + 1})`,
  };
  return (n, span) =>
    `INSERT INTO ${table} (${columns.join(', ')})
      SELECT ${columns.map((name) => changed[name]?.(n, span) ?? name).join(', ')} FROM ${table} WHERE ${which}`;
}
