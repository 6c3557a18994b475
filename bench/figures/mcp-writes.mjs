import { join } from 'node:path';
import { interleave, summarize } from '../compare.mjs';
import { startStdio } from '../peers/stdio.mjs';
import { cpuSeconds } from '../processes.mjs';

const SIZES = [1_000, 10_000, 100_000];
const BATCH = 1000;
const CALLS_A_ROUND = 5;
const ROUNDS_A_REPEAT = 12;
const FIRST_CALLS = 50;
/** Until both sides run compiled code. */
const WARM_CALLS = 2000;
const QUICK_WARM_CALLS = 50;

/** The threads that compile and that write the words have a core beside the one that answers. */
const ROLE = 'several';

const draft = (key) => ({ entity_path: 'notes', key, value: `the note of ${key}` });
const inWords = (size) => size.toLocaleString('en-US');

/** One client of one server, and how that server writes. */
async function openSide({ file, env, tools }, { size, warmCalls }) {
  const client = await startStdio(file, env, ROLE);
  for (let from = 0; from < size; from += BATCH) {
    const keys = Array.from({ length: Math.min(BATCH, size - from) }, (_, i) => `k${from + i}`);
    await client.call(tools.fill, { writes: keys.map(draft) });
  }
  let written = 0;
  const write = async (calls) => {
    for (let i = 0; i < calls; i++) await client.call(tools.write, draft(`new${written++}`));
  };
  /** Milliseconds a call. */
  const time = async (calls) => {
    const started = performance.now();
    await write(calls);
    return { value: (performance.now() - started) / calls };
  };
  const first = await time(FIRST_CALLS);
  await write(warmCalls);
  return { pid: client.pid, stop: client.stop, first, time: () => time(CALLS_A_ROUND) };
}

/** One write at a time, each durable, beside a server that commits one row; and whether the size of the store matters. */
export async function* measureMcpWrites(harness, program) {
  const sizes = harness.options.quick ? SIZES.slice(0, 2) : SIZES;
  const warmCalls = harness.options.quick ? QUICK_WARM_CALLS : WARM_CALLS;
  const rounds = harness.options.repeats * ROUNDS_A_REPEAT;
  const open = [];
  try {
    for (const size of sizes) {
      const { dataDir } = harness.emptyPlace(`mcp-write-${size}`);
      const home = { HOME: harness.folder, USERPROFILE: harness.folder };
      const env = { ...home, MEM_DATA_DIR: join(dataDir, 'ours'), MEM_TOOLSET: 'core,data' };
      const floorEnv = { ...home, FLOOR_DATA_DIR: join(dataDir, 'floor') };
      const tools = { write: 'mem_write', fill: 'mem_commit_batch' };
      open.push({
        size,
        ours: await openSide({ file: program, env, tools }, { size, warmCalls }),
        floor: await openSide(
          { file: harness.programs.mcpInsert, env: floorEnv, tools: { write: 'write', fill: 'fill' } },
          { size, warmCalls },
        ),
      });
    }
    yield* compareSizes(open, rounds);
  } finally {
    for (const { ours, floor } of open) await Promise.all([ours?.stop(), floor?.stop()]);
  }
}

const perSecond = ({ value }) => ({ value: 1000 / value });
const pairsOf = (floors, ours) => ours.map((one, i) => ({ floor: floors[i], ours: one }));

async function* compareSizes(open, rounds) {
  const before = open.map(({ ours }) => cpuSeconds(ours.pid));
  const sides = open.flatMap(({ size, ours, floor }) => [
    [`ours ${size}`, ours.time],
    [`floor ${size}`, floor.time],
  ]);
  const measured = await interleave(rounds, Object.fromEntries(sides));
  for (const [i, { size, ours }] of open.entries()) {
    const work = (cpuSeconds(ours.pid) - before[i]) / (rounds * CALLS_A_ROUND);
    const rates = pairsOf(measured[`floor ${size}`].map(perSecond), measured[`ours ${size}`].map(perSecond));
    yield {
      figure: `MCP over stdio, one write at a time, ${inWords(size)} entries`,
      unit: '/s',
      target: { least: 0.5 },
      ...summarize(rates),
      note: `${rounds} rounds of ${CALLS_A_ROUND} writes; ${(work * 1e6).toFixed(0)} µs of processor time a call`,
    };
  }
  yield {
    figure: `MCP over stdio, the first ${FIRST_CALLS} writes of a server`,
    unit: 'ms',
    ...summarize(open.map(({ ours, floor }) => ({ floor: floor.first, ours: ours.first }))),
    note: 'one server of each size; not yet compiled',
  };
  const [small, large] = [open[0].size, open.at(-1).size];
  yield {
    figure: `MCP over stdio, one write at a time, ${inWords(large)} entries against ${inWords(small)}`,
    unit: 'ms',
    target: { most: 1.2 },
    ...summarize(pairsOf(measured[`ours ${small}`], measured[`ours ${large}`])),
    note: 'in the same rounds',
  };
}
