import { expect, test } from 'vitest';
// @ts-expect-error: the bench is plain JavaScript
import { playWorld } from '../../bench/simulator/play.mjs';
// @ts-expect-error: the bench is plain JavaScript
import { makeWorld } from '../../bench/simulator/world.mjs';
import { caughtUp } from '../briefing/caught-up.ts';
import { openTestApp, type TestApp } from '../support/app.ts';

type ReleasedRun = {
  trace_id: string;
  at: number;
  failed: boolean;
  causes: string[];
  attributes: { release: string };
  tools: { failed: boolean }[];
  reads: PlantedFact[];
};

const NO_VERIFY = [{ check: 'tool_forbidden' as const, tool: 'verify' }];

const ALL = ['memory', 'tool', 'release'];
const worldOf = (seed: number, faults: string[]) => makeWorld({ seed, faults, runs: 240 });

async function play(app: TestApp, seed: number, faults: string[]): Promise<ReleasedRun[]> {
  const advanceTo = (at: number) => app.clock.advance(at - app.clock.now());
  const { runs } = await playWorld(worldOf(seed, faults), { call: app.call, advanceTo });
  for (let i = 0; i < 3; i++) await caughtUp(app);
  return runs;
}

test.each([3, 4])('world %i: a release is found from one of its runs, and in all of them', async (seed) => {
  const app = await openTestApp('sqlite');
  try {
    const runs = await play(app, seed, ALL);
    const released = runs.filter(({ attributes }) => attributes.release === '2.0');
    const { trace_id } = released.at(-1) as ReleasedRun;
    const { behavior, reason } = await app.call('behaviors.create_from_trace', { behavior_id: 'found', trace_id });
    expect(reason).toMatch(/^(new|fails)$/);
    for (let i = 0; i < 3; i++) await caughtUp(app);
    const { traces } = await app.call('behaviors.list_traces', { behavior_id: 'found', limit: 1000 });
    const found = new Set(traces.map((trace) => trace.trace_id));
    const right = released.filter((run) => found.has(run.trace_id)).length;
    expect(right, JSON.stringify(behavior.matcher)).toBe(released.length);
    expect(found.size).toBe(released.length);
    const radius = await app.call('behaviors.blast_radius', { behavior_id: 'found' });
    expect(radius).toMatchObject({ matched: released.length, agent_count: 4, growth: { trend: 'growing' } });
    expect(Date.parse(radius.first_at as string)).toBeGreaterThanOrEqual((released[0] as ReleasedRun).at);
  } finally {
    await app.close();
  }
});

type PlantedFact = { entity_path: string; key: string };
type Misled = { memory: { fact: PlantedFact; since: number } };

const HAS_FAULT: Record<string, (run: ReleasedRun, truth: Misled) => boolean> = {
  release: ({ attributes }) => attributes.release === '2.0',
  tool: ({ tools }) => tools.some(({ failed }) => failed),
  memory: ({ reads, at }, { memory: { fact, since } }) =>
    at > since && reads.some(({ entity_path, key }) => entity_path === fact.entity_path && key === fact.key),
};

test('each fault is found from a run that it made fail', async () => {
  const app = await openTestApp('sqlite');
  try {
    const { truth } = worldOf(7, ALL);
    const runs = await play(app, 7, ALL);
    for (const [fault, has] of Object.entries(HAS_FAULT)) {
      const having = runs.filter((run) => has(run, truth));
      const { trace_id } = having.findLast(({ failed, causes }) => failed && `${causes}` === fault) as ReleasedRun;
      const { behavior } = await app.call('behaviors.create_from_trace', { behavior_id: fault, trace_id });
      for (let i = 0; i < 3; i++) await caughtUp(app);
      const { traces } = await app.call('behaviors.list_traces', { behavior_id: fault, limit: 1000 });
      const found = new Set(traces.map((trace) => trace.trace_id));
      const right = having.filter((run) => found.has(run.trace_id)).length;
      const words = `${right} of ${having.length}, ${found.size} found: ${JSON.stringify(behavior.matcher)}`;
      expect(right, words).toBeGreaterThanOrEqual(0.95 * having.length);
      expect(right, words).toBeGreaterThanOrEqual(0.95 * found.size);
    }
  } finally {
    await app.close();
  }
});

test.each([
  { faults: ['release'], agents: [null] },
  { faults: [], agents: [] },
])('with the faults $faults, incidents of the agents $agents are opened by a behavior', async ({ faults, agents }) => {
  const app = await openTestApp('sqlite');
  try {
    await app.call('behaviors.create', { behavior_id: 'skips-verify', matcher: NO_VERIFY });
    await play(app, 5, faults);
    const { incidents } = await app.call('incidents.list', { each: true });
    const found = incidents.map(({ agent_id }) => agent_id);
    // An agent that is noticed before all of them are, which depends on how many looks are reported at once, has one of its own.
    expect(found.includes(null) ? [null] : found).toEqual(agents);
    for (const { source_kind, source_id } of incidents)
      expect([source_kind, source_id]).toEqual(['behavior', 'skips-verify']);
  } finally {
    await app.close();
  }
});
