// How far the chance that memory holds an answer can be trusted, and the constants behind it. Run it by hand, with
// conversations in the format of LoCoMo if there are any:
//   node --conditions=source --import tsx bench/retrieval/answerability.mjs [--fit] [--most 60] [FILE…]
// Each question is asked of the memory that answers it and of another one that does not. Those "to choose on" (see run.mjs) are
// fitted on with --fit; the others are reported. Questions of category 5 look as if the conversation answered them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openApp } from '../../packages/server/src/app.ts';
import { chanceOf } from '../../packages/server/src/modules/recall/rules/answerability.ts';
import { brier, calibrationError, deciles, fitLogistic } from './calibration.mjs';
import { ANSWERABLE, readConversations } from './locomo.mjs';
import { readOwnSet } from './own-set.mjs';

const FITTED = ['26', '30', '41', '42', '43'];
const SIGNS = ['meaning', 'words', 'margin', 'neighbours'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fit: { type: 'boolean', default: false },
    samples: { type: 'string' },
    most: { type: 'string', default: '60' },
  },
});
const dataDir = mkdtempSync(join(tmpdir(), 'mem-answerability-'));
const app = await openApp({ dataDir, onError: console.error });
const { account_id } = await app.kernel.services.database.read.get({
  text: 'SELECT account_id FROM accounts LIMIT 1',
  values: [],
});
const as = { account_id, actor: 'bench', agent_id: 'bench', session_id: null, address: '', request_id: '' };
const call = (name, input, more = {}) => app.kernel.invoke(name, input, { ...as, ...more });

try {
  const asked = [...(await ownSet()), ...(await conversations())];
  await catchUp();
  const samples = [];
  for (const one of asked) samples.push(...(await ask(one)));
  if (values.samples) writeFileSync(values.samples, JSON.stringify(samples));
  if (values.fit) fitConstants(samples);
  report(samples.filter(({ toChooseOn }) => !toChooseOn));
} finally {
  await app.close();
  rmSync(dataDir, { recursive: true });
}

/** Two memories with every other project each. */
async function ownSet() {
  const { memories, questions } = readOwnSet();
  const projects = [...new Set(memories.map(({ entity_path }) => entity_path.split('/')[0]))];
  const halfOf = (path) => (projects.indexOf(path.split('/')[0]) % 2 === 0 ? 'first' : 'second');
  await writeAll(
    memories.map(({ entity_path, ...rest }) => ({ entity_path: `${halfOf(entity_path)}/${entity_path}`, ...rest })),
  );
  return questions.map(({ question, answer, to_choose_on }) => ({
    question,
    set: 'agent memories',
    toChooseOn: to_choose_on === true,
    in: halfOf(answer),
    notIn: halfOf(answer) === 'first' ? 'second' : 'first',
  }));
}

async function conversations() {
  const all = readConversations(positionals);
  for (const { name, texts } of all)
    await writeAll(
      texts.map(({ id, text, also, sequence }) => ({
        entity_path: name,
        key: id,
        value: `${also}: ${text}`,
        session: `${name} ${sequence}`,
      })),
    );
  const isFitted = (name) => FITTED.some((one) => name.endsWith(one));
  // Of the same half, so that nothing is fitted on memory that is reported on.
  const nextOf = (name) => {
    const same = all.filter((one) => isFitted(one.name) === isFitted(name));
    return same[(same.findIndex((one) => one.name === name) + 1) % same.length].name;
  };
  return all.flatMap(({ name, questions }) => {
    const step = Math.ceil(questions.length / Number(values.most));
    const toChooseOn = isFitted(name);
    return questions
      .filter((_, i) => i % step === 0)
      .map(({ question, category }) => {
        const isAnswered = ANSWERABLE.has(category);
        const elsewhere = nextOf(name);
        if (!isAnswered) return { question, set: 'conversations, category 5', toChooseOn: false, notIn: name };
        return { question, set: 'conversations', toChooseOn, in: name, notIn: elsewhere };
      });
  });
}

/** Those of a session one after the other. */
async function writeAll(memories) {
  for (let at = 0; at < memories.length; at += 100)
    await Promise.all(
      memories
        .slice(at, at + 100)
        .map(({ entity_path, key, value, session }) =>
          call('entries.write', { entity_path, key, value }, { session_id: session }),
        ),
    );
}

async function catchUp() {
  await new Promise((resolve) => setTimeout(resolve, 1500));
  for (;;) {
    const { index } = await call('entries.retrieve', { query: 'anything at all', limit: 1 });
    if (index.behind === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await new Promise((resolve) => setTimeout(resolve, 1500));
}

async function ask({ question, set, toChooseOn, ...at }) {
  const samples = [];
  for (const [isIn, path] of [
    [1, at.in],
    [0, at.notIn],
  ])
    if (path !== undefined)
      for (const way of ['meaning', 'words']) {
        const words = way === 'words' ? { semantic_weight: 0 } : {};
        const input = { query: question, entity_path: path, include_descendants: true, compact: true, ...words };
        const { answerability, entries } = await call('entries.retrieve', input);
        samples.push({ set, toChooseOn, isIn, way, ...answerability, found: entries.length });
      }
  return samples;
}

function fitConstants(samples) {
  for (const [way, names] of [
    ['meaning', SIGNS],
    ['words', ['words']],
  ]) {
    const chosen = samples.filter((one) => one.toChooseOn && one.way === way);
    // Each set counts the same, however many questions it has.
    const sets = new Map();
    for (const { set } of chosen) sets.set(set, (sets.get(set) ?? 0) + 1);
    const weights = fitLogistic(
      chosen.map(({ signs }) => names.map((name) => signs[name] ?? 0)),
      chosen.map(({ isIn }) => isIn),
      chosen.map(({ set }) => 1000 / sets.get(set)),
    );
    const [constant, ...others] = weights.map((weight) => Math.round(weight * 100) / 100);
    const fitted = Object.fromEntries(names.map((name, at) => [name, others[at]]));
    console.log(`by ${way}, fitted on ${chosen.length}:`, JSON.stringify({ constant, ...fitted }));
    // So that what is reported below is what these constants give.
    for (const one of samples.filter((sample) => sample.way === way)) {
      const sum = names.reduce((total, name, at) => total + others[at] * (one.signs[name] ?? 0), constant);
      one.chance = Math.min(0.99, Math.max(0.01, 1 / (1 + Math.exp(-sum))));
    }
  }
}

function report(samples) {
  for (const way of ['meaning', 'words'])
    for (const set of ['all', ...new Set(samples.map((one) => one.set))]) {
      const some = samples.filter(
        (one) => one.way === way && (set === 'all' ? !one.set.includes('category') : one.set === set),
      );
      if (some.length === 0) continue;
      if (!values.fit) for (const one of some) one.chance = chanceOf(one.signs);
      const name = `${set}, by ${way === 'meaning' ? 'meaning and words' : 'words alone'}`;
      if (set.includes('category')) {
        const mean = some.reduce((sum, { chance }) => sum + chance, 0) / some.length;
        console.log(
          `${name}: ${some.length} questions that only look answerable, chance ${mean.toFixed(2)} on average`,
        );
        continue;
      }
      console.log(
        `${name}: ${some.length} held out, Brier ${brier(some).toFixed(3)}, calibration error ${calibrationError(some).toFixed(3)}`,
      );
      if (set === 'all')
        for (const { from, count, given, held } of deciles(some))
          console.log(
            `  ${from.toFixed(1)} to ${(from + 0.1).toFixed(1)}: ${String(count).padStart(4)} questions, said ${given.toFixed(2)}, held ${held.toFixed(2)}`,
          );
    }
}
