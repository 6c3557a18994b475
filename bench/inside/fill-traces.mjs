// Fills a store with sealed traces. A thousand are created by the service: sessions that read, act and end in an
// outcome. The others are copies of their rows with their own numbers and names, in the same tables and indexes; only
// their words are not in the word index. The options are JSON in the first argument.
import { join } from 'node:path';
import { agentOf, endOf, entryOf, TRACED_ENTRIES, TRACED_READS } from '../corpus.mjs';
import { caller, open } from './open.mjs';
import { progress } from './progress.mjs';

const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
const { traces, ...place } = JSON.parse(process.argv[2]);
const ORIGINALS = 1000;
const AT_A_TIME = 250;
/** Columns that are unique for each session. */
const NAMES = new Set(['session', 'trace_id', 'outcome_id', 'outcome_ref']);
const PLACES = new Set(['seq', 'before_seq']);

const report = progress(traces);
await makeOriginals();
copyThem(Math.ceil(traces / ORIGINALS) - 1);
const { per_s } = report(traces);
process.stdout.write(JSON.stringify({ per_s, how: `traces/s, the first ${ORIGINALS} through the service` }));

async function makeOriginals() {
  // The service's reader thread does not keep a process alive.
  const awake = setInterval(() => {}, 1000);
  const app = await open(place);
  const writes = Array.from({ length: TRACED_ENTRIES }, (_, i) => entryOf(i));
  await app.kernel.invoke('commits.create', { writes }, caller);
  for (let from = 0; from < ORIGINALS; from += AT_A_TIME) {
    await Promise.all(Array.from({ length: AT_A_TIME }, (_, i) => live(app, from + i)));
    report(from + AT_A_TIME);
  }
  await app.close();
  clearInterval(awake);
}

async function live({ kernel }, n) {
  const self = { ...caller, agent_id: agentOf(n), session_id: `trace-${n}` };
  for (let i = 0; i < TRACED_READS; i++) {
    const { entity_path, key } = entryOf((n * 31 + i * 7) % TRACED_ENTRIES);
    await kernel.invoke('entries.read', { entity_path, key }, self);
  }
  await kernel.invoke('outcomes.commit', endOf(n), self);
}

function copyThem(copies) {
  const file = new DatabaseSync(join(place.dataDir, 'mem.db'));
  // An incomplete store is filled again from the start, so durability is not needed.
  file.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -524288');
  const span = file.prepare('SELECT seq FROM accounts').get().seq;
  const tables = ['events', 'outcomes', 'evidence', 'traces', 'trace_items'];
  const copyings = tables.map((table) => copyingOf(file, table, span));
  for (let n = 1; n <= copies; n++) {
    file.exec('BEGIN');
    for (const copying of copyings) file.exec(copying(n));
    file.exec('COMMIT');
    report((n + 1) * ORIGINALS);
  }
  file.prepare('UPDATE accounts SET seq = seq + ?').run(copies * span);
  file.exec('PRAGMA journal_mode = WAL');
  file.close();
}

/** The statement that copies a table for the nth time: rows of sessions, not of entries. */
function copyingOf(file, table, span) {
  const columns = file
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => name);
  const which = table === 'events' ? `AND event_type = 'outcome'` : '';
  const changed = (name, n) =>
    PLACES.has(name) ? `${name} + ${n * span}` : NAMES.has(name) ? `${name} || '-${n}'` : name;
  return (n) =>
    `INSERT INTO ${table} (${columns.join(', ')})
      SELECT ${columns.map((name) => changed(name, n)).join(', ')} FROM ${table} WHERE seq <= ${span} ${which}`;
}
