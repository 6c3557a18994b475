import { parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };
const keyFor = (path: string) => {
  const scope = [[parseGlob(path) as never]];
  return { ...B, key: { key_id: path, name: path, type: 'agent' as const, read: scope, write: scope } };
};

describe.each(backends)('proposals, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const write = (at: { entity_path: string; key: string }, value: unknown, as: object = A) =>
    app.call('entries.write', { ...at, value }, as);
  const proposalsAt = async (entity_path: string, as: object = A) =>
    (await app.call('consolidation.proposals', { entity_path }, as)).proposals;
  const ask = (question: string, at: { entity_path: string; key: string }, as: object = A) =>
    app.call('golden.create', { question, ...at }, as);

  it('name the questions with a known answer that approval would answer differently', async () => {
    const [kept, copy] = ['deploys', 'when-we-deploy'].map((key) => ({ entity_path: 'release', key })) as [
      { entity_path: string; key: string },
      { entity_path: string; key: string },
    ];
    await write(kept, 'Deployments to production happen on Tuesday mornings');
    await write(copy, 'Deployments to production always happen on Tuesday mornings', B);
    await ask('when do we deploy?', copy);
    await ask('which day is for production?', kept);
    const moves = [{ question: 'when do we deploy?', ...copy, change: 'moves' }];
    const { proposals } = await app.call('consolidation.candidates', { entity_path: 'release' }, A);
    expect(proposals.map(({ golden_queries }) => golden_queries)).toEqual([moves]);
    await app.call('consolidation.run', { entity_path: 'release' }, A);
    expect((await proposalsAt('release')).map(({ golden_queries }) => golden_queries)).toEqual([moves]);
    const value = 'Production is deployed on Tuesdays between eight and ten';
    await app.call('consolidation.propose', { sources: [kept, copy], value }, A);
    const suggested = (await proposalsAt('release')).find(({ strategy }) => strategy === 'suggested');
    expect(suggested?.golden_queries).toEqual(
      expect.arrayContaining([...moves, { question: 'which day is for production?', ...kept, change: 'changes' }]),
    );
  });

  it('show what each source said in its version, long values in short, and who wrote it', async () => {
    const sources = ['brief', 'long', 'object'].map((key) => ({ entity_path: 'said', key }));
    const [short, long, object] = sources as [(typeof sources)[0], (typeof sources)[0], (typeof sources)[0]];
    await write(short, 'by agent a');
    await write(long, `begins ${'😀'.repeat(10_000)}`, B);
    await write(object, { limit: 20 });
    const suggested = await app.call('consolidation.propose', { sources }, A);
    await write(short, 'what agent b says instead', B);
    const [listed] = await proposalsAt('said');
    expect(listed?.sources).toEqual(suggested.sources);
    expect(listed?.sources).toMatchObject([
      { version: 1, agent_id: 'agent/a', value: 'by agent a', value_truncated: false },
      { version: 1, agent_id: 'agent/b', value: expect.stringMatching(/^begins .{100,240}$/u), value_truncated: true },
      { version: 1, agent_id: 'agent/a', value: { limit: 20 }, value_truncated: false },
    ]);
    await app.call('consolidation.decide', { proposal_id: suggested.proposal_id, decision: 'reject' }, B);
  });

  it('show the values that approval would remove before a run stores them, too', async () => {
    await write({ entity_path: 'shown', key: 'retry-limit' }, 3);
    await write({ entity_path: 'shown', key: 'retryLimit' }, 5, B);
    const values = (proposals: { sources: { value: unknown }[] }[]) =>
      proposals.map(({ sources }) => sources.map(({ value }) => value));
    const { proposals } = await app.call('consolidation.candidates', { entity_path: 'shown' }, A);
    expect(values(proposals)).toEqual([[3, 5]]);
    await app.call('consolidation.run', { entity_path: 'shown' }, A);
    expect(values(await proposalsAt('shown'))).toEqual([[3, 5]]);
  });

  it('name no question that only another agent may see', async () => {
    const own = { entity_path: 'diary', key: 'mine' };
    await app.call('entries.write', { ...own, value: 'the spare key lies under the third pot', shared: false }, A);
    await ask('where is the spare key?', own);
    for (const key of ['pots', 'flowers'])
      await write({ entity_path: 'diary', key }, `the ${key} on the balcony are watered on Fridays`);
    const sources = ['pots', 'flowers'].map((key) => ({ entity_path: 'diary', key }));
    await app.call('consolidation.propose', { sources }, B);
    expect(JSON.stringify(await proposalsAt('diary', B))).not.toContain('spare');
  });

  it('are announced in briefings about their path, to those who may see them, until they are decided', async () => {
    for (const key of ['left', 'right']) await write({ entity_path: 'notice/one', key }, `the ${key} side of it`);
    await write({ entity_path: 'notice/two', key: 'far' }, 'the far side of it');
    const at = (entity_path: string, key: string) => ({ entity_path, key });
    const near = await app.call(
      'consolidation.propose',
      { sources: [at('notice/one', 'left'), at('notice/one', 'right')] },
      A,
    );
    await app.call('consolidation.propose', { sources: [at('notice/one', 'left'), at('notice/two', 'far')] }, A);
    const notice = async (entity_path: string, as: object = B) =>
      (await app.call('briefing.read', { entity_path }, as)).consolidation_notice;
    expect(await notice('notice')).toMatchObject({
      pending_proposals: 2,
      proposal_ids: [expect.any(String), near.proposal_id],
    });
    expect(await notice('notice/two')).toBeNull();
    expect(await notice('notice/one', keyFor('notice/one'))).toEqual({
      pending_proposals: 1,
      proposal_ids: [near.proposal_id],
      message: expect.stringContaining('1 proposal waits'),
    });
    await app.call('consolidation.decide', { proposal_id: near.proposal_id, decision: 'approve' }, A);
    expect(await notice('notice/one', keyFor('notice/one'))).toBeNull();
  });

  it('are the same for others, however often an agent alone says the same', async () => {
    const value = 'the vault of the bank opens at nine on weekdays';
    const many = Array.from({ length: 25 }, (_, i) => ({
      entity_path: 'vault',
      key: `mine-${i}`,
      value,
      shared: false,
    }));
    await app.call('commits.create', { writes: many }, A);
    await app.call('consolidation.run', { entity_path: 'vault' }, A);
    for (const key of ['first', 'second']) {
      await write({ entity_path: 'vault', key }, value, B);
      expect(await app.call('consolidation.run', { entity_path: 'vault' }, B)).toMatchObject({
        entries_looked_at: 1,
        auto_archived: key === 'first' ? 0 : 1,
        proposals_created: 0,
      });
    }
    expect(await app.call('entries.read', { entity_path: 'vault', key: 'first' }, B)).toMatchObject({
      confidence: 0.7,
    });
  });

  it('are the same for a key with a scope, however often others say nearly the same elsewhere', async () => {
    const say = (n: number) => `the heating of the office is off during the ${n === 0 ? 'long' : 'whole'} summer break`;
    const many = Array.from({ length: 30 }, (_, i) => ({
      ...{ entity_path: `office/${Math.floor(i / 2)}`, key: i % 2 ? 'summer' : 'heating', value: say(i % 2) },
    }));
    await app.call('commits.create', { writes: many }, A);
    app.clock.advance(2_000);
    await app.jobs.sweep();
    const narrow = keyFor('office');
    await write({ entity_path: 'office', key: 'heating' }, say(0), narrow);
    await write({ entity_path: 'office', key: 'summer' }, say(1), narrow);
    const { proposals } = await app.call('consolidation.candidates', { entity_path: 'office' }, narrow);
    expect(proposals.map(({ source_entry_keys }) => source_entry_keys.toSorted())).toEqual([
      ['office/heating', 'office/summer'],
    ]);
  });
});
