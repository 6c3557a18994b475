import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare } from '../compare.mjs';
import { ask, headers, newRun } from '../harness.mjs';
import { pinned } from '../machine.mjs';
import { cpuSeconds, residentMemory, run } from '../processes.mjs';

const RATE = 100;
const LIMIT_MB = 250;
/** A small heap shows leaks early. */
const SMALL_HEAP = ['--max-old-space-size=64'];
/** The run is part of the value, because an unchanged value causes no event. */
const bodyOf = (key) =>
  JSON.stringify({ entity_path: 'bench/stream', key, value: { note: 'what others want to know', run: newRun() } });
const child = fileURLToPath(new URL('../load/subscribers.mjs', import.meta.url));

/** One event as the service sends it, so that the floor can send the same bytes. */
async function sampleOf(service) {
  await ask(service, { method: 'POST', path: '/api/v1/entries', body: bodyOf('sample') });
  const response = await fetch(`${service.url}/api/v1/stream?after=0`, { headers });
  let text = '';
  for await (const chunk of response.body) {
    text += new TextDecoder().decode(chunk);
    const found = /\ndata: (.*)\n\n/.exec(text);
    if (found) return found[1];
  }
  throw new Error('the stream ended');
}

async function follow({ url, pid }, { seconds, subscribers }) {
  const plan = { url, headers, body: bodyOf('{n}'), seconds, subscribers, rate: RATE };
  const [command, args] = pinned('load', process.execPath, [child]);
  const before = { cpu: cpuSeconds(pid), at: performance.now() };
  const memory = [];
  const sampling = setInterval(() => memory.push(residentMemory(pid).own), 500);
  const { stdout } = await run(command, args, { input: JSON.stringify(plan), timeoutMs: (seconds + 120) * 1000 });
  clearInterval(sampling);
  const load = (cpuSeconds(pid) - before.cpu) / ((performance.now() - before.at) / 1000);
  const { problem, ...measured } = JSON.parse(stdout);
  if (problem || measured.non2xx > 0) throw new Error(problem ?? `${measured.non2xx} writes were refused`);
  return { ...measured, load, memory };
}

/** Events to very many readers, against a bare server that writes the same bytes to as many. */
export async function* measureStream(harness) {
  const { streamSeconds: seconds, subscribers, longRepeats: repeats } = harness.options;
  const service = await harness.service(harness.emptyPlace('stream'), SMALL_HEAP);
  const file = join(harness.folder, 'stream.body');
  writeFileSync(file, await sampleOf(service));
  const floor = await harness.floor('broadcast', { FLOOR_BODY_FILE: file });
  for (const target of [floor, service]) await follow(target, { seconds: 2, subscribers });
  const runs = [];
  const measure = async (target) => {
    const measured = await follow(target, { seconds, subscribers });
    if (target === service) runs.push(measured);
    return { value: measured.p99_ms, non2xx: measured.non2xx, measured };
  };
  const result = await compare(
    repeats,
    () => measure(floor),
    () => measure(service),
  );
  const many = `${subscribers.toLocaleString('en-US')} readers, ${RATE} writes/s, ${seconds} s`;
  const last = runs.at(-1);
  const share = Math.round(Math.max(...runs.map(({ load }) => load)) * 100);
  const arrivals = runs.reduce((sum, { arrived }) => sum + arrived, 0).toLocaleString('en-US');
  const note = `all ${arrivals} events arrived, once and in order; median ${last.p50_ms.toFixed(1)} ms; ${share} % of a core`;
  yield { figure: `stream, p99 from write to event, ${many}`, unit: 'ms', target: { most: 3 }, ...result, note };
  const third = Math.ceil(last.memory.length / 3);
  const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  const [early, late] = [mean(last.memory.slice(third, 2 * third)), mean(last.memory.slice(-third))];
  const drift = `${late >= early ? '+' : ''}${(late - early).toFixed(1)} MB from the second third of the last run to the last`;
  yield { figure: `stream, memory of its own, ${many}`, unit: 'MB', ours: late, limit: LIMIT_MB, note: drift };
}
