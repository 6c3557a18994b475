// What digests cost and how long they take. Run it by hand:
//   node --conditions=source --import tsx bench/cortex/digests.mjs [--only cost,delay,burst] [--entries 10000,100000]
//     [--rounds 40] [--seconds 20] [--rate 100] [--burst 100000] [--dsn postgres://…]
// cost: compiling the digest of one path with so many entries, in turns. delay: from a write to the event of its digest.
// burst: writes as fast as they go, until all digests are compiled, and whether they are right.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { stringify } from '../../packages/contract/src/index.ts';
import { openApp } from '../../packages/server/src/app.ts';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'cost,delay,burst' },
    entries: { type: 'string', default: '10000,100000' },
    rounds: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '100' },
    burst: { type: 'string', default: '100000' },
    dsn: { type: 'string' },
  },
});
const PATHS = 50;
const value = { note: 'what was found out about this part, and what to do about it', part: 1 };
const caller = { account_id: SELF_HOSTED_ACCOUNT, actor: 'bench', address: '', request_id: '', session_id: null };
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

async function openStore(cortex) {
  const dataDir = mkdtempSync(join(tmpdir(), 'mem-digests-'));
  const settings = { embedder: 'off', cortex };
  const app = await openApp({ dataDir, postgresDsn: values.dsn, settings, onError: console.error });
  const call = async (name, input) =>
    JSON.parse(stringify(await app.kernel.invoke(name, input, { ...caller, agent_id: 'agent/bench' })));
  const close = async () => {
    await app.close();
    rmSync(dataDir, { recursive: true });
  };
  return { app, call, close };
}

async function fillPath({ call }, entity_path, n) {
  for (let from = 0; from < n; from += 1000) {
    const writes = Array.from({ length: Math.min(1000, n - from) }, (_, i) => ({
      entity_path,
      key: `k${from + i}`,
      value,
    }));
    await call('commits.create', { writes });
  }
}

async function measureCost() {
  const store = await openStore('off');
  const sizes = values.entries.split(',').map(Number);
  for (const n of sizes) await fillPath(store, `path-${n}`, n);
  const spent = new Map(sizes.map((n) => [n, []]));
  for (let round = -5; round < Number(values.rounds); round++)
    for (const n of round % 2 ? sizes : sizes.toReversed()) {
      const from = process.cpuUsage();
      await store.call('cortex.recompile', { digest_type: 'entity', scope: `path-${n}` });
      const { user, system } = process.cpuUsage(from);
      if (round >= 0) spent.get(n).push((user + system) / 1000);
    }
  const first = median(spent.get(sizes[0]));
  for (const [n, list] of spent)
    console.log(
      `cost, ${n} entries: ${median(list).toFixed(2)} ms of processor time (${(median(list) / first).toFixed(2)} ×; ≤ 1.5)`,
    );
  await store.close();
}

async function measureDelay() {
  const store = await openStore('on');
  const waiting = new Map();
  const delays = [];
  let reported = 0;
  store.app.kernel.feed.subscribeAll((events) => {
    const now = performance.now();
    for (const { event_type, entity_path, details } of events) {
      if (event_type !== 'brief_compiled' || entity_path === null) continue;
      reported++;
      const { up_to_seq } = JSON.parse(details);
      const left = (waiting.get(entity_path) ?? []).filter(({ seq, at }) => {
        if (seq <= up_to_seq) delays.push(now - at);
        return seq > up_to_seq;
      });
      waiting.set(entity_path, left);
    }
  });
  const rate = Number(values.rate);
  const total = Number(values.seconds) * rate;
  const startedAt = performance.now();
  for (let i = 0; i < total; i++) {
    const due = startedAt + (i * 1000) / rate;
    if (due > performance.now()) await sleep(due - performance.now());
    const entity_path = `path-${i % PATHS}`;
    const at = performance.now();
    void store.call('entries.write', { entity_path, key: `k${i % 997}`, value: { ...value, i } }).then(({ seq }) => {
      waiting.set(entity_path, [...(waiting.get(entity_path) ?? []), { seq, at }]);
    });
  }
  await caughtUp(store);
  await sleep(100);
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (share) => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(0);
  console.log(
    `delay at ${rate} writes/s over ${PATHS} paths: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms (≤ 5000), ` +
      `max ${at(0.9999)} ms, of ${sorted.length} writes; ${reported} digests`,
  );
  await store.close();
}

async function caughtUp({ app, call }) {
  for (;;) {
    const { worker } = await call('cortex.status', {});
    if (worker.lag === 0) return;
    await sleep(250);
    if (worker.attempts > 0) await app.jobs.sweep();
  }
}

async function measureBurst() {
  const store = await openStore('on');
  const n = Number(values.burst);
  const [from, startedAt] = [process.cpuUsage(), performance.now()];
  for (let at = 0; at < n; at += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, n - at) }, (_, i) =>
        store.call('entries.write', { entity_path: `path-${(at + i) % PATHS}`, key: `k${at + i}`, value }),
      ),
    );
  const writtenAt = performance.now();
  await caughtUp(store);
  const { user, system } = process.cpuUsage(from);
  const { digests } = await store.call('digests.list', { digest_type: 'entity', limit: PATHS });
  const wrong = digests.filter(({ entry_count, scope, summary }) => {
    const last = n - PATHS + Number(scope.split('-')[1]);
    return entry_count !== n / PATHS || summary.newest[0]?.key !== `k${last}`;
  });
  const seconds = (ms) => (ms / 1000).toFixed(1);
  console.log(
    `burst of ${n}: written in ${seconds(writtenAt - startedAt)} s, at rest ${seconds(performance.now() - writtenAt)} s later, ` +
      `${seconds((user + system) / 1000)} s of processor time; ${digests.length} digests, ${wrong.length} of them wrong`,
  );
  await store.close();
}

const measures = { cost: measureCost, delay: measureDelay, burst: measureBurst };
for (const name of values.only.split(',')) await measures[name]();
