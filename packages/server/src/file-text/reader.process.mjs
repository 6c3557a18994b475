// Reads the text of one packed file, in a process of its own: a file can be made so that reading it takes all memory, and
// V8 then ends the process, also where it happens in a thread with limits. The file comes on standard input; the answer goes
// to standard output as JSON.
import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';

const [format, given] = process.argv.slice(2);
const limits = JSON.parse(given);

/**
 * Runs in a thread, since reading may never give way. It ends the process also where nobody waits for it any more, and
 * writes why to the standard error output.
 */
const WATCH = `
const { writeSync } = require('node:fs');
const { workerData } = require('node:worker_threads');
const end = (reason) => { try { writeSync(2, reason); } catch {} process.kill(process.pid, 'SIGKILL'); };
setTimeout(end, workerData.time_ms, 'too_slow');
setInterval(() => { if (process.memoryUsage.rss() > workerData.memory_mb * 1048576) end('too_much_memory'); }, 20);
`;
new Worker(WATCH, { eval: true, workerData: limits }).unref();
try {
  setPriority(10);
} catch {
  // Not every system allows it, and it is only a courtesy.
}

const READERS = { pdf: () => import('./read-pdf.mjs'), docx: () => import('./read-docx.mjs') };

async function answer() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const bytes = new Uint8Array(Buffer.concat(chunks));
  try {
    const { readPages } = await READERS[format]();
    return { pages: await readPages(bytes, limits) };
  } catch (error) {
    return { reason: error.reason ?? 'broken', message: error.reason ? error.message : 'the file cannot be read' };
  }
}

const text = JSON.stringify(await answer());
process.stdout.write(text, () => process.exit(0));
