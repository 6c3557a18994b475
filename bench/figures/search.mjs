import { compare, summarize } from '../compare.mjs';
import { commonQueries, PROJECT, PROJECT_ENTRIES, questions, rareQueries } from '../corpus.mjs';
import { ask } from '../harness.mjs';
import { pinned } from '../machine.mjs';
import { run } from '../processes.mjs';
import { searchCommon, searchRare } from '../requests.mjs';

const LIMIT = 10;
const INSIDE_MS = 30 * 60_000;

/** Through the kernel without HTTP, beside the bare full-text query on the same file, or the same over all paths. */
async function searchInside(harness, { dataDir }, { queries, entity_path }) {
  const rounds = Math.max(5, harness.options.repeats);
  const order = JSON.stringify({ dataDir, queries, rounds, limit: LIMIT, entity_path });
  const [command, args] = pinned('server', process.execPath, [harness.programs.search, order]);
  const { stdout } = await run(command, args, { timeoutMs: INSIDE_MS });
  const { pairs, found, matches, truncated } = JSON.parse(stdout);
  const note = `p50; in process; ${matches} entries hold one of the words, ${found.toFixed(1)} were answered, ${truncated} of ${queries.length} answers truncated`;
  return { unit: 'ms', ...summarize(pairs), note };
}

/** Over HTTP with one connection, beside a Fastify route that sends as many bytes. */
async function searchOverHttp(harness, store, requests) {
  const service = await harness.service(store);
  const sample = await ask(service, requests[0]);
  const floor = await harness.floorSending('search', sample);
  const latency = async (target, seconds) => {
    const plan = { requests, connections: 1, ...(seconds ? { seconds } : {}) };
    const { p50_ms: value, non2xx } = await harness.load(target, plan);
    return { value, non2xx };
  };
  for (const target of [floor, service]) await latency(target, 1);
  const result = await compare(
    harness.options.repeats,
    () => latency(floor),
    () => latency(service),
  );
  await harness.stopServers();
  return { unit: 'ms', ...result, note: `p50; HTTP, one connection; the floor sends ${sample.length} bytes` };
}

const SMALL = 6_000;

/** Questions as people ask them, over all paths and within one. */
async function* measureQuestions(harness) {
  for (const entries of new Set([SMALL, harness.options.medium])) {
    const store = await harness.sqlite(entries);
    const size = `${entries.toLocaleString('en-US')} entries`;
    const everywhere = await searchInside(harness, store, { queries: questions() });
    yield { figure: `search, 8 to 12 words, ${size}`, target: { most: 3 }, ...everywhere };
    const within = await searchInside(harness, store, { queries: questions(), entity_path: PROJECT });
    const path = `one path of ${PROJECT_ENTRIES} against all paths`;
    yield { figure: `search, 8 to 12 words, ${path}, ${size}`, target: { most: 1.2 }, ...within };
  }
}

export async function* measureSearch(harness) {
  const { medium, large } = harness.options;
  yield* measureQuestions(harness);
  for (const entries of new Set([medium, large])) {
    const store = await harness.sqlite(entries);
    const size = `${entries.toLocaleString('en-US')} entries`;
    const rare = await searchInside(harness, store, { queries: rareQueries(entries) });
    yield { figure: `search, two rare words, ${size}`, target: entries === medium ? { most: 2 } : undefined, ...rare };
    const rareHttp = await searchOverHttp(harness, store, searchRare(entries));
    const times = ((rareHttp.ours - rareHttp.floor) / rare.floor).toFixed(1);
    rareHttp.note += `; the difference is ${times} × the bare query`;
    yield { figure: `search, two rare words, ${size}, HTTP`, ...rareHttp };
    const common = await searchInside(harness, store, { queries: commonQueries() });
    yield { figure: `search, only common words, ${size}`, ...common };
    const commonHttp = await searchOverHttp(harness, store, searchCommon());
    yield { figure: `search, only common words, ${size}, HTTP`, ...commonHttp };
  }
}
