// How well evaluation finds what was planted, over worlds whose seeds were used for nothing else:
//   node --conditions=source --import tsx bench/simulator/accuracy.mjs [first seed] [worlds]
// Incidents, attribution and behaviors by the rules that the service applies; calibration through the service.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { candidatesOf } from '../../packages/pro/src/behaviors/rules/candidates.ts';
import { observe, withMissing } from '../../packages/pro/src/behaviors/rules/observe.ts';
import { standOut } from '../../packages/pro/src/behaviors/rules/stand-out.ts';
import { judgedTraceOf, newMatchers, wilson } from '../../packages/pro/src/evaluation/index.ts';
import { attributeFailures } from '../../packages/pro/src/evaluation/rules/attribution.ts';
import { excessAt, isSpread, sampleRowOf } from '../../packages/pro/src/incidents/rules/excess.ts';
import { modules } from '../../packages/pro/src/index.ts';
import { caller, open } from '../inside/open.mjs';
import { playWorld } from './play.mjs';
import { storedTraceOf } from './stored.mjs';
import { makeWorld } from './world.mjs';

const [first = 1001, count = 20] = process.argv.slice(2).map(Number);
const seeds = Array.from({ length: count }, (_, i) => first + i);
const RUNS = 400;
const ALL = ['memory', 'tool', 'release'];
const PLANTED = [[], ['memory'], ['tool'], ['release'], ALL];

const worldOf = (seed, faults, runs = RUNS) => {
  const world = makeWorld({ seed, faults, runs });
  return { ...world, runs: world.steps.filter(({ kind }) => kind === 'run') };
};
const finished = (steps) => {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
};
const percent = (value) => `${(100 * value).toFixed(1)} %`;
const show = (name, n, of) => {
  const { rate, low, high } = wilson(n, of);
  const share = rate === null ? 'none' : `${percent(rate)} (${percent(low)} to ${percent(high)})`;
  process.stdout.write(`${name.padEnd(58)} ${String(n).padStart(4)} of ${String(of).padStart(4)}   ${share}\n`);
};

/** What can open incidents: which runs fail by it, and the faults that it should open them for. */
const SOURCES = [
  { name: 'judge of the outcome', fails: ({ failed }) => failed, finds: ALL },
  { name: 'judge of failed tools', fails: ({ tools }) => tools.some(({ failed }) => failed), finds: ['tool'] },
  {
    name: 'behavior: leaves out a step',
    fails: ({ tools }) => !tools.some(({ name }) => name === 'verify'),
    finds: ['release'],
  },
  {
    name: 'behavior: a refund that fails',
    fails: ({ task, failed }) => task === 'refund' && failed,
    finds: ALL,
  },
];

/** The runs at which incidents are opened, of all agents and of each. */
function openedIn(samples) {
  const openedAt = (some, isOfAll) => {
    const row = sampleRowOf(some);
    return some.find((sample, at) => {
      const found = sample.failed ? excessAt(row, at) : undefined;
      return found && (!isOfAll || isSpread(row, found));
    })?.trace_seq;
  };
  const agents = [...new Set(samples.map(({ agent_id }) => agent_id))];
  const ofAgents = agents.map((agent) =>
    openedAt(
      samples.filter(({ agent_id }) => agent_id === agent),
      false,
    ),
  );
  return [openedAt(samples, true), ...ofAgents].filter((at) => at !== undefined);
}

for (const { name, fails, finds } of SOURCES) {
  const total = { right: 0, wrong: 0, planted: 0 };
  for (const faults of PLANTED) {
    const isPlanted = faults.some((fault) => finds.includes(fault));
    const found = { right: 0, wrong: 0 };
    for (const seed of seeds) {
      const { runs, truth } = worldOf(seed, faults);
      const begin = isPlanted
        ? Math.min(...finds.flatMap((fault) => (truth[fault] ? [truth[fault].from * RUNS] : [])))
        : Infinity;
      const opened = openedIn(runs.map((run) => ({ trace_seq: run.no, agent_id: run.agent, failed: fails(run) })));
      found.right += Number(opened.some((at) => at >= begin));
      found.wrong += Number(opened.some((at) => at < begin));
    }
    total.right += found.right;
    total.wrong += found.wrong;
    total.planted += isPlanted ? seeds.length : 0;
    const what = `${name}; ${faults.length === 0 ? 'nothing planted' : faults.join(', ')}`;
    if (isPlanted) show(`  found: ${what}`, found.right, seeds.length);
    show(`  opened without reason: ${what}`, found.wrong, seeds.length);
  }
  show(`recall of incidents, ${name}`, total.right, total.planted);
  show(`precision of incidents, ${name}`, total.right, total.right + total.wrong);
}

/** What runs have in common beside memory, in the order in which the service has it. */
const circumstancesOf = ({ tools, attributes, task, agent }) => [
  ...tools.map(({ name }) => `tool_name ${name}`),
  ...Object.entries({ ...attributes, task }).map(([name, value]) => `attributes.${name} ${value}`),
  `agent_id ${agent}`,
];

