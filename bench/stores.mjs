import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pinned } from './machine.mjs';
import { data, server } from './places.mjs';
import { run } from './processes.mjs';

const FILL_MS = 3 * 3600 * 1000;

/** A kept store is used again only while nobody has changed a migration or the text in it. */
function fingerprint() {
  const source = join(server, 'src');
  const files = readdirSync(source, { recursive: true }).filter((file) => file.endsWith('migrations.ts'));
  const hash = createHash('sha256').update(readFileSync(new URL('./corpus.mjs', import.meta.url)));
  for (const file of files.sort()) hash.update(readFileSync(join(source, file)));
  return hash.digest('hex').slice(0, 16);
}

/** What this run has filled, and how to take it away again. */
const filled = new Map();

/** A SQLite store with this many entries, filled at its first use. */
export function sqliteStore(programs, entries) {
  const dataDir = join(data, 'stores', `sqlite-${entries}`);
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  return fillOnce({ programs, entries, name: `sqlite-${entries}`, place: { dataDir }, clear: remove, remove });
}

/** The same in a schema of a PostgreSQL server. */
export function postgresStore(programs, entries, postgres) {
  const schema = `store_${entries}`;
  const place = { dataDir: data, postgresDsn: postgres.dsnOf(schema) };
  const clear = () => postgres.newSchema(schema);
  const remove = () => postgres.dropSchema(schema);
  return fillOnce({ programs, entries, name: `postgres-${entries}`, place, clear, remove, settle: postgres.analyze });
}

async function fillOnce({ programs, entries, name, place, clear, remove, settle }) {
  const manifest = join(data, 'stores', `${name}.json`);
  const wanted = fingerprint();
  const known = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : undefined;
  if (known?.fingerprint === wanted) return { ...place, entries };
  rmSync(manifest, { force: true });
  mkdirSync(join(data, 'stores'), { recursive: true });
  await clear();
  process.stderr.write(`filling ${name}\n`);
  filled.set(name, { manifest, remove });
  const [command, args] = pinned('server', process.execPath, [programs.fill, JSON.stringify({ ...place, entries })]);
  const { stdout } = await run(command, args, { timeoutMs: FILL_MS, showErrors: true });
  await settle?.();
  const { entries_per_s } = JSON.parse(stdout);
  process.stderr.write(`filled ${name}: ${Math.round(entries_per_s)} entries a second\n`);
  writeFileSync(manifest, JSON.stringify({ fingerprint: wanted, entries_per_s }));
  filled.set(name, { manifest, remove, entries_per_s });
  return { ...place, entries };
}

export const fillRates = () => [...filled].map(([name, { entries_per_s }]) => ({ name, entries_per_s }));

/** Takes away what this run has filled; what an earlier one kept stays. Files are gone at once, schemas when it ends. */
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
