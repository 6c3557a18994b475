import { fileURLToPath } from 'node:url';
import { PER_FOLDER } from '../corpus.mjs';
import { has, pinned } from '../machine.mjs';
import { run } from '../processes.mjs';
import { loadWithWrk } from './wrk.mjs';

let seed = 1;

/** Chooses wrk, or the built-in generator. */
export function chooseGenerator(wanted) {
  if (wanted !== undefined && wanted !== 'wrk' && wanted !== 'own') throw new Error('--generator is wrk or own');
  if (wanted === 'own') return 'own';
  if (has('wrk')) return 'wrk';
  if (wanted === 'wrk') throw new Error('wrk is not installed (Debian: apt-get install wrk)');
  console.log('wrk is not installed (Debian: apt-get install wrk): using the built-in load generator\n');
  return 'own';
}

/**
 * Sends requests for `seconds` over `connections` sockets, each waiting for its answer before the next request.
 * Requests are picked at random from `requests`, which are templates (see templates.mjs); a session has `perSession` of
 * them. Those with `sign` are signed one by one, which only the built-in generator does. With `zipf` some entries are asked
 * for much more often than others. Returns `{ requests_per_s, p50_ms, p99_ms, requests, non2xx }`.
 */
export async function load({ generator, folder, ...given }) {
  const { connections = 64, seconds, url, headers = {}, requests, count = 1, zipf = false, perSession = 1 } = given;
  const numbers = { count, zipf, perFolder: PER_FOLDER, connections, perSession };
  const typed = requests.some(({ body }) => body !== undefined) ? { 'content-type': 'application/json' } : {};
  const plan = { url, requests, headers: { ...headers, ...typed }, connections, seconds, numbers, seed: seed++ };
  if (generator === 'wrk' && !requests.some(({ sign }) => sign)) return loadWithWrk(plan, folder);
  const child = fileURLToPath(new URL('./sockets.mjs', import.meta.url));
  const [command, args] = pinned('load', process.execPath, [child]);
  const { stdout } = await run(command, args, { input: JSON.stringify(plan), timeoutMs: (seconds + 30) * 1000 });
  return JSON.parse(stdout);
}
