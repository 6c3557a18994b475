import { expect, test } from 'vitest';
// @ts-expect-error: the bench is plain JavaScript
import { playWorld } from '../../bench/simulator/play.mjs';
// @ts-expect-error: the bench is plain JavaScript
import { makeWorld } from '../../bench/simulator/world.mjs';
import { excessAt, isSpread, sampleRowOf, type TraceSample } from '../../packages/pro/src/incidents/rules/excess.ts';
import { caughtUp } from '../briefing/caught-up.ts';
import { openTestApp } from '../support/app.ts';

type PlayedTool = { name: string; failed: boolean };
type PlayedRun = { kind: string; no: number; agent: string; failed: boolean; causes: string[]; tools: PlayedTool[] };
type Fails = (run: PlayedRun) => boolean;

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);
const RUNS = 400;

const byOutcome: Fails = ({ failed }) => failed;
const byTools: Fails = ({ tools }) => tools.some(({ failed }) => failed);
const byStep: Fails = ({ tools }) => !tools.some(({ name }) => name === 'verify');

/** The first run at which an incident is opened, of all agents or one. */
function openedAt(samples: readonly TraceSample[], isOfAll: boolean): number | undefined {
  const row = sampleRowOf(samples);
  return samples.find((sample, at) => {
    const found = sample.failed ? excessAt(row, at) : undefined;
    return found && (!isOfAll || isSpread(row, found));
  })?.trace_seq;
}

/** Whether incidents are opened in a world after its fault begins, and before. */
function incidentsIn(seed: number, faults: string[], fails: Fails): { found: boolean; isFalse: boolean } {
  const { steps } = makeWorld({ seed, faults, runs: RUNS }) as { steps: PlayedRun[] };
  const runs = steps.filter(({ kind }) => kind === 'run');
  const start = runs.find(
    ({ causes, ...run }) => causes.length > 0 || (fails !== byOutcome && fails({ causes, ...run })),
  );
  const samples = runs.map((run) => ({ trace_seq: run.no, agent_id: run.agent, failed: fails(run) }));
  const agents = [...new Set(samples.map(({ agent_id }) => agent_id))];
  const opened = [
    openedAt(samples, true),
    ...agents.map((agent) =>
      openedAt(
        samples.filter(({ agent_id }) => agent_id === agent),
        false,
      ),
    ),
  ].filter((at) => at !== undefined);
  const begin = start?.no ?? Number.POSITIVE_INFINITY;
  return { found: opened.some((at) => at >= begin), isFalse: opened.some((at) => at < begin) };
}

const over = (faults: string[], fails: Fails) => {
  const worlds = SEEDS.map((seed) => incidentsIn(seed, faults, fails));
  return {
    found: worlds.filter(({ found }) => found).length,
    isFalse: worlds.filter(({ isFalse }) => isFalse).length,
  };
};

test('incidents are opened for planted faults, and hardly ever without', () => {
  const without = over([], byOutcome);
  expect(without.isFalse).toBeLessThanOrEqual(1);
  // Of the outcome alone, where a fault makes one run in six fail instead of one in twenty-five.
  const least = { memory: 12, tool: 14, release: 20 };
  for (const [fault, found] of Object.entries(least)) {
    const figures = over([fault], byOutcome);
    expect(figures.found, fault).toBeGreaterThanOrEqual(found);
    expect(figures.isFalse, fault).toBeLessThanOrEqual(1);
  }
  expect(over(['memory', 'tool', 'release'], byOutcome)).toEqual({ found: 20, isFalse: 0 });
  expect(over(['tool'], byTools)).toEqual({ found: 20, isFalse: 0 });
  expect(over(['release'], byStep)).toEqual({ found: 20, isFalse: 0 });
});

test.each([
  { backend: 'postgres', faults: ['tool'], agents: [null] },
  { backend: 'sqlite', faults: [], agents: [] },
] as const)(
  'in a world with the faults $faults, played through the service on $backend',
  { timeout: 240_000 },
  async (world) => {
    const { backend, faults, agents } = world;
    const app = await openTestApp(backend);
    try {
      const checks = [{ check: 'most', of: 'failed_tool_calls', limit: 0 }];
      await app.call('judges.create', { judge_id: 'no-failed-tools', definition: { kind: 'code', checks } } as never);
      const outcomes = [{ check: 'outcome', in: ['success'] }];
      await app.call('judges.create', {
        judge_id: 'succeeds',
        definition: { kind: 'code', checks: outcomes },
      } as never);
      const advanceTo = (at: number) => app.clock.advance(at - app.clock.now());
      await playWorld(makeWorld({ seed: 2, faults, runs: 240 }), { call: app.call, advanceTo });
      for (let i = 0; i < 3; i++) await caughtUp(app);
      const { verdicts } = await app.call('verdicts.list', { judge_id: 'succeeds', limit: 1000 });
      expect(verdicts).toHaveLength(240);
      const { incidents } = await app.call('incidents.list', { judge_id: 'no-failed-tools', each: true });
      expect(incidents.map(({ agent_id }) => agent_id)).toEqual(agents);
      if (faults.length === 0) expect((await app.call('incidents.list', {})).incidents).toEqual([]);
    } finally {
      await app.close();
    }
  },
);
