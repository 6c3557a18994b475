// Searches two accounts of a PostgreSQL that together hold twice as many entries as asked for, with row-level security and
// without, before ANALYZE and after. A few hundred entries are written by the service, the others are copies of their rows
// with words of their own. The options are JSON in the first argument.
import pg from 'pg';
import { openApp } from '../../packages/server/src/app.ts';
import { insertAccount } from '../../packages/server/src/kernel/index.ts';
import { copyRows } from '../../tests/support/copied-rows.ts';
import { explainStatements, watchPlans } from '../../tests/support/seen-plans.ts';
import { entryOf } from '../corpus.mjs';
import { caller } from './open.mjs';

const { postgresDsn: serverDsn, dataDir, entries, layout, rounds } = JSON.parse(process.argv[2]);
const ORIGINALS = 500;
const ACCOUNTS = ['a', 'b'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-${letter.repeat(12)}`);
const asked = { ...caller, account_id: ACCOUNTS[1] };

const WORDS = {
  'a rare word': 'copy7',
  'two rare words': 'copy7 copy90',
  'a common word': 'zipf1',
  'two common words': 'zipf1 zipf2',
  'a rare and a common word': 'copy7 zipf1',
  'a word of every entry': 'step',
};
const FILTERS = {
  'no filter': {},
  'a filter': { memory_type: 'belief' },
  'a path': { entity_path: 'bench/p0/**' },
  'a confidence': { min_confidence: 0.99 },
};

const name = `plans_${layout}`;
const url = new URL(serverDsn);
url.pathname = `/${name}`;
url.search = '';
const dsn = url.href;

async function runSql(where, text) {
  const client = new pg.Client({ connectionString: where });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

const open = (rowSecurity) =>
  openApp({
    dataDir,
    postgresDsn: dsn,
    rowSecurity,
    sweepSeconds: 86_400,
    onError: (error) => {
      throw error;
    },
  });

async function fill() {
  await runSql(serverDsn, `DROP DATABASE IF EXISTS ${name}`);
  await runSql(serverDsn, `CREATE DATABASE ${name}`);
  const app = await open('off');
  const { database, clock } = app.kernel.services;
  for (const account_id of ACCOUNTS) {
    await database.maintenanceTransaction((tx) => insertAccount(tx, account_id, clock.now()));
    const writes = Array.from({ length: ORIGINALS }, (_, i) => entryOf(i));
    await app.kernel.invoke('commits.create', { writes }, { ...caller, account_id });
  }
  await app.close();
  // Until it is analyzed below, PostgreSQL is to know nothing about it.
  await runSql(serverDsn, 'ALTER SYSTEM SET autovacuum = off; ');
  await runSql(serverDsn, 'SELECT pg_reload_conf()');
  await copyRows(dsn, { accounts: ACCOUNTS, entries, others: Math.min(entries, 50_000), layout });
}

/** The times of each search, and the most that one of its statements has read. */
async function measure(rowSecurity) {
  const measured = [];
  let seen = [];
  const times = await withApp(rowSecurity, async (app) => {
    const found = [];
    for (const [words, query] of Object.entries(WORDS))
      for (const [filter, more] of Object.entries(FILTERS)) {
        const search = () => app.kernel.invoke('entries.search', { query, limit: 10, ...more }, asked);
        await search();
        const each = [];
        for (let i = 0; i < rounds; i++) {
          const started = performance.now();
          await search();
          each.push(performance.now() - started);
        }
        each.sort((a, b) => a - b);
        found.push({ words, filter, ms: each[each.length >> 1], search: { query, limit: 10, ...more } });
      }
    return found;
  });
  await explainStatements(dsn);
  const stop = watchPlans((plan) => seen.push(plan));
  await withApp(rowSecurity, async (app) => {
    for (const { search, ...one } of times) {
      seen = [];
      await app.kernel.invoke('entries.search', search, asked);
      const buffers = Math.max(...seen.map((plan) => plan.buffers));
      const sum = seen.reduce((total, plan) => total + plan.buffers, 0);
      measured.push({ ...one, buffers, sum, scanned: seen.flatMap((plan) => plan.scanned) });
    }
  });
  stop();
  await runSql(serverDsn, `ALTER DATABASE ${name} RESET ALL`);
  return measured;
}

async function withApp(rowSecurity, work) {
  const app = await open(rowSecurity);
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

await fill();
const results = [];
for (const statistics of ['before ANALYZE', 'after ANALYZE']) {
  if (statistics === 'after ANALYZE') await runSql(dsn, 'ANALYZE');
  for (const rowSecurity of ['on', 'off'])
    results.push({ statistics, rowSecurity, searches: await measure(rowSecurity) });
}
await runSql(serverDsn, `DROP DATABASE ${name}`);
await runSql(serverDsn, 'ALTER SYSTEM RESET autovacuum');
await runSql(serverDsn, 'SELECT pg_reload_conf()');
process.stdout.write(JSON.stringify(results));
