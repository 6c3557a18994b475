// What a question costs beside a search for the same words and beside the bare full-text query, in processor time of all
// threads of this process. On SQLite; entries are made of the words of the others. Run it by hand:
//   node --conditions=source --import tsx bench/retrieval/costs.mjs --data FOLDER [--entries 6000] [--rounds 3]
// The store in FOLDER is made, or filled up, first. Each question is asked in all ways in turn.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readAccount } from '../../packages/server/src/kernel/index.ts';
import { parseQuery, syntaxOf } from '../../packages/server/src/modules/text/index.ts';
import { caller } from '../inside/open.mjs';
import { fillStore, ONE_PATH, openStore, untilCaughtUp } from './made-store.mjs';
import { readOwnSet } from './own-set.mjs';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    entries: { type: 'string', default: '6000' },
    rounds: { type: 'string', default: '3' },
    questions: { type: 'string', default: '40' },
  },
});
// The service's reader thread does not keep a process alive.
const awake = setInterval(() => {}, 1000);
const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
const store = await openStore({ dataDir: values.data });
const { app, call } = store;
await fillStore(store, Number(values.entries));
await untilCaughtUp(store);

const length = (question) => question.split(/\s+/).length;
const questions = readOwnSet()
  .questions.map(({ question }) => question)
  .filter((question) => length(question) >= 8 && length(question) <= 12)
  .slice(0, Number(values.questions));

const account = await readAccount(app.kernel.services.database.read, caller.account_id);
const syntax = syntaxOf('sqlite');
const file = new DatabaseSync(join(values.data, 'words.db'), { readOnly: true });
file.exec('PRAGMA cache_size = -16384; PRAGMA mmap_size = 268435456');
const bare = file.prepare('SELECT rowid, rank FROM entry_words WHERE entry_words MATCH ? ORDER BY rank LIMIT 10');
const expressionOf = (query) => syntax.any(parseQuery(query).map((term) => syntax.term(term, account.number)));

const within = { entity_path: ONE_PATH };
const WAYS = {
  'the bare full-text query': (query) => bare.all(expressionOf(query)),
  search: (query) => call('entries.search', { query, limit: 10 }),
  'search, one path': (query) => call('entries.search', { query, limit: 10, ...within }),
  retrieve: (query) => call('entries.retrieve', { query, limit: 10 }),
  'retrieve, one path': (query) => call('entries.retrieve', { query, limit: 10, ...within }),
  'retrieve by words': (query) => call('entries.retrieve', { query, limit: 10, semantic_weight: 0 }),
};

const times = new Map(Object.keys(WAYS).map((name) => [name, []]));
for (let round = -1; round < Number(values.rounds); round++)
  for (const question of questions)
    for (const [name, run] of Object.entries(WAYS)) {
      const from = process.cpuUsage();
      await run(question);
      const { user, system } = process.cpuUsage(from);
      // The first round warms up.
      if (round >= 0) times.get(name).push((user + system) / 1000);
    }
file.close();
await app.close();
clearInterval(awake);

const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
const bareMean = mean(times.get('the bare full-text query'));
console.log(`${values.entries} entries, ${questions.length} questions of 8 to 12 words`);
for (const [name, list] of times)
  console.log(
    `  ${name.padEnd(24)} ${mean(list).toFixed(2).padStart(7)} ms, ${(mean(list) / bareMean).toFixed(1)} × the bare query`,
  );
