import { measureGrowth } from '../growth.mjs';
import { listFolder, listRecent, readEntry, readHistory, writeEntries } from '../requests.mjs';

const once = (requests) => () => requests;

const figures = [
  { name: 'read', requests: once(readEntry) },
  { name: 'read, 64 connections', requests: once(readEntry), connections: 64 },
  { name: 'write', requests: writeEntries },
  { name: 'list page (100)', requests: once(listFolder) },
  { name: 'list page (100), newest first', requests: once(listRecent) },
  { name: 'history page (50)', requests: once(readHistory) },
];

/** A large store against a small one. */
export async function* measureScale(harness) {
  const { small, large, postgres } = harness.options;
  const sqlite = [await harness.sqlite(small), await harness.sqlite(large)];
  yield* measureGrowth(harness, { figures, stores: sqlite, backend: 'SQLite' });
  if (!postgres) return;
  const stores = [await harness.postgresStore(small), await harness.postgresStore(large)];
  yield* measureGrowth(harness, { figures, stores, backend: 'PostgreSQL' });
}
