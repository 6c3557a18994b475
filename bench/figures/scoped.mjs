import { compare } from '../compare.mjs';
import { folderOf, PER_FOLDER } from '../corpus.mjs';

const INTERNAL_KEY = 'bench-internal-key-0123456789abcdef';
const ACCOUNT = '00000000-0000-0000-0000-000000000001';
/** The maximum for a key: requests are counted, but the limit is not reached. */
const REQUESTS_A_MINUTE = 1_000_000;
/** Every hundredth folder, across the whole store: each is a separate range. */
const ONE_OF = 100;

const figures = [
  { name: 'list page (100)', path: '/api/v1/entries?limit=100', target: { most: 2 } },
  { name: 'list page (100), newest first', path: '/api/v1/entries?sort=recent&limit=100' },
  { name: 'numbers of the store', path: '/api/v1/stats' },
];

/** The cost of a key that sees one entry in a hundred, against one that sees all. */
export async function* measureScoped(harness) {
  const { large, postgres } = harness.options;
  yield* measureOn(harness, await harness.sqlite(large), 'SQLite');
  if (postgres) yield* measureOn(harness, await harness.postgresStore(large), 'PostgreSQL');
}

async function* measureOn(harness, store, backend) {
  const service = await harness.service(store, { env: { MEM_MODE: 'hosted', MEM_INTERNAL_KEY: INTERNAL_KEY } });
  const admin = await newKey(service, `/api/v1/internal/accounts/${ACCOUNT}/api-keys`, {
    headers: { 'x-mem-internal-key': INTERNAL_KEY },
    body: { name: 'bench' },
  });
  const byAdmin = (given) =>
    newKey(service, '/api/v1/admin/api-keys', {
      headers: { 'x-mem-api-key': admin },
      body: { rate_limit_rpm: REQUESTS_A_MINUTE, ...given },
    });
  const whole = await byAdmin({ name: 'bench whole' });
  const scoped = await byAdmin({ name: 'bench scoped', scopes: scopesOf(store.size) });
  for (const { name, path, target } of figures) {
    const time = async (key, seconds) => {
      const plan = { requests: [{ method: 'GET', path }], connections: 1, headers: { 'x-mem-api-key': key } };
      const { p50_ms, non2xx } = await harness.load(service, { ...plan, ...(seconds ? { seconds } : {}) });
      return { value: p50_ms, non2xx };
    };
    for (const key of [whole, scoped]) await time(key, 1);
    const result = await compare(
      harness.options.repeats,
      () => time(whole),
      () => time(scoped),
    );
    const figure = `${name}, a key that sees 1 % of ${store.size.toLocaleString('en-US')} entries, ${backend}`;
    yield { figure, unit: 'ms', target, ...result };
  }
  await harness.stopServers();
}

function scopesOf(entries) {
  const folders = Math.max(1, Math.round(entries / PER_FOLDER / ONE_OF));
  const step = ONE_OF * PER_FOLDER;
  return Array.from({ length: folders }, (_, i) => ({ pattern: folderOf(i * step), permission: 'READ' }));
}

async function newKey({ url }, path, { headers, body }) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text).key;
}
