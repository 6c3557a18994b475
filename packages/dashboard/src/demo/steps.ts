import type { CallOptions, OperationName, Request } from '../data/client.ts';
import { agents, changes, DEMO_PATH, type DemoAgent, type DemoEntry, entries } from './entries.ts';
import { type DemoTask, tasks } from './tasks.ts';

/** One call of the demo: who makes it, in which session. */
export type DemoStep = {
  [N in OperationName]: { name: N; input: Request<N>; call: Pick<CallOptions, 'agentId' | 'sessionId'> };
}[OperationName];

const MODEL = { model: 'claude-sonnet-4', provider: 'anthropic' };
/** So many times as fast as agents would the demo works: what it records fits into the sessions that the service times. */
const SPEED = 5_000;
const sped = (ms: number): number => Math.ceil(ms / SPEED);

const below = (path: string) => `${DEMO_PATH}/${path}`;

function write({ path, key, by, value, confidence, type }: DemoEntry): DemoStep {
  const input = { entity_path: below(path), key, value, confidence, memory_type: type };
  return { name: 'entries.write', input, call: { agentId: by } };
}

/** Refused where somebody else has an entry of this name. */
function writeFirst(entry: DemoEntry): DemoStep {
  const { input, call } = write(entry) as DemoStep & { name: 'entries.write' };
  return { name: 'entries.write', input: { ...input, if_version: 0 }, call };
}

function splitEntry(entry: string): { entity_path: string; key: string } {
  const at = entry.lastIndexOf('/');
  return { entity_path: below(entry.slice(0, at)), key: entry.slice(at + 1) };
}

/** The calls of a task, from its first read to its outcome. */
function stepsOf(task: DemoTask, run: string): DemoStep[] {
  const { by, ref, reads, search, tools, gaveUp, error, meanwhile, outcome } = task;
  const call = { agentId: by, sessionId: `demo-${ref}-${run}` };
  const steps: DemoStep[] = [];
  if (search)
    steps.push({ name: 'entries.search', input: { query: search, entity_path: `${DEMO_PATH}/**`, limit: 5 }, call });
  for (const entry of reads) steps.push({ name: 'entries.read', input: splitEntry(entry), call });
  for (const [i, { name, says, ms, failed }] of tools.entries()) {
    const tokens = { input_tokens: 2400 + 1700 * i, output_tokens: 310 + 90 * i };
    const latency_ms = sped(9_000 + 1_500 * i);
    steps.push({ name: 'sessions.record_llm_call', input: { ...MODEL, ...tokens, latency_ms }, call });
    const action = {
      tool_name: name,
      arguments: { task: ref },
      result_summary: says,
      duration_ms: sped(ms),
      success: !failed,
    };
    steps.push({ name: 'sessions.record_action', input: action, call });
    if (failed && error)
      steps.push({ name: 'sessions.record_error', input: { operation: name, error_type: error, message: says }, call });
    if (failed && gaveUp) steps.push({ name: 'sessions.record_attempt', input: { summary: gaveUp }, call });
  }
  if (meanwhile) steps.push(write(meanwhile));
  const report = { outcome_ref: ref, outcome_type: outcome, task_input: task.task, response_text: task.answer };
  steps.push({ name: 'outcomes.commit', input: report, call });
  return steps;
}

/** Everything that the demo writes, in order. `run` makes its sessions new each time. */
export function demoSteps(run: string): DemoStep[] {
  const profiles = Object.entries(agents).map(
    ([agent_id, description]): DemoStep => ({
      name: 'agents.set_profile',
      input: { agent_id, description, tags: [DEMO_PATH] },
      call: { agentId: agent_id },
    }),
  );
  const half = tasks.findIndex(({ ref }) => ref === 'deploy-2224');
  const done = (list: readonly DemoTask[]) => list.flatMap((task) => stepsOf(task, run));
  return [
    ...profiles,
    ...entries.map(writeFirst),
    ...done(tasks.slice(0, half)),
    write(changes.policy),
    ...done(tasks.slice(half)),
  ];
}

/** The names of all its entries. */
export const demoEntries = entries.map(({ path, key }) => ({ entity_path: below(path), key }));

export const demoAgents = Object.keys(agents) as DemoAgent[];
