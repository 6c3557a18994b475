// The same questions, asked of the service itself, and what they cost beside a search for the same words. Run it by hand:
//   node --conditions=source --import tsx bench/retrieval/service.mjs [--entries 10000] [--times 100]
// Further entries are made of the words of the others.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openApp } from '../../packages/server/src/app.ts';
import { readOwnSet } from './own-set.mjs';

const { values } = parseArgs({
  options: { entries: { type: 'string', default: '0' }, times: { type: 'string', default: '60' } },
});
const { memories, questions } = readOwnSet();
const dataDir = mkdtempSync(join(tmpdir(), 'mem-recall-'));
const app = await openApp({ dataDir, onError: console.error });
const caller = {
  account_id: 'default',
  actor: 'bench',
  agent_id: 'bench',
  session_id: null,
  address: '',
  request_id: '',
};
const call = (name, input, as = {}) => app.kernel.invoke(name, input, { ...caller, ...as });

try {
  await write();
  await catchUp();
  await findAnswers();
  await compareCosts();
} finally {
  await app.close();
  rmSync(dataDir, { recursive: true });
}

async function write() {
  const { account_id } =
    (await app.kernel.services.database.read.get({
      text: 'SELECT account_id FROM accounts LIMIT 1',
      values: [],
    })) ?? caller;
  caller.account_id = account_id;
  for (const { entity_path, key, value, session } of memories)
    await call('entries.write', { entity_path, key, value }, { session_id: session });
  const words = memories.flatMap(({ value }) => value.split(/\s+/));
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32;
  };
  const text = () => Array.from({ length: 18 }, () => words[Math.floor(random() * words.length)]).join(' ');
  for (let at = memories.length; at < Number(values.entries); at += 500)
    await Promise.all(
      Array.from({ length: 500 }, (_, i) =>
        call('entries.write', { entity_path: `made/${at / 500}`, key: `k${i}`, value: text() }),
      ),
    );
}

async function catchUp() {
  const started = performance.now();
  for (;;) {
    const { index } = await call('entries.retrieve', { query: 'checkout pool', limit: 1 });
    if (index.behind === 0 && performance.now() - started > 3000) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  console.log(`the index has caught up after ${Math.round(performance.now() - started)} ms`);
}

async function findAnswers() {
  for (const neighbours of [undefined, false, true])
    for (const shared of [true, false]) {
      const asked = questions.filter((one) => one.shared === shared && !one.to_choose_on);
      let found = 0;
      for (const { question, answer } of asked) {
        const { entries } = await call('entries.retrieve', { query: question, compact: true, neighbours });
        const keys = entries.map((entry) => JSON.parse(JSON.stringify(entry))).map((e) => `${e.entity_path}/${e.key}`);
        if (keys.includes(answer)) found++;
      }
      const kind = shared ? 'with a shared word' : 'without a shared word';
      console.log(
        `neighbours ${neighbours ?? 'as found'}, ${kind}: recall@10 ${((100 * found) / asked.length).toFixed(1)}`,
      );
    }
}

async function compareCosts() {
  const ways = {
    search: (query) => call('entries.search', { query, limit: 10 }),
    retrieve: (query) => call('entries.retrieve', { query, limit: 10 }),
    'retrieve by words': (query) => call('entries.retrieve', { query, limit: 10, semantic_weight: 0 }),
  };
  const spent = Object.fromEntries(Object.keys(ways).map((name) => [name, { wall: 0, cpu: 0 }]));
  const asked = questions.slice(0, Number(values.times));
  for (const { question } of asked)
    for (const [name, run] of Object.entries(ways)) {
      const [wall, cpu] = [performance.now(), process.cpuUsage()];
      await run(question);
      const { user, system } = process.cpuUsage(cpu);
      spent[name].wall += performance.now() - wall;
      spent[name].cpu += (user + system) / 1000;
    }
  for (const [name, { wall, cpu }] of Object.entries(spent))
    console.log(
      `${name}: ${(wall / asked.length).toFixed(2)} ms, ${(cpu / asked.length).toFixed(2)} ms of processor time`,
    );
}
