import { type Glob, type Output, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Principal } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const X = { agent_id: 'agent/x' };
const Y = { agent_id: 'agent/y' };

/** Edges as text, with their weights. */
const edgesOf = ({ nodes, edges }: Output<'graph.overview'>): string[] =>
  edges.map(
    ({ source, relation, target, weight }) => `${nodes[source]?.name} ${relation} ${nodes[target]?.name} ${weight}`,
  );

describe.each(backends)('the map of agents and paths on %s', (backend) => {
  let app: TestApp;
  const overview = (as: object = X, input: object = {}) => app.call('graph.overview', input, as);
  const write = (entity_path: string, key: string, as: object) =>
    app.call('entries.write', { entity_path, key, value: key, shared: key !== 'private' }, as);

  beforeAll(async () => {
    app = await openTestApp(backend);
    for (const key of ['1', '2', '3']) await write('a/b', key, X);
    for (const key of ['1', '2', 'private']) await write('c', key, Y);
    await app.call('entries.read', { entity_path: 'a/b', key: '1' }, { ...Y, session_id: 's' });
    await app.kernel.services.noteBuffer.flushAll(true);
    await app.call('outcomes.commit', { outcome_ref: 'deploy-1', outcome_type: 'success' }, { ...Y, session_id: 's' });
  });
  afterAll(() => app.close());

  it('has what was written, read and decided, the heaviest first', async () => {
    const found = await overview();
    expect(edgesOf(found)).toEqual(['agent/x wrote a/b 3', 'agent/y wrote c 2', ...edgesOf(found).slice(2)]);
    expect(edgesOf(found).slice(2).sort()).toEqual([
      'a/b informed deploy-1 1',
      'agent/y committed deploy-1 1',
      'agent/y read a/b 1',
    ]);
    expect(found.nodes.map(({ type, name, weight }) => `${type} ${name} ${weight}`)).toEqual([
      'entity a/b 5',
      'agent agent/y 4',
      'agent agent/x 3',
      'entity c 2',
      'outcome deploy-1 2',
    ]);
    expect(found.truncated).toBe(false);
  });

  it('counts what is private for its agent alone', async () => {
    expect(edgesOf(await overview(Y))).toContain('agent/y wrote c 3');
  });

  it('shows a key with a scope what is in it', async () => {
    const key: Principal = { key_id: 'k', name: 'k', type: 'agent', read: [[parseGlob('c') as Glob]] };
    expect(edgesOf(await overview({ ...X, key }))).toEqual(['agent/y wrote c 2']);
  });

  it('shows the heaviest where there are too many', async () => {
    const found = await overview(X, { limit: 2 });
    expect(found.nodes.map(({ name }) => name)).toEqual(['a/b', 'agent/y']);
    expect(edgesOf(found)).toEqual(['agent/y read a/b 1']);
    expect(found.truncated).toBe(true);
  });

  it('is that of a branch', async () => {
    await app.call('branches.create', { name: 'try' });
    await app.call('entries.write', { entity_path: 'd', key: '1', value: 1, branch: 'try' }, X);
    expect(edgesOf(await overview(X, { branch: 'try' }))).toContain('agent/x wrote d 1');
    expect(edgesOf(await overview(X, { branch: 'try' }))).toContain('agent/x wrote a/b 3');
    expect(edgesOf(await overview())).not.toContain('agent/x wrote d 1');
  });
});

describe.each(backends)('outcomes on the map on %s', (backend) => {
  it('say how the newest of their reference went', async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    await app.call('entries.write', { entity_path: 'a', key: 'k', value: 1 }, X);
    const commit = async (outcome_ref: string, outcome_type: 'success' | 'regression', session_id: string) => {
      await app.call('entries.read', { entity_path: 'a', key: 'k' }, { ...X, session_id });
      await app.call('outcomes.commit', { outcome_ref, outcome_type }, { ...X, session_id });
    };
    await commit('deploy-1', 'success', 's1');
    await commit('deploy-2', 'success', 's2');
    await commit('deploy-2', 'regression', 's3');
    const { nodes } = await app.call('graph.overview', {}, X);
    expect(nodes.map(({ name, outcome_type }) => `${name} ${outcome_type}`).sort()).toEqual([
      'a null',
      'agent/x null',
      'deploy-1 success',
      'deploy-2 regression',
    ]);
  });
});

describe.each(backends)('a map of more than may be looked at on %s', (backend) => {
  it('is made of the newest, and says so', async () => {
    const app = await openTestApp(backend, { maxScannedEntries: 3 });
    onTestFinished(() => app.close());
    for (let i = 0; i < 5; i++) await app.call('entries.write', { entity_path: `p${i}`, key: 'k', value: i }, X);
    const found = await app.call('graph.overview', {}, X);
    expect(edgesOf(found)).toEqual(['agent/x wrote p2 1', 'agent/x wrote p3 1', 'agent/x wrote p4 1']);
    expect(found.truncated).toBe(true);
  });
});
