// What a question costs beside a search for the same words and beside the bare full-text query, in processor time of all
// threads of this process. On SQLite; entries are made of the words of the others. Run it by hand:
//   node --conditions=source --import tsx bench/retrieval/costs.mjs --data FOLDER [--entries 6000,100000,1000000] [--rounds 3]
// Stores are made in FOLDER, or filled up, first; those of more than 100,000 entries by `grow-store.mjs`. Each question is asked
// in all ways in turn, so that ratios are of the same minute.
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readAccount } from '../../packages/server/src/kernel/index.ts';
import { parseQuery, syntaxOf } from '../../packages/server/src/modules/text/index.ts';
import { caller } from '../inside/open.mjs';
import { growStore } from './grow-store.mjs';
import { fillStore, ONE_PATH, openStore, untilCaughtUp } from './made-store.mjs';
import { readOwnSet } from './own-set.mjs';

/** More than this are not written through the service, and not asked of the bare query, which takes a second each. */
const MOST_WRITTEN = 100_000;
const BARE = 'the bare full-text query';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    entries: { type: 'string', default: '6000,100000,1000000' },
    rounds: { type: 'string', default: '3' },
    questions: { type: 'string', default: '40' },
  },
});
// The service's reader thread does not keep a process alive.
const awake = setInterval(() => {}, 1000);
const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
const length = (question) => question.split(/\s+/).length;
const questions = readOwnSet()
  .questions.map(({ question }) => question)
  .filter((question) => length(question) >= 8 && length(question) <= 12)
  .slice(0, Number(values.questions));

const sizes = values.entries.split(',').map(Number);
const figures = new Map();
for (const entries of sizes) {
  const data = join(values.data, `${entries}`);
  await makeStore(data, entries);
  figures.set(entries, await measure(data, entries));
}
clearInterval(awake);
printRatios();

async function makeStore(data, entries) {
  if (entries > MOST_WRITTEN && !existsSync(data)) {
    await makeStore(join(values.data, `${MOST_WRITTEN}`), MOST_WRITTEN);
    cpSync(join(values.data, `${MOST_WRITTEN}`), data, { recursive: true });
  }
  if (entries > MOST_WRITTEN) {
    await growStore(data, entries);
    return;
  }
  const store = await openStore({ dataDir: data });
  await fillStore(store, entries);
  await untilCaughtUp(store);
  await store.app.close();
}

async function measure(data, entries) {
  const store = await openStore({ dataDir: data });
  const bare = entries > MOST_WRITTEN ? undefined : await openBare(store, data);
  const ways = waysOf(store, bare);
  const times = new Map(Object.keys(ways).map((name) => [name, []]));
  for (let round = -1; round < Number(values.rounds); round++)
    for (const question of questions)
      for (const [name, run] of Object.entries(ways)) {
        const from = process.cpuUsage();
        await run(question);
        const { user, system } = process.cpuUsage(from);
        // The first round warms up.
        if (round >= 0) times.get(name).push((user + system) / 1000);
      }
  const memory = process.memoryUsage();
  bare?.file.close();
  await store.app.close();
  print(entries, times, memory);
  return times;
}

function waysOf({ call }, bare) {
  const within = { entity_path: ONE_PATH };
  return {
    ...(bare ? { [BARE]: bare.ask } : {}),
    search: (query) => call('entries.search', { query, limit: 10 }),
    'search, one path': (query) => call('entries.search', { query, limit: 10, ...within }),
    retrieve: (query) => call('entries.retrieve', { query, limit: 10 }),
    'retrieve, one path': (query) => call('entries.retrieve', { query, limit: 10, ...within }),
    'retrieve by words': (query) => call('entries.retrieve', { query, limit: 10, semantic_weight: 0 }),
  };
}

async function openBare({ app }, data) {
  const account = await readAccount(app.kernel.services.database.read, caller.account_id);
  const syntax = syntaxOf('sqlite');
  const file = new DatabaseSync(join(data, 'words.db'), { readOnly: true });
  file.exec('PRAGMA cache_size = -16384; PRAGMA mmap_size = 268435456');
  const bare = file.prepare('SELECT rowid, rank FROM entry_words WHERE entry_words MATCH ? ORDER BY rank LIMIT 10');
  const expressionOf = (query) => syntax.any(parseQuery(query).map((term) => syntax.term(term, account.number)));
  return { file, ask: (query) => bare.all(expressionOf(query)) };
}

function print(entries, times, { rss, heapUsed, arrayBuffers }) {
  const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;
  console.log(`\n${entries} entries, ${questions.length} questions of 8 to 12 words, ms of processor time`);
  for (const [name, list] of times)
    console.log(
      `  ${name.padEnd(24)} mean ${mean(list).toFixed(2).padStart(7)}   p50 ${middle(list).toFixed(2).padStart(7)}`,
    );
  console.log(
    `  memory of the process: ${megabytes(rss)} resident, ${megabytes(heapUsed)} of it heap, ${megabytes(arrayBuffers)} buffers`,
  );
}

function printRatios() {
  console.log('\nratios, by mean and by p50');
  const ratio = (name, wanted, [[entries, way], [to, other]]) => {
    const [a, b] = [figures.get(entries)?.get(way), figures.get(to)?.get(other)];
    if (!a || !b) return;
    const [byMean, byMiddle] = [mean(a) / mean(b), middle(a) / middle(b)];
    console.log(`  ${name.padEnd(64)} ${byMean.toFixed(2)}   ${byMiddle.toFixed(2)}   (wanted ${wanted})`);
  };
  for (const n of sizes) {
    const wanted = n === MOST_WRITTEN ? '≤ 3' : 'none';
    ratio(`${n}: retrieve against search`, wanted, [
      [n, 'retrieve'],
      [n, 'search'],
    ]);
    for (const way of ['search', 'retrieve']) {
      const all = [n, way];
      ratio(`${n}: ${way} against the bare query`, '≤ 3', [all, [n, BARE]]);
      ratio(`${n}: ${way} within one path against all paths`, '≤ 1.2', [[n, `${way}, one path`], all]);
    }
  }
  const large = [1_000_000, 'retrieve'];
  ratio('retrieve at 1,000,000 against 100,000', '≤ 2', [large, [MOST_WRITTEN, 'retrieve']]);
}

function mean(list) {
  return list.reduce((sum, one) => sum + one, 0) / list.length;
}

function middle(list) {
  return list.toSorted((a, b) => a - b)[list.length >> 1];
}
