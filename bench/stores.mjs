import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pinned } from './machine.mjs';
import { bench, data, server } from './places.mjs';
import { run } from './processes.mjs';

const FILL_MS = 3 * 3600 * 1000;

/** A kept store is reused only if no migration and no generated text has changed. */
function fingerprint() {
  const source = join(server, 'src');
  const files = readdirSync(source, { recursive: true }).filter((file) => file.endsWith('migrations.ts'));
  const hash = createHash('sha256');
  for (const own of [
    'corpus.mjs',
    ...['list', 'traces', 'events', 'deliveries'].map((what) => `inside/fill-${what}.mjs`),
  ])
    hash.update(readFileSync(join(bench, own)));
  for (const file of files.sort()) hash.update(readFileSync(join(source, file)));
  return hash.digest('hex').slice(0, 16);
}

/** The stores that this run has filled, and how to remove them. */
const filled = new Map();

function inFolder(name, filling) {
  const dataDir = join(data, 'stores', name);
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  return fillOnce({ ...filling, name, place: { dataDir }, clear: remove, remove });
}

/** A SQLite store with this many entries, filled at its first use. */
export const sqliteStore = ({ fill }, entries) =>
  inFolder(`sqlite-${entries}`, { fill, size: entries, content: { entries } });

/** A store with this many entries that are only listed: most of them are copies. */
export const listedStore = ({ fillList: fill }, entries) =>
  inFolder(`listed-${entries}`, { fill, size: entries, content: { entries } });

/** A store with this many sealed traces. */
export const tracesStore = ({ fillTraces: fill }, traces) =>
  inFolder(`traces-${traces}`, { fill, size: traces, content: { traces } });

/** A store with this many events in its log. */
export const eventsStore = ({ fillEvents: fill }, events) =>
  inFolder(`events-${events}`, { fill, size: events, content: { events } });

/** A store that remembers this many deliveries. */
export const deliveriesStore = ({ fillDeliveries: fill }, deliveries) =>
  inFolder(`deliveries-${deliveries}`, { fill, size: deliveries, content: { deliveries } });

/** A store of entries in a schema of a PostgreSQL server; `kind` distinguishes two stores of one size. */
export const postgresStore = ({ fill }, entries, { postgres, kind = '' }) =>
  inSchema(`${entries}${kind}`, { fill, size: entries, content: { entries } }, postgres);

export const postgresDeliveriesStore = ({ fillDeliveries: fill }, deliveries, { postgres }) =>
  inSchema(`deliveries_${deliveries}`, { fill, size: deliveries, content: { deliveries } }, postgres);

function inSchema(name, filling, postgres) {
  const schema = `store_${name}`;
  const place = { dataDir: data, postgresDsn: postgres.dsnOf(schema) };
  const clear = () => postgres.newSchema(schema);
  const remove = () => postgres.dropSchema(schema);
  return fillOnce({ ...filling, name: `postgres-${name}`, place, clear, remove, analyze: postgres.analyze });
}

async function fillOnce({ fill, size, content, name, place, clear, remove, analyze }) {
  const manifest = join(data, 'stores', `${name}.json`);
  const wanted = fingerprint();
  const known = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : undefined;
  if (known?.fingerprint === wanted) return { ...place, size };
  rmSync(manifest, { force: true });
  mkdirSync(join(data, 'stores'), { recursive: true });
  await clear();
  process.stderr.write(`filling ${name}\n`);
  filled.set(name, { manifest, remove });
  const [command, args] = pinned('server', process.execPath, [fill, JSON.stringify({ ...place, ...content })]);
  const { stdout } = await run(command, args, { timeoutMs: FILL_MS, showErrors: true });
  await analyze?.();
  const rate = JSON.parse(stdout);
  process.stderr.write(`filled ${name}: ${Math.round(rate.per_s)} ${rate.how}\n`);
  writeFileSync(manifest, JSON.stringify({ fingerprint: wanted, ...rate }));
  filled.set(name, { manifest, remove, rate });
  return { ...place, size };
}

export const fillRates = () => [...filled].map(([name, { rate }]) => ({ name, ...rate }));

/**
 * Removes the stores that this run has filled, but not those kept by an earlier one. Files are removed at once, schemas
 * when the promise resolves.
 */
export async function removeStores() {
  const present = [...filled.values()].filter((store) => !store.removed);
  await Promise.all(
    present.map((store) => {
      store.removed = true;
      rmSync(store.manifest, { force: true });
      return store.remove();
    }),
  );
}
