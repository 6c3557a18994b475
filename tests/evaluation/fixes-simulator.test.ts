import { expect, test } from 'vitest';
// @ts-expect-error: the bench is plain JavaScript
import { playWorld } from '../../bench/simulator/play.mjs';
// @ts-expect-error: the bench is plain JavaScript
import { makeWorld } from '../../bench/simulator/world.mjs';
import { caughtUp } from '../briefing/caught-up.ts';
import { refusal } from '../entries/support.ts';
import { type Backend, openTestApp, type TestApp } from '../support/app.ts';

type MisledRun = { trace_id: string; causes: string[]; reads: { entity_path: string; key: string }[] };
type Fact = { entity_path: string; key: string };
type WorldStep = { kind: string; at: number };

const RUNS = 240;
const JUDGE = 'succeeds';

/** Worlds whose planted memory is found; each is played, repaired and played on. */
const WORLDS: readonly [Backend, number][] = [
  ['sqlite', 1],
  ['sqlite', 2],
  ['postgres', 3],
];

async function play(app: TestApp): Promise<void> {
  for (let i = 0; i < 3; i++) await caughtUp(app);
}

/** An agent that does the tasks of cases with the memory of a branch: it fails where it reads what is wrong. */
async function replay(app: TestApp, { branch, cases, fact }: { branch: string; cases: string[]; fact: Fact }) {
  for (const case_id of cases) {
    const as = { agent_id: 'agent/runner', session_id: `${branch}-${case_id}` };
    const { value } = (await app.call('entries.read', { ...fact, branch }, as)) as { value: unknown };
    const outcome_type = value === 'as the old handbook had it' ? 'failure' : 'success';
    const report = { outcome_ref: as.session_id, outcome_type, branch, attributes: { case_id } } as const;
    await app.call('outcomes.commit', report, as);
  }
  return app.call('case_runs.create', { branch });
}

/** Hundreds of runs with all that follows them, on a machine that others use too. */
const WORLD_MS = 400_000;

test.each(WORLDS)(
  'a planted memory is repaired on %s in world %i, and does not come back',
  async (backend, seed) => {
    const app = await openTestApp(backend);
    try {
      const checks = [{ check: 'outcome' as const, in: ['success' as const] }];
      await app.call('judges.create', { judge_id: JUDGE, definition: { kind: 'code', checks } });
      const world = makeWorld({ seed, faults: ['memory'], runs: RUNS });
      const advanceTo = (at: number) => app.clock.advance(at - app.clock.now());
      const { runs, wrongVersion } = (await playWorld(world, { call: app.call, advanceTo })) as {
        runs: MisledRun[];
        wrongVersion: number;
      };
      await play(app);
      const { fact, agent } = world.truth.memory as { fact: Fact; agent: string };
      const misled = runs.filter(({ causes }) => causes.includes('memory'));
      const { trace_id } = misled.at(-1) as MisledRun;

      const { incidents } = await app.call('incidents.list', { judge_id: JUDGE, each: true });
      const [incident] = incidents;
      const source = incident ? { incident_id: incident.incident_id } : { trace_id, judge_id: JUDGE };
      const fix = await app.call('fixes.propose', { ...source, policy: 'after_replay' });
      expect(fix.entries[0]).toMatchObject({
        ...{ ...fact, blamed_version: wrongVersion, blamed_author: agent, action: 'restore', restored_version: 1 },
      });
      const { fix_id, branch } = fix;
      const right = { value: `the ${fact.key} of ${fact.entity_path}, as agreed` };
      expect(await app.call('entries.read', { ...fact, branch })).toMatchObject(right);

      const cases = ['first', 'second', 'third'];
      for (const [i, case_id] of cases.entries())
        await app.call('cases.create', { case_id, trace_id: misled.at(-1 - i)?.trace_id as string, judge_id: JUDGE });
      expect(await refusal(app.call('fixes.approve', { fix_id }))).toMatchObject({ code: 'replay_required' });
      const red = await replay(app, { branch: 'main', cases, fact });
      expect(red).toMatchObject({ status: 'failed', failed: 3 });
      const green = await replay(app, { branch, cases, fact });
      expect(green).toMatchObject({ status: 'passed', passed: 3, fixed: 3 });
      expect(await app.call('fixes.approve', { fix_id })).toMatchObject({ case_run_id: green.case_run_id });
      expect(await app.call('entries.read', fact)).toMatchObject(right);

      const later = makeWorld({ seed: seed + 100, faults: [], runs: RUNS }) as { steps: WorldStep[]; truth: object };
      const steps = later.steps.filter(({ kind }) => kind === 'run');
      const onwards = { call: app.call, advanceTo: () => app.clock.advance(60_000), name: 'later' };
      await playWorld({ ...later, steps }, onwards);
      await play(app);
      const held = await app.call('fixes.read_prevention', { fix_id });
      expect(held, held.reason).toMatchObject({ came_back: false, of: 'readers' });
      expect(held.after?.of).toBeGreaterThanOrEqual(10);
    } finally {
      await app.close();
    }
  },
  WORLD_MS,
);
