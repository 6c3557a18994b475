import { parseGlob } from '@mem-service/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
// @ts-expect-error: the bench is plain JavaScript
import { playWorld } from '../../../bench/simulator/play.mjs';
// @ts-expect-error: the bench is plain JavaScript
import { makeWorld } from '../../../bench/simulator/world.mjs';
import { refusal } from '../../../tests/entries/support.ts';
import { type Backend, backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const wrong = { entity_path: 'shop/payments', key: 'limit' };
const right = { entity_path: 'shop/orders', key: 'owner' };

type Failing = { failed: boolean; reads: readonly { entity_path: string; key: string }[] };

describe.each(backends)('the memory behind failures on %s', (backend) => {
  const open = async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    return app;
  };

  let n = 0;
  const run = async (app: TestApp, { failed, reads }: Failing, agent_id = 'agent/clerk'): Promise<string> => {
    const as = { agent_id, session_id: `run-${++n}` };
    for (const fact of reads) await app.call('entries.read', fact, as);
    const outcome = { outcome_ref: `run-${n}`, outcome_type: failed ? 'failure' : 'success' } as const;
    return (await app.call('outcomes.commit', outcome, as)).trace_id as string;
  };

  /** The second version of the wrong entry misleads. */
  async function misled(app: TestApp): Promise<{ failing: string[]; passing: string[] }> {
    await app.call('entries.write', { ...right, value: 'Ann' });
    await app.call('entries.write', { ...wrong, value: 10 });
    const passing: string[] = [];
    for (let at = 0; at < 8; at++) passing.push(await run(app, { failed: false, reads: [wrong, right] }));
    await app.call('entries.write', { ...wrong, value: 99 }, { agent_id: 'agent/mistaken' });
    const failing: string[] = [];
    for (let at = 0; at < 8; at++) failing.push(await run(app, { failed: true, reads: [wrong, right] }));
    return { failing, passing };
  }

  it('is named with version, author, and what the ledger has of it', async () => {
    const app = await open();
    const { failing, passing } = await misled(app);
    const found = await app.call('failures.attribute', {});
    expect(found).toMatchObject({ failed: 8, passed: 8, looked_at: 16, complete: true });
    expect(found.suspects).toHaveLength(1);
    const [suspect] = found.suspects;
    expect(suspect).toMatchObject({
      ...{ ...wrong, branch: 'main', version: 2, newest_version: 2, written_by: 'agent/mistaken' },
      ...{ with_it: { count: 8, of: 8 }, without_it: { count: 0, of: 8 }, always_with: [], explained_by: null },
      ...{ ledger: { successes: 0, failures: 8 }, trace_ids: failing.toReversed().slice(0, 5) },
    });
    expect(suspect?.lift.low).toBeGreaterThan(1);
    expect(suspect?.ledger.confidence_change).toBeLessThan(0);
    const named = await app.call('failures.attribute', { trace_ids: failing.slice(0, 4) });
    expect(named).toMatchObject({ failed: 4, passed: 8, suspects: [{ ...wrong, version: 2 }] });
    const critical = await app.call('failures.attribute', { outcome_types: ['critical_failure'] });
    expect(critical).toMatchObject({ failed: 0, passed: 8, suspects: [] });
    for (const input of [
      { trace_ids: [passing[0] as string], judge_id: 'x' },
      { judge_id: 'none' },
      { trace_ids: ['none'] },
    ])
      expect(['invalid_input', 'not_found']).toContain((await refusal(app.call('failures.attribute', input))).code);
  });

  it('is named also where it was deleted since', async () => {
    const app = await open();
    await misled(app);
    await app.call('judges.create', {
      judge_id: 'no-limit',
      definition: { kind: 'code', checks: [{ check: 'memory_not_read', ...wrong }] },
    });
    const { traces } = await app.call('traces.list', { limit: 1 });
    const judged = { judge_id: 'no-limit', trace_id: traces[0]?.trace_id as string };
    await app.call('verdicts.judge', judged);
    await app.call('entries.delete', wrong);
    const { suspects } = await app.call('failures.attribute', {});
    expect(suspects).toMatchObject([{ ...wrong, version: 2, deleted: true, written_by: 'agent/mistaken' }]);
    const { verdicts } = await app.call('verdicts.list', {});
    expect(verdicts[0]?.memory).toMatchObject([{ ...wrong, version: 2 }]);
    await app.call('entries.restore', wrong);
    const back = await app.call('failures.attribute', {});
    expect(back.suspects).toMatchObject([{ ...wrong, version: 2, deleted: false }]);
  });

  it('is found by what a judge found', async () => {
    const app = await open();
    const { failing, passing } = await misled(app);
    await app.call('judges.create', {
      ...{ judge_id: 'succeeds', status: 'draft' },
      definition: { kind: 'code', checks: [{ check: 'outcome', in: ['success'] }] },
    });
    for (const trace_id of [...failing.slice(0, 5), ...passing])
      await app.call('verdicts.judge', { trace_id, judge_id: 'succeeds' });
    const found = await app.call('failures.attribute', { judge_id: 'succeeds' });
    expect(found).toMatchObject({ failed: 5, passed: 8, suspects: [{ ...wrong, version: 2 }] });
  });

  it('is not shown to those who may not read it', async () => {
    const app = await open();
    const own = { entity_path: 'own/notes', key: 'limit' };
    await app.call('entries.write', { ...own, value: 1, shared: false }, { agent_id: 'agent/me' });
    await app.call('entries.write', { ...right, value: 'Ann' });
    for (let at = 0; at < 8; at++) {
      await run(app, { failed: true, reads: [own] }, 'agent/me');
      await run(app, { failed: false, reads: [right] }, 'agent/me');
    }
    const shownTo = async (agent_id: string) =>
      (await app.call('failures.attribute', {}, { agent_id })).suspects.map(({ entity_path }) => entity_path);
    expect(await shownTo('agent/me')).toEqual(['own/notes']);
    expect(await shownTo('agent/other')).toEqual([]);
    await app.call('entries.erase', own, { agent_id: 'agent/me' });
    expect(await shownTo('agent/me')).toEqual([]);
  });

  it('is not shown to a key whose scope it is not in', async () => {
    const app = await open();
    await misled(app);
    const keyFor = (path: string) => {
      const scope = [[parseGlob(path) as never]];
      return { key_id: 'k1', name: 'scoped', type: 'agent' as const, read: scope, write: scope };
    };
    const shownTo = async (path: string) => {
      const key = keyFor(path);
      const { suspects } = await app.call('failures.attribute', {}, { key });
      const { dimensions } = await app.call('dimensions.list', {}, { key });
      const paths = dimensions.find(({ name }) => name === 'path')?.values.map(({ value }) => value);
      return { suspects: suspects.map(({ entity_path }) => entity_path), paths };
    };
    expect(await shownTo('shop/payments')).toEqual({ suspects: ['shop/payments'], paths: ['shop/payments'] });
    expect(await shownTo('shop/orders')).toEqual({ suspects: [], paths: ['shop/orders'] });
    expect(await shownTo('elsewhere/**')).toEqual({ suspects: [], paths: undefined });
  });
});

const WORLDS: readonly [number, Backend][] = [
  [1, 'sqlite'],
  [2, 'postgres'],
];

it.each(WORLDS)('the planted memory of world %i is named first on %s', async (seed, backend) => {
  const app = await openTestApp(backend);
  onTestFinished(() => app.close());
  const world = makeWorld({ seed });
  const advanceTo = (at: number) => app.clock.advance(at - app.clock.now());
  const { wrongVersion } = await playWorld(world, { call: app.call, advanceTo });
  const { suspects } = await app.call('failures.attribute', {});
  expect(suspects[0]).toMatchObject({ ...world.truth.memory.fact, version: wrongVersion });
});
