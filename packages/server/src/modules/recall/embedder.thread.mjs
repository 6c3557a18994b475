// Has the table of the embedder, and does with it what would take too long on the thread that answers requests.
import { parentPort, workerData } from 'node:worker_threads';

// Sources run as they are, and this runtime may have to be taught TypeScript.
if (workerData.loader) (await import(workerData.loader)).register();
const { loadEmbedder } = await import('@mem-service/embedder');
const { Encoding } = await import('./encoding.ts');

const embedder = loadEmbedder();
const encoding = new Encoding(embedder);

const TASKS = {
  embed: ({ texts }) => encoding.embed(texts),
  ask: (input) => encoding.ask(input),
  nearest: ({ blocks, question, most }) => encoding.nearest(blocks, question, most),
  compare: (input) => encoding.compare(input),
  clustersOf: ({ vectors }) => encoding.clustersOf(vectors),
  fitting: (input) => encoding.fitting(input),
  alike: (input) => encoding.alike(input),
  related: ({ documents, ...question }) => encoding.related(documents, question),
  bestPassages: ({ documents, asked }) => encoding.bestPassages(documents, asked),
};

parentPort.on('message', ({ id, task, input }) => {
  try {
    parentPort.postMessage({ id, output: TASKS[task](input) });
  } catch (error) {
    parentPort.postMessage({ id, error: error.message });
  }
});
