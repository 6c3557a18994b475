import { expect, test } from 'vitest';
// @ts-expect-error: the bench is plain JavaScript
import { playWorld } from '../../bench/simulator/play.mjs';
// @ts-expect-error: the bench is plain JavaScript
import { makeWorld } from '../../bench/simulator/world.mjs';
import { caughtUp } from '../briefing/caught-up.ts';
import { openTestApp, type TestApp } from '../support/app.ts';

type ReleasedRun = { trace_id: string; at: number; attributes: { release: string } };

const NO_VERIFY = [{ check: 'tool_forbidden' as const, tool: 'verify' }];

async function play(app: TestApp, seed: number, faults: string[]): Promise<ReleasedRun[]> {
  const advanceTo = (at: number) => app.clock.advance(at - app.clock.now());
  const { runs } = await playWorld(makeWorld({ seed, faults, runs: 240 }), { call: app.call, advanceTo });
  for (let i = 0; i < 3; i++) await caughtUp(app);
  return runs;
}

test.each([3, 4])('world %i: a release is found from one of its runs, and in all of them', async (seed) => {
  const app = await openTestApp('sqlite');
  try {
    const runs = await play(app, seed, ['memory', 'tool', 'release']);
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

test.each([
  { faults: ['release'], agents: [null] },
  { faults: [], agents: [] },
])('with the faults $faults, incidents of the agents $agents are opened by a behavior', async ({ faults, agents }) => {
  const app = await openTestApp('sqlite');
  try {
    await app.call('behaviors.create', { behavior_id: 'skips-verify', matcher: NO_VERIFY });
    await play(app, 5, faults);
    const { incidents } = await app.call('incidents.list', {});
    expect(incidents.map(({ agent_id }) => agent_id)).toEqual(agents);
    for (const { source_kind, source_id } of incidents)
      expect([source_kind, source_id]).toEqual(['behavior', 'skips-verify']);
  } finally {
    await app.close();
  }
});
