import { compare, summarize } from '../compare.mjs';
import { pinned } from '../machine.mjs';
import { run } from '../processes.mjs';
import { readEntry } from '../requests.mjs';

const INTERNAL_KEY = 'bench-internal-key-0123456789';
/** The account whose entries the stores hold. */
const ACCOUNT = '00000000-0000-0000-0000-000000000001';
/** The maximum for a key: requests are counted, but the limit is not reached. */
const REQUESTS_A_MINUTE = 1_000_000;

export const hostedEnv = {
  MEM_MODE: 'hosted',
  MEM_INTERNAL_KEY: INTERNAL_KEY,
  MEM_PLANS: JSON.stringify({ bench: { ops_per_month: 1_000_000_000 } }),
};

/** The headers of the control plane. */
export const CONTROL = { 'x-mem-internal-key': INTERNAL_KEY };

export async function sendJson({ url }, { method = 'POST', path, headers, body }) {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** Creates an agent's key that may read and write everything under one path, and nothing else. */
export async function newAgentKey(service, account_id) {
  const account = `/api/v1/internal/accounts/${account_id}`;
  await sendJson(service, { method: 'PATCH', path: account, headers: CONTROL, body: { plan: 'bench' } });
  const { key: admin } = await sendJson(service, { path: `${account}/api-keys`, headers: CONTROL, body: {} });
  const scopes = [{ pattern: 'bench/**', permission: 'READ_WRITE' }];
  const body = { name: 'bench', scopes, rate_limit_rpm: REQUESTS_A_MINUTE };
  const { key } = await sendJson(service, {
    path: '/api/v1/admin/api-keys',
    headers: { 'x-mem-api-key': admin },
    body,
  });
  return key;
}

async function measureGet(harness, store, name) {
  const { medium, repeats } = harness.options;
  const floor = await harness.service(store);
  const ours = await harness.service(harness.copyOf(store, 'hosted'), { env: { ...hostedEnv, MEM_API_KEYS: '' } });
  const hosted = { ...ours, headers: { 'x-mem-api-key': await newAgentKey(ours, ACCOUNT) } };
  const rate = async (target, seconds) => {
    const headers = target.headers ? { headers: target.headers } : {};
    const plan = { requests: readEntry, count: medium, ...headers, ...(seconds ? { seconds } : {}) };
    const { requests_per_s: value, non2xx } = await harness.load(target, plan);
    return { value, non2xx };
  };
  for (const target of [floor, hosted]) await rate(target, 2);
  const result = await compare(
    repeats,
    () => rate(floor),
    () => rate(hosted),
  );
  await harness.stopServers();
  const note = 'key, scope, ops and rate limit against a key of the configuration';
  return { figure: `GET entry, hosted, ${name}`, unit: 'req/s', ...result, note };
}

/** Reads of random entries in the hosted mode, against the same service self-hosted with a key. */
export async function* measureHosted(harness) {
  const size = `${harness.options.medium.toLocaleString('en-US')} entries, 64 connections`;
  const measured = await measureGet(harness, await harness.sqlite(harness.options.medium), `${size}, SQLite`);
  yield { ...measured, target: { least: 0.8 } };
}

/** Looking up a key in memory, against one SHA-256 of the key. */
export async function* measureKey(harness) {
  const order = JSON.stringify({
    dataDir: harness.emptyPlace('key').dataDir,
    rounds: Math.max(5, harness.options.repeats),
  });
  const [command, args] = pinned('server', process.execPath, [harness.programs.key, order]);
  const { stdout } = await run(command, args, { timeoutMs: 120_000 });
  const { pairs, statements } = JSON.parse(stdout);
  const note = `in process; ${statements} statements for all checks, which look up the key anew every two seconds`;
  yield { figure: 'key check, warm', unit: 'µs', target: { most: 5 }, ...summarize(pairs), note };
}
