import { parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const read = [[parseGlob('team/**') as never]];
const key: Principal = { key_id: 'k', name: 'k', type: 'agent', read, write: read };
const as = { agent_id: 'agent/a', session_id: 'sess-1' };
const scoped = { agent_id: 'agent/a', session_id: 'sess-2', key };

describe.each(backends)('what lies on both sides of a scope, on %s', (backend) => {
  let app: TestApp;
  let commit_id: string;
  let trace_id: string;
  beforeAll(async () => {
    app = await openTestApp(backend);
    const writes = ['team/a', 'other/a'].map((entity_path) => ({
      entity_path,
      key: 'k',
      value: `about ${entity_path}`,
    }));
    commit_id = (await app.call('commits.create', { writes, message: 'both, also other/a' }, as)).commit_id;
    await app.call('commits.create', { writes: [{ entity_path: 'other/b', key: 'k', value: 1 }] }, as);
    for (const { entity_path } of writes) await app.call('entries.read', { entity_path, key: 'k' }, as);
    await app.call('entries.search', { query: 'about' }, as);
    await app.call('entries.list', { entity_path: 'other/**' }, as);
    const outcome = await app.call('outcomes.commit', { outcome_ref: 'deploy-1', outcome_type: 'success' }, as);
    trace_id = outcome.trace_id as string;
    expect(outcome.affected_entries).toBe(2);
    await app.call(
      'graph.link',
      { source: 'team/a', source_type: 'entity', relation: 'needs', target: 'other/a', target_type: 'entity' },
      as,
    );
  });
  afterAll(() => app.close());

  it('a commit shows what it wrote within, and not what was said of the whole', async () => {
    const { commits } = await app.call('commits.list', {}, scoped);
    expect(commits).toMatchObject([{ commit_id, entries_written: 1, message: '', parent_ids: [] }]);
    const commit = await app.call('commits.read', { commit_id }, scoped);
    expect(commit.entries.map(({ entity_path }) => entity_path)).toEqual(['team/a']);
    const whole = await app.call('commits.read', { commit_id }, as);
    expect(whole).toMatchObject({ entries_written: 2, message: 'both, also other/a' });
    expect(commit.tree_hash).not.toBe(whole.tree_hash);
  });

  it('an outcome shows the causes within', async () => {
    const { outcomes } = await app.call('outcomes.list', {}, scoped);
    expect(outcomes.map(({ entries }) => entries.map(({ entity_path }) => entity_path))).toEqual([['team/a']]);
    expect(await app.call('outcomes.calibration', {}, scoped)).toMatchObject({ n: 1 });
    expect(await app.call('outcomes.list', { entity_path: 'other/**' }, scoped)).toMatchObject({ outcomes: [] });
  });

  it('a trace shows the parts within', async () => {
    const trace = await app.call('traces.read', { trace_id }, scoped);
    expect(trace.causal_entries.map(({ entity_path }) => entity_path)).toEqual(['team/a']);
    expect(trace.state_diff.confidence_changes.map(({ entity_path }) => entity_path)).toEqual(['team/a']);
    expect(trace.query_events).toEqual([]);
    expect(JSON.stringify(trace)).not.toContain('other/');
    const { traces } = await app.call('traces.list', {}, scoped);
    expect(JSON.stringify(traces)).not.toContain('other/');
    expect(traces).toHaveLength(1);
    const explained = await app.call('sessions.explain', { trace_id }, scoped);
    expect(explained.causal_chain_length).toBe(1);
    expect(await app.call('traces.verify', {}, scoped)).toMatchObject({ total_checked: 1, valid: 1 });
  });

  it('the graph ends where the scope does', async () => {
    for (const entity of ['team/a', 'agent/a', 'deploy-1', 'other/a']) {
      const { edges, nodes } = await app.call('graph.neighbors', { entity, depth: 5 }, scoped);
      expect(JSON.stringify([edges, nodes])).not.toContain('other/');
      if (entity !== 'other/a') expect(edges.length).toBeGreaterThan(0);
    }
  });

  it('an agent is known by what it wrote within', async () => {
    expect(await app.call('agents.profile', { agent_id: 'agent/a' }, scoped)).toMatchObject({
      entries_written: 1,
      entities_touched: 1,
    });
    const map = await app.call('agents.memory_graph', { agent_id: 'agent/a' }, scoped);
    expect(map.nodes.map(({ entity_path }) => entity_path)).toEqual(['team/a']);
    expect(map.total_written).toBe(1);
    const { timeline } = await app.call('agents.activity', { agent_id: 'agent/a' }, scoped);
    expect(timeline.map(({ entity_path }) => entity_path)).toEqual(['team/a']);
  });
});
