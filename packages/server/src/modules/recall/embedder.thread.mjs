// Has the table of the embedder, and does with it what would take too long on the thread that answers requests.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

// Sources run as they are, and this runtime may have to be taught TypeScript.
if (workerData.loader) (await import(workerData.loader)).register();
const { loadEmbedder } = await import('@mem-service/embedder');
const { Encoding } = await import('./encoding.ts');
const { slicesOf } = await import('./slices.ts');

const embedder = loadEmbedder();
const encoding = new Encoding(embedder);

/** Takes a few milliseconds. */
const EMBEDDED_AT_ONCE = { texts: 50, chars: 50_000 };

/** In steps: questions that came meanwhile are answered in between. */
async function embed({ texts }) {
  const parts = [];
  for (const some of slicesOf(texts, ({ document }) => document.length, EMBEDDED_AT_ONCE)) {
    if (parts.length > 0) await nextTurn();
    for (const part of encoding.embed(some)) parts.push(part);
  }
  return parts;
}

const TASKS = {
  embed,
  ask: (input) => encoding.ask(input),
  nearest: ({ blocks, question, most }) => encoding.nearest(blocks, question, most),
  compare: (input) => encoding.compare(input),
  clustersOf: ({ vectors }) => encoding.clustersOf(vectors),
  fitting: (input) => encoding.fitting(input),
  alike: (input) => encoding.alike(input),
  related: (input) => encoding.related(input),
  bestPassages: ({ documents, asked }) => encoding.bestPassages(documents, asked),
};

parentPort.on('message', async ({ id, task, input }) => {
  try {
    parentPort.postMessage({ id, output: await TASKS[task](input) });
  } catch (error) {
    parentPort.postMessage({ id, error: error.message });
  }
});
