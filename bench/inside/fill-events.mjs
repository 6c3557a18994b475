// Fills a store with events, a thousand per commit, through the module that appends to the log; the entries that the
// events refer to do not exist. Adds a few entries, and sessions that have read some. The options are JSON in the first
// argument.
import { join } from 'node:path';
import { agentOf, entryOf, eventOf, OPEN_SESSIONS, openSessionOf, READS_OF_OPEN } from '../corpus.mjs';
import { caller, open } from './open.mjs';
import { progress } from './progress.mjs';

const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
const { events, ...place } = JSON.parse(process.argv[2]);
const awake = setInterval(() => {}, 1000);
const app = await open(place);
const ENTRIES = 1000;
const BATCH = 1000;

const report = progress(events);
for (let from = 0; from < events; from += BATCH) {
  await app.kernel.work(caller, 'fill', async (work) => {
    for (let i = from; i < Math.min(events, from + BATCH); i++) work.emit(eventOf(i));
    return {};
  });
  report(from + BATCH);
}
const { per_s } = report(events);

await app.kernel.invoke('commits.create', { writes: Array.from({ length: ENTRIES }, (_, i) => entryOf(i)) }, caller);
for (let n = 0; n < OPEN_SESSIONS; n++) {
  const self = { ...caller, agent_id: agentOf(0), session_id: openSessionOf(n) };
  for (let i = 0; i < READS_OF_OPEN; i++) {
    const { entity_path, key } = entryOf((n * 31 + i * 7) % ENTRIES);
    await app.kernel.invoke('entries.read', { entity_path, key }, self);
  }
}
await app.close();
clearInterval(awake);
leaveToSeries();
process.stdout.write(JSON.stringify({ per_s, how: 'events/s in commits of 1,000' }));

/** What follows the log would look for entries that do not exist, for minutes after each start. Only the series counts all events. */
function leaveToSeries() {
  const file = new DatabaseSync(join(place.dataDir, 'mem.db'));
  file.exec(`UPDATE consumer_cursors SET seq = (SELECT seq FROM accounts) WHERE consumer <> 'series.count_events'`);
  file.close();
}