/** The place of the planted version among the suspects, and whether another one is blamed. */
function blamedIn({ runs, truth }, fails) {
  const nameOf = (fact, version) => `${fact.entity_path}/${fact.key}@${version}`;
  const compared = runs.map((run) => ({
    ...{ failed: fails(run), at: run.at, circumstances: circumstancesOf(run) },
    reads: run.reads.map((fact) => nameOf(fact, fact === truth.memory?.fact && run.at > truth.memory.since ? 2 : 1)),
  }));
  const suspects = finished(attributeFailures(compared, 10));
  const planted = truth.memory && nameOf(truth.memory.fact, 2);
  const blamed = suspects.filter(({ explained_by }) => explained_by === null).map(({ name }) => name);
  return { rank: blamed.indexOf(planted) + 1, isOther: blamed.some((name) => name !== planted), blamed };
}

const [byOutcome, byTools] = SOURCES.map(({ fails }) => fails);
for (const faults of [['memory'], ALL]) {
  const ranks = seeds.map((seed) => blamedIn(worldOf(seed, faults), byOutcome).rank);
  show(
    `attribution names the planted memory first; ${faults.join(', ')}`,
    ranks.filter((rank) => rank === 1).length,
    seeds.length,
  );
  show('  among the first three', ranks.filter((rank) => rank >= 1 && rank <= 3).length, seeds.length);
}
for (const faults of PLANTED) {
  const what = faults.length === 0 ? 'nothing planted' : faults.join(', ');
  const others = seeds.filter((seed) => blamedIn(worldOf(seed, faults), byOutcome).isOther);
  show(`attribution blames other memory too; ${what}`, others.length, seeds.length);
  // A tool fails whatever was read.
  const misled = seeds.filter((seed) => blamedIn(worldOf(seed, faults), byTools).blamed.length > 0);
  show(`attribution of failed tools blames memory; ${what}`, misled.length, seeds.length);
}

/** Whether a behavior that is found from one run is found in all that have the fault, and in no others (19 of 20 at least). */
function isFoundByExample(world, hasFault, isExample) {
  const traces = world.runs.map((run) => judgedTraceOf(storedTraceOf(run, world)));
  const having = world.runs.filter(hasFault);
  const examples = having.filter(isExample);
  const { no } = examples[Math.floor(examples.length / 2)];
  const own = finished(candidatesOf(traces[no]));
  const observed = traces.map((trace, i) =>
    finished(observe(own, { trace, matchers: newMatchers(), failed: world.runs[i].failed })),
  );
  const { candidates, runs } = withMissing(own, observed, no);
  const isEffect = candidates.map(({ kind }) => kind === 'outcome');
  const matched = new Set([no, ...standOut({ runs, example: no, isEffect }).neighbours]);
  const right = having.filter((run) => matched.has(run.no)).length;
  return right >= 0.95 * having.length && right >= 0.95 * matched.size;
}

const isNew = ({ attributes }) => attributes.release === '2.0';
const toolFailed = ({ tools }) => tools.some(({ failed }) => failed);
const misledIn =
  ({ truth }) =>
  ({ reads, at }) =>
    at > truth.memory?.since && reads.includes(truth.memory.fact);
const EXAMPLES = [
  { of: 'example', isChosen: () => true },
  { of: 'failing example', isChosen: ({ failed }) => failed },
];
for (const faults of [['release'], ['tool'], ['memory'], ALL])
  for (const fault of faults)
    for (const { of, isChosen } of EXAMPLES) {
      const found = seeds.filter((seed) => {
        const world = worldOf(seed, faults);
        const has = { release: isNew, tool: toolFailed, memory: misledIn(world) };
        // Where several faults are planted, the example has this one only.
        const isExample = (run) => isChosen(run) && faults.every((other) => has[other](run) === (other === fault));
        return isFoundByExample(world, has[fault], isExample);
      });
      show(`behavior from one ${of}: ${fault}; planted: ${faults.join(', ')}`, found.length, seeds.length);
    }

async function calibrationOf(seed, faults) {
  const dataDir = mkdtempSync(join(tmpdir(), 'mem-simulator-'));
  let now = Date.parse('2026-03-01T00:00:00Z');
  const app = await open({ engine: 'sqlite', dataDir, modules, clock: { now: () => now } });
  const call = (name, input, as) => app.kernel.invoke(name, input, { ...caller, ...as });
  try {
    const advanceTo = (at) => {
      now = at;
    };
    await playWorld(worldOf(seed, faults), { call, advanceTo });
    return await call('outcomes.calibration', {}, {});
  } finally {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const meanAndWorst = (errors) =>
  `mean ${(errors.reduce((sum, error) => sum + error, 0) / errors.length).toFixed(3)}, worst ${Math.max(...errors).toFixed(3)}`;

for (const faults of [[], ALL]) {
  const found = [];
  for (const seed of seeds) found.push(await calibrationOf(seed, faults));
  const planted = faults.length === 0 ? 'nothing planted' : faults.join(', ');
  const raw = meanAndWorst(found.map((one) => one.expected_calibration_error));
  const learned = meanAndWorst(found.map((one) => one.learned_calibration_error));
  process.stdout.write(`calibration error of confidence; ${planted}: ${raw}; as learned: ${learned}\n`);
}
