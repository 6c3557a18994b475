// Talks to models outside the service: their answers have megabytes of JSON, which would hold up the thread of requests.
import { parentPort, workerData } from 'node:worker_threads';

// Sources run as they are, and this runtime may have to be taught TypeScript.
if (workerData.loader) (await import(workerData.loader)).register();
const { TASKS } = await import('./model-tasks.ts');

parentPort.on('message', async ({ id, task, input }) => {
  try {
    parentPort.postMessage({ id, output: await TASKS[task](input) });
  } catch (error) {
    parentPort.postMessage({ id, error: error.message });
  }
});
