// Fills a store through the service's own code, five hundred writes and more per commit. The options are JSON in
// the first argument.
import { entryOf, HISTORIES, HISTORY_LENGTH, noteOf, PROJECT_ENTRIES, projectEntryOf } from '../corpus.mjs';
import { caller, open } from './open.mjs';
import { progress } from './progress.mjs';

const { entries, ...place } = JSON.parse(process.argv[2]);
const app = await open(place);
const commit = (writes) => app.kernel.invoke('commits.create', { writes, message: 'fill' }, caller);
const BATCH = 1000;

/** The entries of the project lie among all others. */
const batches = Math.ceil(entries / BATCH);
const projectUpTo = (batch) => Math.floor((PROJECT_ENTRIES * batch) / batches);

const report = progress(entries);
for (let from = 0; from < entries; from += BATCH) {
  const others = Array.from({ length: Math.min(BATCH, entries - from) }, (_, i) => entryOf(from + i));
  const [first, end] = [projectUpTo(from / BATCH), projectUpTo(from / BATCH + 1)];
  const project = Array.from({ length: end - first }, (_, i) => projectEntryOf(first + i));
  await commit([...project.slice(0, BATCH / 2), ...others.slice(0, BATCH / 2)]);
  // More than half of them only in a store of a thousand entries or two.
  if (project.length > BATCH / 2) await commit(project.slice(BATCH / 2));
  if (others.length > BATCH / 2) await commit(others.slice(BATCH / 2));
  report(from + BATCH);
}
const { per_s } = report(entries);

/** A few entries with a long history, the same in every store. */
for (let version = 0; version < HISTORY_LENGTH; version++) {
  await commit(
    Array.from({ length: HISTORIES }, (_, i) => ({
      entity_path: 'bench/history',
      key: `h${i}`,
      value: { note: noteOf(2 ** 30 + version * HISTORIES + i), step: version },
    })),
  );
}
// Until all words are indexed.
await app.jobs.sweep();
await app.close();
process.stdout.write(JSON.stringify({ per_s, how: 'entries/s through commits of 500' }));
