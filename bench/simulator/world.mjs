// Agents at work whose faults are known: what evaluation finds can be held against the truth.
//
// Three faults may be planted, each from a moment on:
// - memory: an agent overwrites a fact with a wrong one; runs that read it fail mostly;
// - tool: a tool fails half the time, and its run with it;
// - release: a new release of the agents leaves out a step, and fails more often.
// Everything else fails now and then, for no reason that can be found.
import { chancesOf } from './chance.mjs';

const START = Date.parse('2026-03-02T08:00:00.000Z');
const MINUTE = 60_000;

const TASKS = [
  { name: 'refund', paths: ['shop/payments', 'shop/orders'], act: 'issue_refund' },
  { name: 'delivery', paths: ['shop/orders', 'shop/shipping'], act: 'book_delivery' },
  { name: 'invoice', paths: ['shop/payments', 'shop/tax'], act: 'send_invoice' },
  { name: 'return', paths: ['shop/shipping', 'shop/returns'], act: 'accept_return' },
];
const FACTS = ['limit', 'deadline', 'provider', 'contact', 'currency', 'fallback', 'owner', 'policy'];
const AGENTS = ['agent/clerk-1', 'agent/clerk-2', 'agent/clerk-3', 'agent/clerk-4'];
const STEPS = ['plan', 'lookup', 'verify'];

export const FAULTS = ['memory', 'tool', 'release'];

const RATES = {
  /** Of a run that nothing is wrong with. */
  failure: 0.04,
  failureByMemory: 0.9,
  toolError: 0.5,
  failureByTool: 0.85,
  failureByRelease: 0.35,
  newRelease: 0.5,
};

/**
 * `steps` are writes and runs in the order of their time; `truth` names the faults, and `runs` of the steps carry what
 * befell them.
 */
export function makeWorld({ seed, runs = 240, faults = FAULTS }) {
  const chances = chancesOf(seed);
  const facts = [...new Set(TASKS.flatMap(({ paths }) => paths))].flatMap((entity_path) =>
    FACTS.map((key) => ({ entity_path, key })),
  );
  const truth = plantFaults(chances, { faults, facts });
  const steps = facts.map((fact) => ({
    kind: 'write',
    at: START,
    agent: chances.of(AGENTS),
    fact,
    value: rightValue(fact),
  }));
  for (let at = 0; at < runs; at++) {
    const time = START + (at + 1) * 5 * MINUTE;
    const share = at / runs;
    if (truth.memory && truth.memory.at_run === undefined && share >= truth.memory.from) {
      Object.assign(truth.memory, { at_run: at, since: time - MINUTE });
      const { fact, agent } = truth.memory;
      steps.push({ kind: 'write', at: time - MINUTE, agent, fact, value: 'as the old handbook had it' });
    }
    steps.push({ kind: 'run', at: time, ...makeRun(chances, { no: at, share, facts, truth }) });
  }
  return { seed, truth, steps };
}

const rightValue = ({ entity_path, key }) => `the ${key} of ${entity_path}, as agreed`;

function plantFaults(chances, { faults, facts }) {
  const truth = {};
  // Each is drawn whether it is planted or not: the rest of the world stays the same.
  const memory = { fact: chances.of(facts), agent: chances.of(AGENTS), from: 0.4 + chances.next() * 0.1 };
  const tool = { tool: chances.of(TASKS).act, from: 0.45 + chances.next() * 0.1 };
  const release = { release: '2.0', skips: 'verify', from: 0.5 + chances.next() * 0.1 };
  for (const [name, fault] of Object.entries({ memory, tool, release })) if (faults.includes(name)) truth[name] = fault;
  return truth;
}

function makeRun(chances, { no, share, facts, truth }) {
  const task = chances.of(TASKS);
  const reads = chances.some(
    facts.filter(({ entity_path }) => task.paths.includes(entity_path)),
    5,
  );
  const isNew = chances.isTrue(RATES.newRelease) && truth.release !== undefined && share >= truth.release.from;
  const breaks = chances.isTrue(RATES.toolError);
  const failsTool = breaks && truth.tool?.tool === task.act && share >= truth.tool.from;
  const misled = truth.memory?.at_run !== undefined && reads.includes(truth.memory.fact);
  const befallen = [
    [RATES.failure, true, undefined],
    [RATES.failureByRelease, isNew, 'release'],
    [RATES.failureByTool, failsTool, 'tool'],
    [RATES.failureByMemory, misled, 'memory'],
  ].filter(([rate, holds]) => chances.isTrue(rate) && holds);
  const tools = [...STEPS.filter((step) => !isNew || step !== truth.release.skips), task.act];
  return {
    no,
    agent: chances.of(AGENTS),
    task: task.name,
    reads,
    tools: tools.map((name) => ({ name, ms: chances.around(120), failed: failsTool && name === task.act })),
    attributes: {
      release: isNew ? '2.0' : '1.9',
      region: chances.of(['eu', 'us', 'asia']),
      tier: chances.of(['free', 'paid']),
    },
    cost_usd: Number(chances.around(0.004).toFixed(6)),
    tokens: Math.round(chances.around(1500)),
    failed: befallen.length > 0,
    causes: befallen.map(([, , cause]) => cause).filter(Boolean),
  };
}
