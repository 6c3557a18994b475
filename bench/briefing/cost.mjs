// What a briefing costs in a small account and in a large one. Run it by hand:
//   node --conditions=source --import tsx bench/briefing/cost.mjs [--entries 10000,100000] [--rounds 40] [--folder …]
// Stores in a folder are kept, and filled up where an earlier run was interrupted: a million entries take some minutes.
// A project has 600 entries in each; everything else lies beside it. Rounds alternate between the accounts. The time of
// each account is also that of its threads; the longest turn is that of the main thread, within one briefing.
import { mkdirSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openApp } from '../../packages/server/src/app.ts';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '10000,100000' },
    rounds: { type: 'string', default: '40' },
    folder: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const AGENT = 'bench';
const PROJECT = 600;
const BATCH = 1000;
const OUTCOMES = 1000;
const ASKED = {
  project: { entity_path: 'project' },
  'whole account': {},
  compact: { entity_path: 'project', compact: true },
  'the most digests': { limit: 100 },
};
const value = { note: 'what was found out about this part, and what to do about it', part: 1 };
const pathOf = (at) => (at < PROJECT ? `project/part-${at % 12}` : `area-${at % 40}/part-${at % 1000}`);
const caller = { account_id: SELF_HOSTED_ACCOUNT, actor: AGENT, address: '', request_id: '' };

const stores = [];
try {
  for (const n of values.entries.split(',').map(Number)) stores.push(await openStore(n));
  for (const [name, input] of Object.entries(ASKED)) if (name.includes(values.only)) await measure(name, input);
} finally {
  for (const { app, dataDir } of stores) {
    await app.close();
    if (!values.folder) rmSync(dataDir, { recursive: true });
  }
}

async function openStore(n) {
  const dataDir = values.folder ? join(values.folder, String(n)) : mkdtempSync(join(tmpdir(), 'mem-briefing-'));
  mkdirSync(dataDir, { recursive: true });
  const settings = { embedder: 'off', cortex: 'off' };
  const app = await openApp({ dataDir, onError: console.error, settings });
  const call = (name, input, as = {}) =>
    app.kernel.invoke(name, input, { ...caller, agent_id: AGENT, session_id: null, ...as });
  const { total_entries } = await call('stats.read', {});
  await fill(call, { from: total_entries - (total_entries % BATCH), n });
  if (total_entries < n) await commitOutcomes(call, n);
  for (let walks = 0; walks < 400 && (await isBehind(app)); walks++) await app.jobs.sweep();
  const paths = new Set(Array.from({ length: 12 + 200 }, (_, i) => pathOf(i < 12 ? i : PROJECT + i)));
  const scopes = [...paths, AGENT, ...Array.from({ length: 7 }, (_, i) => `agent-${i}`)];
  for (const scope of scopes) await call('cortex.recompile', { scope });
  return { n, app, dataDir, call };
}

async function fill(call, { from, n }) {
  for (let at = from; at < n; at += BATCH) {
    const writes = Array.from({ length: Math.min(BATCH, n - at) }, (_, i) => ({
      ...{ entity_path: pathOf(at + i), key: `k-${at + i}`, value },
      memory_type: (at + i) % 50 === 0 ? 'procedure' : 'fact',
    }));
    await call('commits.create', { writes }, { agent_id: `agent-${(at / BATCH) % 7}` });
  }
}

/** Half of them are about the project; the others lie anywhere. */
async function commitOutcomes(call, n) {
  for (let at = 0; at < OUTCOMES; at += 100)
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const no = at + i;
        const of = no % 2 === 0 ? no % PROJECT : Math.floor((no / OUTCOMES) * (n - 1));
        const session = { session_id: `s-${no}` };
        await call('entries.read', { entity_path: pathOf(of), key: `k-${of}` }, session);
        const outcome_type = no % 5 === 0 ? 'critical_failure' : 'success';
        await call('outcomes.commit', { outcome_ref: `ref-${no}`, outcome_type }, session);
      }),
    );
}

async function isBehind(app) {
  const { read } = app.kernel.services.database.forAccount(SELF_HOSTED_ACCOUNT);
  const values = [SELF_HOSTED_ACCOUNT];
  const { seq } = await read.get({ text: 'SELECT seq FROM accounts WHERE account_id = ?', values });
  const text = "SELECT seq FROM consumer_cursors WHERE account_id = ? AND consumer = 'briefing.follow_log'";
  return ((await read.get({ text, values }))?.seq ?? 0) < seq;
}

/** The processor time of the main thread alone. */
function mainThreadClock() {
  const stat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const bytes = Buffer.alloc(64);
  return () => Number.parseInt(bytes.toString('latin1', 0, readSync(stat, bytes, 0, 64, 0)), 10) / 1e6;
}

/** Runs something, and says how long the longest turn of the event loop was meanwhile. */
async function withTurns(cpuMs, run) {
  let [longest, last, isOver] = [0, cpuMs(), false];
  const turn = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const answer = await run();
  isOver = true;
  turn();
  return { answer, longest };
}

async function measure(name, input) {
  const figures = stores.map(({ n }) => ({ n, cpu: [], wall: [], turns: [], bytes: 0 }));
  const cpuMs = mainThreadClock();
  for (let round = -5; round < Number(values.rounds); round++)
    for (const [at, { call }] of round % 2 ? [...stores.entries()] : [...stores.entries()].reverse()) {
      const [cpu, wall] = [process.cpuUsage(), performance.now()];
      const answer = await call('briefing.read', input);
      const { user, system } = process.cpuUsage(cpu);
      const took = performance.now() - wall;
      const { longest } = await withTurns(cpuMs, () => call('briefing.read', input));
      if (round < 0) continue;
      figures[at].cpu.push((user + system) / 1000);
      figures[at].wall.push(took);
      figures[at].turns.push(longest);
      figures[at].bytes = JSON.stringify(answer).length;
    }
  const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
  const first = median(figures[0].cpu);
  for (const { n, cpu, wall, turns, bytes } of figures)
    console.log(
      `${name}, ${n} entries: ${median(cpu).toFixed(2)} ms of processor time (${(median(cpu) / first).toFixed(2)} ×; ≤ 1.5), ` +
        `${median(wall).toFixed(2)} ms, ${bytes} bytes; longest turn ${median(turns).toFixed(1)} ms, ` +
        `at most ${Math.max(...turns).toFixed(1)} ms`,
    );
}
