import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { buildPrograms } from './build.mjs';
import { folderOf, noteOf } from './corpus.mjs';
import { program } from './places.mjs';

// What a store in PostgreSQL takes and how it grows: bytes an entry, WAL a write, connections, and the time of requests
// at several sizes. One account is written through the service; the others are copies of its rows.
const { values: given } = parseArgs({
  options: {
    sizes: { type: 'string', default: '200000,2000000' },
    entries: { type: 'string', default: '2000' },
    partitions: { type: 'string' },
    settings: { type: 'string' },
    requests: { type: 'string', default: '300' },
  },
});
const [perAccount, count] = [Number(given.entries), Number(given.requests)];
const sizes = given.sizes.split(',').map(Number);

const folder = mkdtempSync(join(tmpdir(), 'mem-partitions-'));
const programs = await buildPrograms();
const { startPostgres } = await import(programs.postgres);
const server = await startPostgres({ fsync: true, settings: { max_wal_size: '8GB', shared_buffers: '512MB' } });
const client = new pg.Client({ connectionString: server.dsn });
await client.connect();
const rowsOf = async (text) => (await client.query(text)).rows;
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  MEM_POSTGRES_DSN: `${server.dsn}${given.settings ? `?options=${encodeURIComponent(given.settings)}` : ''}`,
  MEM_HTTP_PORT: '0',
  MEM_LOG_LEVEL: 'error',
};

async function serve() {
  const child = spawn(process.execPath, [program, 'serve'], { env });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const url = await new Promise((resolve, reject) => {
    let screen = '';
    const look = (chunk) => {
      screen += chunk;
      const [, address] = /listening {2}(http:\S+)/.exec(screen) ?? [];
      if (address) resolve(address);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    void ended.then(() => reject(new Error(screen)));
  });
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { url, stop };
}

const post = (url, n, extra = '') =>
  fetch(`${url}/api/v1/entries`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ entity_path: folderOf(n), key: `k${n}${extra}`, value: { note: noteOf(n) } }),
  }).then(checked);
const checked = async (response) => {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.arrayBuffer();
};

async function inParallel(total, work) {
  let next = 0;
  const worker = async () => {
    while (next < total) await work(next++);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

/** Every row of the written account again, for as many accounts. Words begin with the number of their account. */
async function copyTo(accounts, from) {
  const tables = await rowsOf(`SELECT c.relname AS name, array_agg(CAST(a.attname AS text) ORDER BY a.attnum) AS columns
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relkind IN ('r', 'p') AND NOT c.relispartition GROUP BY 1`);
  const [{ account_id, number }] = await rowsOf(
    'SELECT e.account_id, a.number FROM entries AS e JOIN accounts AS a USING (account_id) LIMIT 1',
  );
  const changed = {
    account_id: `lpad(to_hex(g), 8, '0') || '-0000-4000-8000-000000000000'`,
    number: 'number + g',
    search_words: `CAST(replace(CAST(search_words AS text), '''${Number(number).toString(36)}·', '''z' || to_hex(g) || '·') AS tsvector)`,
  };
  for (const { name, columns } of tables) {
    if (!columns.includes('account_id') || name === 'api_keys') continue;
    const picked = columns.map((column) => changed[column] ?? `"${column}"`).join(', ');
    await client.query(`INSERT INTO ${name} (${columns.map((column) => `"${column}"`).join(', ')})
      SELECT ${picked} FROM ${name}, generate_series(${from}, ${accounts}) AS g WHERE account_id = '${account_id}'`);
  }
}

const SIZES = `SELECT coalesce(CAST(p.relname AS text), CAST(c.relname AS text)) AS name, CAST(sum(pg_table_size(c.oid)) AS bigint) AS "table",
    CAST(sum(pg_indexes_size(c.oid)) AS bigint) AS indexes
  FROM pg_class AS c LEFT JOIN pg_inherits ON inhrelid = c.oid LEFT JOIN pg_class AS p ON p.oid = inhparent
  WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relkind = 'r' GROUP BY 1 ORDER BY 2 DESC LIMIT 8`;

const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];

async function timed(work) {
  for (let i = 0; i < 20; i++) await work(i);
  const times = [];
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    await work(i + 20);
    times.push(performance.now() - start);
  }
  return Number(median(times).toFixed(2));
}

async function measure(size) {
  const { url, stop } = await serve();
  const get = (path) => fetch(`${url}${path}`).then(checked);
  const at = (i) => (i * 7919) % perAccount;
  const found = {
    entries: size,
    get_ms: await timed((i) => get(`/api/v1/entries/${folderOf(at(i))}/k${at(i)}`)),
    list_ms: await timed(() => get('/api/v1/entries?limit=50')),
    search_ms: await timed((i) => get(`/api/v1/search?query=${noteOf(at(i)).split(' ')[7]}`)),
  };
  await client.query('CHECKPOINT');
  const wal = async () =>
    (await rowsOf('SELECT CAST(wal_bytes AS float8) AS bytes, CAST(wal_fpi AS float8) AS images FROM pg_stat_wal'))[0];
  const before = await wal();
  found.post_ms = await timed((i) => post(url, i, `-${size}`));
  await client.query('SELECT pg_stat_force_next_flush()').catch(() => {});
  const after = await wal();
  found.wal_a_write = Math.round((after.bytes - before.bytes) / (count + 20));
  found.page_images_a_write = Number(((after.images - before.images) / (count + 20)).toFixed(1));
  const [{ n }] = await rowsOf(
    `SELECT CAST(count(*) AS int) AS n FROM pg_stat_activity WHERE application_name = 'mem'`,
  );
  found.connections = n;
  await stop();
  return found;
}

try {
  const first = await serve();
  await inParallel(perAccount, (n) => post(first.url, n));
  await first.stop();
  if (given.partitions !== undefined) {
    const divided = spawn(
      process.execPath,
      [program, 'postgres', 'partition', '--partitions', given.partitions, '--yes'],
      { env, stdio: 'inherit' },
    );
    if ((await new Promise((resolve) => divided.once('close', resolve))) !== 0) throw new Error('not divided');
  }
  let copied = 0;
  for (const size of sizes) {
    const accounts = Math.max(1, Math.round(size / perAccount)) - 1;
    if (accounts > copied) await copyTo(accounts, copied + 1);
    copied = accounts;
    await client.query('VACUUM ANALYZE');
    console.log(JSON.stringify(await measure(size)));
    for (const { name, table, indexes } of await rowsOf(SIZES))
      console.log(`${name}: ${Math.round(table / size)} bytes an entry, indexes ${Math.round(indexes / size)}`);
  }
} finally {
  await client.end();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
