import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { namedBranches } from '../support/lineages.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };
const { lineages, branches } = namedBranches();

describe.each(backends)('what is known beside entries, on a branch on %s', (backend) => {
  let app: TestApp;
  let fork = 0;
  const at = (key: string) => ({ entity_path: 'a', key });
  const write = (key: string, value: unknown, more: object = {}) =>
    app.call('entries.write', { ...at(key), value, ...more } as never, A);
  const link = (source: string, target: string, more: object = {}) =>
    app.call(
      'graph.link',
      { source, source_type: 'entry', relation: 'depends_on', target, target_type: 'entry', ...more } as never,
      A,
    );
  const outcome = (ref: string, keys: readonly string[], more: object = {}) =>
    app.call(
      'outcomes.commit',
      {
        outcome_ref: ref,
        outcome_type: 'success',
        causal_entry_keys: keys.map((key) => `a/${key}`),
        ...more,
      } as never,
      A,
    );

  beforeAll(async () => {
    app = await openTestApp(backend, { modules: [branches] });
    await write('one', 1);
    await write('two', 2);
    await write('three', 3);
    await link('a/one', 'a/two');
    await app.call('entries.read', at('one'), B);
    await app.kernel.services.noteBuffer.flushAll();
    await outcome('before', ['one', 'two']);
    fork = (await app.call('stats.read', {}, A)).last_seq;
    lineages.set('dev', [
      { branch: 'dev', up_to_seq: null },
      { branch: 'main', up_to_seq: fork },
    ]);
    lineages.set('then', [{ branch: 'main', up_to_seq: fork }]);
    app.clock.advance(60_000);
    await link('a/one', 'a/three');
    await app.call('entries.read', at('two'), B);
    await outcome('after', ['one', 'three']);
    await write('late', 4);
    await write('one', 'changed', { branch: 'dev' });
    await write('own', 5, { branch: 'dev' });
    await link('a/own', 'a/one', { branch: 'dev' });
    await app.kernel.services.noteBuffer.flushAll();
  });
  afterAll(() => app.close());

  const edgesOf = async (branch: string, entity = 'a/one') => {
    const { edges } = await app.call('graph.neighbors', { entity, type: 'entry', branch, depth: 1, limit: 100 }, A);
    return edges
      .filter(({ relation }) => ['depends_on', 'co_occurs_with', 'informed'].includes(relation))
      .map(({ source, relation, target }) => `${source} ${relation} ${target}`)
      .sort();
  };

  it('edges are those of the branch and those that were there at the fork', async () => {
    expect(await edgesOf('then')).toEqual([
      'a/one co_occurs_with a/two',
      'a/one depends_on a/two',
      'a/one informed before',
    ]);
    expect(await edgesOf('dev')).toEqual([
      'a/one co_occurs_with a/two',
      'a/one depends_on a/two',
      'a/one informed before',
      'a/own depends_on a/one',
    ]);
    expect(await edgesOf('dev', 'a/two')).toEqual([
      'a/one co_occurs_with a/two',
      'a/one depends_on a/two',
      'a/two informed before',
    ]);
    expect(await edgesOf('main')).toContain('a/one depends_on a/three');
    expect(await edgesOf('main')).not.toContain('a/own depends_on a/one');
  });

  it('what agents have read is what they read there, and until the fork', async () => {
    const read = async (branch: string) =>
      Object.values((await app.call('agents.cross_agent_reads', { agent_id: 'agent/b', branch }, A)).reads_from)
        .flat()
        .map(({ key }) => key)
        .sort();
    expect([await read('then'), await read('dev'), await read('main')]).toEqual([['one'], ['one'], ['one', 'two']]);
    const graph = await app.call('agents.memory_graph', { agent_id: 'agent/a', branch: 'dev' }, A);
    expect(graph).toMatchObject({ total_written: 4, truncated: false });
  });

  it('confidence is explained and predicted by what was known at the fork', async () => {
    const confidence = (key: string, branch: string) => app.call('entries.confidence', { ...at(key), branch }, A);
    expect((await confidence('two', 'dev')).steps.map(({ kind }) => kind)).toEqual(['written', 'outcome']);
    expect((await confidence('one', 'dev')).steps.map(({ kind, version }) => [kind, version])).toEqual([
      ['written', 1],
      ['outcome', 1],
      ['written', 2],
    ]);
    const samples = async (branch: string, more: object = {}) =>
      (await app.call('outcomes.calibration', { branch, ...more } as never, A)).successes;
    expect([await samples('then'), await samples('dev'), await samples('main')]).toEqual([2, 2, 4]);
    expect([await samples('dev', { entity_path: 'a' }), await samples('dev', { entity_path: 'b' })]).toEqual([2, 0]);
  });

  it('the log and the timeline show the branch, and its parent up to the fork', async () => {
    const log = async (branch?: string) => {
      const { events, has_more } = await app.call('log.list', { after: 0, limit: 100, branch } as never, A);
      expect(has_more).toBe(false);
      return events;
    };
    const all = await log();
    const isShown = (branch: string) => (event: { branch: string; seq: number }) =>
      event.branch === branch || (event.branch === 'main' && event.seq <= fork);
    expect(await log('dev')).toEqual(all.filter(isShown('dev')));
    expect(await log('then')).toEqual(all.filter(isShown('-')));
    expect(await log('main')).toEqual(all.filter(({ branch }) => branch === 'main'));
    const timeline = await app.call('agents.timeline', { agent_id: 'agent/a', branch: 'dev', limit: 100 }, A);
    const own = all.filter((event) => event.agent_id === 'agent/a' && isShown('dev')(event));
    expect(timeline.events.map(({ id }) => id).sort((a, b) => a - b)).toEqual(own.map(({ seq }) => seq));
    const pages: number[] = [];
    for (let after = 0, more = true; more; ) {
      const page = await app.call('log.list', { after, limit: 2, branch: 'dev' }, A);
      pages.push(...page.events.map(({ seq }) => seq));
      after = page.last_seq;
      more = page.has_more;
    }
    expect(pages).toEqual(all.filter(isShown('dev')).map(({ seq }) => seq));
  });
});
