// How well questions find what answers them. Run it by hand, with conversations in the format of LoCoMo if there are any:
//   node --conditions=source --import tsx bench/retrieval/run.mjs [--fitted 26,30,41,42,43] [--json] [FILE…]
// Sets "to choose on" are reported apart: constants may be chosen on those, and on no others. They are the conversations whose
// names end in one of --fitted, and the questions with that mark.
import { parseArgs } from 'node:util';
import { ANSWERABLE, readConversations } from './locomo.mjs';
import { BYTES_PER_TEXT, indexTexts, rankings, Tally, WAYS } from './measure.mjs';
import { asText, readOwnSet } from './own-set.mjs';

/** The conversations that the table's authors chose their constants on. */
const FITTED = '26,30,41,42,43';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { fitted: { type: 'string', default: FITTED }, json: { type: 'boolean', default: false } },
});

const tallies = new Map();
const tallyOf = (name) => {
  if (!tallies.has(name)) tallies.set(name, new Tally());
  return tallies.get(name);
};

measureOwnSet();
for (const conversation of readConversations(positionals)) measureConversation(conversation);

if (values.json)
  console.log(JSON.stringify(Object.fromEntries([...tallies].map(([name, one]) => [name, one.figures()]))));
else for (const [name, tally] of tallies) print(name, tally);

function measureOwnSet() {
  const { memories, questions } = readOwnSet();
  const index = indexTexts(memories.map(asText));
  for (const { question, answer, shared, to_choose_on } of questions) {
    const ranked = rankings(index, question);
    const set = `${memories.length} agent memories${to_choose_on ? ' to choose on' : ''}`;
    for (const kind of ['all questions', `questions ${shared ? 'with' : 'without'} a shared word`])
      tallyOf(`${set}: ${kind}`).add(index, { targets: [answer] }, ranked);
  }
}

function measureConversation({ name, texts, questions }) {
  const index = indexTexts(texts);
  const isFitted = values.fitted.split(',').some((one) => one !== '' && name.endsWith(one));
  const set = isFitted ? 'conversations to choose on' : 'conversations';
  for (const one of questions) {
    const ranked = rankings(index, one.question);
    tallyOf(`${set}: all questions`).add(index, one, ranked);
    if (ANSWERABLE.has(one.category)) tallyOf(`${set}: categories 1 to 4`).add(index, one, ranked);
  }
}

function print(name, tally) {
  console.log(`\n${name}, ${tally.questions} questions`);
  for (const [way, figures] of Object.entries(tally.figures())) {
    const row = Object.entries(figures).map(([figure, value]) => `${figure} ${value.toFixed(1).padStart(5)}`);
    console.log(`  ${way.padEnd(Math.max(...WAYS.map(({ length }) => length)))}  ${row.join('   ')}`);
  }
  if (tally === [...tallies.values()].at(-1))
    console.log(`\nvectors take ${BYTES_PER_TEXT} bytes a text in bits and bytes`);
}
