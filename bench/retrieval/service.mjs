// The same questions, asked of the service itself: recall at 10 on those that nothing was chosen on. Run it by hand:
//   node --conditions=source --import tsx bench/retrieval/service.mjs [--fitted 26,30,41,42,43] [FILE…]
// Files are conversations in the format of LoCoMo: each is written at a path of its own, and asked within it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ANSWERABLE, readConversations } from './locomo.mjs';
import { fillStore, openStore, untilCaughtUp } from './made-store.mjs';
import { readOwnSet } from './own-set.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { fitted: { type: 'string', default: '26,30,41,42,43' } },
});
const awake = setInterval(() => {}, 1000);
const dataDir = mkdtempSync(join(tmpdir(), 'mem-recall-'));
const store = await openStore({ dataDir });
const { call } = store;
try {
  await fillStore(store, 0);
  await untilCaughtUp(store);
  await askOwnSet();
  const isFitted = ({ name }) => values.fitted.split(',').some((one) => one !== '' && name.endsWith(one));
  const conversations = readConversations(positionals).filter((one) => !isFitted(one));
  if (conversations.length > 0) await askConversations(conversations);
} finally {
  await store.app.close();
  clearInterval(awake);
  rmSync(dataDir, { recursive: true });
}

async function askOwnSet() {
  const { questions } = readOwnSet();
  for (const neighbours of [undefined, false, true])
    for (const shared of [true, false]) {
      const asked = questions.filter((one) => one.shared === shared && !one.to_choose_on);
      let found = 0;
      for (const { question, answer } of asked)
        if ((await ask({ query: question, neighbours })).some((key) => key === answer)) found++;
      print(`${shared ? 'with' : 'without'} a shared word`, neighbours, found / asked.length);
    }
}

async function askConversations(conversations) {
  for (const { name, texts } of conversations)
    for (const [at, { text, also, sequence }] of texts.entries())
      await call(
        'entries.write',
        { entity_path: `talks/${name}/${sequence}`, key: `t${at}`, value: `${also}: ${text}` },
        { session_id: `${name}-${sequence}` },
      );
  await untilCaughtUp(store);
  for (const neighbours of [undefined, false]) {
    let [sum, asked] = [0, 0];
    for (const { name, texts, questions } of conversations) {
      const keys = new Map(texts.map(({ id, sequence }, at) => [id, `talks/${name}/${sequence}/t${at}`]));
      for (const { question, targets } of questions.filter(({ category }) => ANSWERABLE.has(category))) {
        const found = await ask({ query: question, neighbours, entity_path: `talks/${name}/**` });
        sum += targets.filter((id) => found.includes(keys.get(id))).length / targets.length;
        asked++;
      }
    }
    print(`${asked} questions about conversations`, neighbours, sum / asked);
  }
}

/** The paths and keys of what is found. */
async function ask(question) {
  const { entries } = await call('entries.retrieve', { ...question, compact: true });
  return entries.map((entry) => JSON.parse(JSON.stringify(entry))).map((one) => `${one.entity_path}/${one.key}`);
}

function print(kind, neighbours, share) {
  console.log(`neighbours ${neighbours ?? 'as found'}, ${kind}: recall@10 ${(100 * share).toFixed(1)}`);
}
