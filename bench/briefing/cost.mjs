// What a briefing costs in a small account and in a large one. Run it by hand:
//   node --conditions=source --import tsx bench/briefing/cost.mjs [--entries 10000,100000] [--rounds 40]
// A project has 600 entries in each; everything else lies beside it. Rounds alternate between the accounts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { openApp } from '../../packages/server/src/app.ts';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';

const { values } = parseArgs({
  options: { entries: { type: 'string', default: '10000,100000' }, rounds: { type: 'string', default: '40' } },
});
const AGENT = 'bench';
const PROJECT = 600;
const ASKED = {
  project: { entity_path: 'project' },
  'whole account': {},
  compact: { entity_path: 'project', compact: true },
};

const stores = [];
for (const n of values.entries.split(',').map(Number)) stores.push(await openStore(n));
try {
  for (const [name, input] of Object.entries(ASKED)) await measure(name, input);
} finally {
  for (const { app, dataDir } of stores) {
    await app.close();
    rmSync(dataDir, { recursive: true });
  }
}

async function openStore(n) {
  const dataDir = mkdtempSync(join(tmpdir(), 'mem-briefing-'));
  const app = await openApp({ dataDir, onError: console.error, settings: { embedder: 'off' } });
  const caller = { account_id: SELF_HOSTED_ACCOUNT, actor: AGENT, address: '', request_id: '' };
  const call = (name, input, as = {}) =>
    app.kernel.invoke(name, input, { ...caller, agent_id: AGENT, session_id: null, ...as });
  const value = { note: 'what was found out about this part, and what to do about it', part: 1 };
  const write = (at) => {
    const isProject = at < PROJECT;
    const entity_path = isProject ? `project/part-${at % 12}` : `area-${at % 40}/part-${at % 1000}`;
    return call(
      'entries.write',
      { entity_path, key: `k-${at}`, value, memory_type: at % 50 === 0 ? 'procedure' : 'fact' },
      { agent_id: `agent-${at % 7}` },
    );
  };
  for (let at = 0; at < n; at += 500)
    await Promise.all(Array.from({ length: Math.min(500, n - at) }, (_, i) => write(at + i)));
  const outcomes = Math.min(2_000, 100 * Math.ceil(n / 2_000));
  for (let at = 0; at < outcomes; at += 100)
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const no = at + i;
        const of = no % 2 === 0 ? no % PROJECT : Math.floor((no / outcomes) * (n - 1));
        const entity_path = of < PROJECT ? `project/part-${of % 12}` : `area-${of % 40}/part-${of % 1000}`;
        const session = { session_id: `s-${no}` };
        await call('entries.read', { entity_path, key: `k-${of}` }, session);
        const outcome_type = no % 5 === 0 ? 'critical_failure' : 'success';
        await call('outcomes.commit', { outcome_ref: `ref-${no}`, outcome_type }, session);
      }),
    );
  for (let walks = 0; walks < 400 && (await isBehind(app)); walks++) {
    await app.jobs.sweep();
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return { n, app, dataDir, call };
}

async function isBehind(app) {
  const { read } = app.kernel.services.database.forAccount(SELF_HOSTED_ACCOUNT);
  const values = [SELF_HOSTED_ACCOUNT];
  const { seq } = await read.get({ text: 'SELECT seq FROM accounts WHERE account_id = ?', values });
  const text = "SELECT seq FROM consumer_cursors WHERE account_id = ? AND consumer = 'briefing.follow_log'";
  return ((await read.get({ text, values }))?.seq ?? 0) < seq;
}

async function measure(name, input) {
  const figures = stores.map(({ n }) => ({ n, cpu: [], wall: [], bytes: 0 }));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let round = -5; round < Number(values.rounds); round++)
    for (const [at, { call }] of stores.entries()) {
      const [cpu, wall] = [process.cpuUsage(), performance.now()];
      const answer = await call('briefing.read', input);
      const { user, system } = process.cpuUsage(cpu);
      if (round < 0) continue;
      figures[at].cpu.push((user + system) / 1000);
      figures[at].wall.push(performance.now() - wall);
      figures[at].bytes = JSON.stringify(answer).length;
    }
  delay.disable();
  const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
  const first = median(figures[0].cpu);
  for (const { n, cpu, wall, bytes } of figures)
    console.log(
      `${name}, ${n} entries: ${median(cpu).toFixed(2)} ms of processor time (${(median(cpu) / first).toFixed(2)} ×), ` +
        `${median(wall).toFixed(2)} ms, ${bytes} bytes`,
    );
  console.log(`${name}: the event loop waited ${(delay.max / 1e6).toFixed(1)} ms at most`);
}
