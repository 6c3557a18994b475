// Times searches in process: the whole operation, and beside it the bare full-text query on the same file through the
// same driver; searches within a path beside the same over all paths. The options are JSON in the first argument.
import { join } from 'node:path';
import { readAccount } from '../../packages/server/src/kernel/index.ts';
import { parseQuery, syntaxOf } from '../../packages/server/src/modules/text/index.ts';
import { caller, open } from './open.mjs';

const { dataDir, queries, rounds, limit, entity_path } = JSON.parse(process.argv[2]);
const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
// The service's reader thread does not keep a process alive.
const awake = setInterval(() => {}, 1000);
const app = await open({ dataDir });
const account = await readAccount(app.kernel.services.database.read, caller.account_id);
const syntax = syntaxOf('sqlite');
const expressions = queries.map((query) =>
  syntax.any(parseQuery(query).map((term) => syntax.term(term, account.number))),
);

const file = new DatabaseSync(join(dataDir, 'words.db'), { readOnly: true });
file.exec('PRAGMA cache_size = -16384; PRAGMA mmap_size = 268435456');
const bare = file.prepare('SELECT rowid, rank FROM entry_words WHERE entry_words MATCH ? ORDER BY rank LIMIT ?');
const count = file.prepare('SELECT count(*) AS n FROM entry_words WHERE entry_words MATCH ?');

async function timeEach(items, search) {
  const times = [];
  for (const item of items) {
    const started = performance.now();
    await search(item);
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  return times[times.length >> 1];
}
const search = (input) => app.kernel.invoke('entries.search', { limit, ...input }, caller);
const ours = (query) => search(entity_path === undefined ? { query } : { query, entity_path });
const timeFloor = () =>
  entity_path === undefined
    ? timeEach(expressions, (expression) => bare.all(expression, limit))
    : timeEach(queries, (query) => search({ query }));
const timeOurs = () => timeEach(queries, ours);

let found = 0;
let truncated = 0;
for (const query of queries) {
  const answer = await ours(query);
  found += answer.entries.length;
  if (answer.truncated) truncated++;
}
await timeFloor();
const pairs = [];
for (let i = 0; i < rounds; i++) {
  const first = i % 2 === 0 ? { floor: await timeFloor() } : {};
  const value = await timeOurs();
  pairs.push({ floor: { value: first.floor ?? (await timeFloor()) }, ours: { value } });
}
const matches = expressions.map((expression) => count.get(expression).n).sort((a, b) => a - b);
file.close();
await app.close();
clearInterval(awake);
process.stdout.write(
  JSON.stringify({ pairs, truncated, found: found / queries.length, matches: matches[matches.length >> 1] }),
);
