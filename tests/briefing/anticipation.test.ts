import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error: the bench is plain JavaScript
import { predicted, reliabilityOf } from '../../bench/briefing/reliability.mjs';
// @ts-expect-error: the bench is plain JavaScript
import { madeSequences, recordedSessions } from '../../bench/briefing/sequences.mjs';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { Anticipation } from '../../packages/server/src/modules/briefing/rules/anticipation.ts';
import { openCompiling } from '../cortex/compiled.ts';
import { backends, type TestApp } from '../support/app.ts';
import { caughtUp } from './caught-up.ts';

type Sequence = { sessions: string[][] };

describe('the chance that a scope is read next', () => {
  const next = (sessions: string[][], scope: string) => new Anticipation(sessions, 20).chanceOf([scope]);
  const times = (n: number, ...sessions: string[][]) => Array.from({ length: n }, () => sessions).flat();

  it('follows habits: what is always read, what takes turns, and what was given up', () => {
    expect(next(times(20, ['a']), 'a')).toBeGreaterThan(0.9);
    const turns = times(10, ['a'], ['b']);
    expect(next(turns, 'a')).toBeGreaterThan(0.8);
    expect(next(turns, 'b')).toBeLessThan(0.2);
    const circle = times(10, ['a'], ['b'], ['c']);
    expect(next(circle, 'a')).toBeGreaterThan(0.6);
    expect(next(circle, 'c')).toBeLessThan(0.3);
    expect(next([...times(10, ['old']), ...times(20, ['new'])], 'old')).toBeLessThan(0.15);
  });

  it('is that of everything below a path, and small for what was never read', () => {
    expect(next(times(10, ['a/b'], ['a/c']), 'a')).toBeGreaterThan(0.9);
    expect(next(times(10, ['a/b']), 'ab')).toBeLessThan(0.2);
    expect(new Anticipation([], 20).chanceOf(['a'])).toBe(0.05);
    // Each session that reads something else is evidence against it, and so is each path that could be read instead.
    const never = [2, 3, 5, 15].map((n) => next(times(n, ['a']), 'b'));
    expect(never).toEqual(never.toSorted((a, b) => b - a));
    expect(never[0]).toBeLessThan(0.02);
  });

  it('comes true as often as it says, on sequences that no constant was chosen on', () => {
    const made = (madeSequences([101]) as Sequence[]).flatMap(({ sessions }) => [...predicted(sessions)]);
    const recorded = [...predicted((recordedSessions() as string[][]).slice(-140))];
    for (const cases of [made, recorded]) {
      const { error, skill } = reliabilityOf(cases);
      expect(error).toBeLessThan(0.04);
      expect(skill).toBeGreaterThan(-0.02);
    }
    expect(reliabilityOf(made).skill).toBeGreaterThan(0.15);
    expect(reliabilityOf(made.filter(({ isKnown }) => !isKnown)).error).toBeLessThan(0.04);
  });
});

describe.each(backends)('anticipation in a briefing, on %s', (backend) => {
  let app: TestApp;
  const A = { agent_id: 'agent/a' };
  beforeAll(async () => {
    app = await openCompiling(backend);
    for (const entity_path of ['one', 'two', 'hidden'])
      await app.call('entries.write', { entity_path, key: 'k', value: 1, shared: entity_path !== 'hidden' }, A);
  });
  afterAll(() => app.close());

  const visit = async (n: number, path: string) => {
    const session = { ...A, session_id: `s-${n}` };
    await app.call('entries.read', { entity_path: path, key: 'k' }, session);
    await app.call('outcomes.commit', { outcome_ref: `r-${n}`, outcome_type: 'success' }, session);
  };
  const visits = () =>
    app.kernel.services.database
      .forAccount(SELF_HOSTED_ACCOUNT)
      .read.all<{ seq: number; entity_path: string; visible_to: string }>({
        text: 'SELECT seq, entity_path, visible_to FROM briefing_visits WHERE account_id = ? ORDER BY seq, entity_path',
        values: [SELF_HOSTED_ACCOUNT],
      });

  it('rests on what the finished sessions of the agent read, of which it keeps a bounded number', async () => {
    await Promise.all(Array.from({ length: 66 }, (_, n) => visit(n, n % 2 === 0 ? 'one' : 'two')));
    await visit(66, 'hidden');
    await caughtUp(app);
    const rows = await visits();
    expect(new Set(rows.map(({ seq }) => seq)).size).toBe(64);
    expect(rows.at(-1)).toMatchObject({ entity_path: 'hidden', visible_to: 'agent/a' });
  });

  it('is in the digests, which come in the order of their points', async () => {
    await caughtUp(app);
    await caughtUp(app);
    const { digests, total } = await app.call('briefing.read', {}, A);
    expect(total).toBe(digests.length);
    const entities = digests.filter(({ digest_type }) => digest_type === 'entity');
    expect(entities.map(({ scope }) => scope).sort()).toEqual(['one', 'two']);
    for (const { anticipation_score } of entities) expect(anticipation_score).toBeGreaterThan(0.15);
    const [first] = (await app.call('briefing.read', { entity_path: 'two', compact: true }, A)).digests;
    expect(first).toMatchObject({ digest_type: 'entity', scope: 'two', summary: { sentences: [], total_keys: 1 } });
    const stranger = await app.call('briefing.read', { entity_path: 'two', agent: 'agent/stranger' }, A);
    expect(stranger.digests[0]?.anticipation_score).toBe(0.05);
  });

  it('loses what is erased, and the agent that is erased', async () => {
    await app.call('entries.erase', { entity_path: 'two' } as never, A);
    expect((await visits()).filter(({ entity_path }) => entity_path === 'two')).toEqual([]);
    await app.call('agents.erase', { agent_id: 'agent/a' } as never, A);
    expect(await visits()).toEqual([]);
  });
});
