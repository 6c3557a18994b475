// Sends the largest and the most costly requests of every operation to a server, one at a time, and prints for each how
// long it held the event loop. The options are JSON in the first argument.
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { operationNames } from '../../packages/contract/src/index.ts';
import { casesOf } from './hold-cases.mjs';
import { packedCases } from './hold-packed.mjs';
import { scenes } from './hold-scenes.mjs';

const {
  url,
  socket,
  internal,
  repeats = 3,
  parts = ['derived', 'packed', 'scenes'],
  ...filter
} = JSON.parse(process.argv[2]);

/** A longer hold is measured again: other programs on the machine, or code that ran for the first time, may be its cause. */
const REPEATED_MS = 30;
const TIMEOUT_MS = 60_000;

const probe = connect(socket);
await once(probe, 'connect');
const lines = createInterface({ input: probe })[Symbol.asyncIterator]();
async function command(text) {
  probe.write(`${text}\n`);
  return JSON.parse((await lines.next()).value);
}

let account = {};
const control = { 'x-mem-internal-key': internal };

async function send(request) {
  const { method, path, body, headers: own = {}, seconds, keep, control: isControl } = request;
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const key = isControl ? control : { 'x-mem-api-key': account.key };
  const signal = AbortSignal.timeout(seconds ? seconds * 1000 : TIMEOUT_MS);
  const response = await fetch(url + path, { method, body, signal, headers: { ...type, ...key, ...own } });
  const kept = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (keep || response.status >= 400) kept.push(chunk);
    }
  } catch (error) {
    // A stream has no end of its own.
    if (!seconds) throw error;
  }
  const text = kept.length === 0 ? undefined : Buffer.concat(kept).toString();
  return { status: response.status, bytes, text };
}

async function newAccount() {
  const made = async (request, body) => {
    const { status, text } = await send({ method: 'POST', ...request, body: JSON.stringify(body), keep: true });
    if (status !== 201) throw new Error(`${request.path}: ${status} ${text}`);
    return JSON.parse(text);
  };
  account = await made({ path: '/api/v1/internal/accounts', control: true }, { name: 'holds', plan: 'bench' });
  // The most that a key may ask for: requests are counted, but the limit is not reached.
  account = await made(
    { path: '/api/v1/admin/api-keys' },
    { name: 'holds', key_type: 'admin', rate_limit_rpm: 1_000_000 },
  );
}

async function measureOnce(request) {
  await command('begin');
  const answer = await send(request).catch((error) => ({ status: 0, bytes: 0, text: String(error.cause ?? error) }));
  return { answer, ...(await command('end')) };
}

/** The least of the longest turns of several tries. What can be done only once is measured once. */
async function measure(make, isOnce) {
  let best;
  for (let i = 0; i < (isOnce ? 1 : repeats); i++) {
    const request = await make();
    const run = { request, ...(await measureOnce(request)) };
    if (!best || run.cpu < best.cpu) best = run;
    if (best.cpu < REPEATED_MS) break;
  }
  return best;
}

const isTooLarge = (status) => status === 413 || status === 422;
const seen = new Map();

async function run(one) {
  let measured = await measure(() => one.request(one.isShrunk ? 1 : send), one.once);
  print(one, measured);
  for (let part = 0.5; one.isShrunk && isTooLarge(measured.answer.status) && part > 0.0001; part /= 4) {
    measured = await measure(() => one.request(part), one.once);
    if (!isTooLarge(measured.answer.status) || part < 0.0005) print(one, measured);
  }
}

function print({ name, what }, { request, answer: { status, bytes, text }, cpu, wall }) {
  const sent = request.body?.length ?? 0;
  seen.set(name, (seen.get(name) ?? false) || (status >= 200 && status < 300));
  const why = status >= 400 || status === 0 ? { why: whyOf(text) } : {};
  console.log(JSON.stringify({ name, what, sent, status, bytes, cpu, wall, ...why }));
}

function whyOf(text = '') {
  try {
    const { detail, errors } = JSON.parse(text);
    return `${detail} ${JSON.stringify(errors ?? [])}`.slice(0, 300);
  } catch {
    return text.slice(0, 300);
  }
}

async function seedWith(requests) {
  for (const request of requests) {
    const { status, text } = await send(request);
    if (status >= 300) throw new Error(`${request.method} ${request.path.slice(0, 100)}: ${status} ${text}`);
  }
}

await newAccount();
if (parts.includes('derived')) for (const one of casesOf(filter)) await run(one);
if (parts.includes('packed')) for (const one of packedCases(filter)) await run(one);
if (parts.includes('scenes')) {
  await newAccount();
  for (const one of scenes(filter)) await (one.seed ? seedWith(one.seed()) : run(one));
}
const never = operationNames.filter((name) => name.includes(filter.only ?? '') && !seen.get(name));
if (never.length > 0) console.error(`never answered with success: ${never.join(', ')}`);
probe.end();
