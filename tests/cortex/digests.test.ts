import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backends, type TestApp } from '../support/app.ts';
import { briefsIn, compiled, type Digest, digestsOf, namesOf, openCompiling } from './compiled.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };

describe.each(backends)('digests, on %s', (backend) => {
  let app: TestApp;
  let n = 0;
  /** A path of its own for each test. */
  let path = '';
  beforeAll(async () => {
    app = await openCompiling(backend);
  });
  beforeEach(() => {
    path = `shop/p${n++}`;
  });
  afterAll(() => app.close());

  const write = (key: string, value: unknown, { agent_id = A.agent_id, ...more }: Record<string, unknown> = {}) =>
    app.call('entries.write', { entity_path: path, key, value, ...more }, { agent_id: String(agent_id) });
  const found = async (digest_type: Digest['digest_type'], scope: string, as = B) =>
    (await app.call('digests.list', { digest_type, scope }, as)).digests[0];
  const read = async (digest_type: Digest['digest_type'], scope: string, as = B) =>
    (await found(digest_type, scope, as)) as Digest;
  const fail = (outcome_type: string, key: string, ref: string) =>
    app.call(
      'outcomes.commit',
      { outcome_ref: ref, outcome_type, causal_entry_keys: [{ entity_path: path, key }] } as never,
      B,
    );

  it('are compiled for the path and the author of a write, and reported once', async () => {
    await write('retry-policy', 'three times', { confidence: 0.9 });
    await write('timeout', '5 s', B);
    await compiled(app);
    const entity = await read('entity', path);
    expect(entity).toMatchObject({
      scope: path,
      entry_count: 2,
      anticipation_score: 0,
      summary: { total_keys: 2, agents: ['agent/b', 'agent/a'], avg_confidence: 0.8 },
    });
    expect(entity.summary.top_keys?.map(({ key }) => key)).toEqual(['retry-policy', 'timeout']);
    for (const { text, entries } of entity.summary.sentences) expect(entries.length, text).toBeGreaterThan(0);
    expect(entity.summary.narrative).toContain(`${path} holds 2 entries by 2 agents`);
    expect(namesOf(await digestsOf(app))).toEqual(
      expect.arrayContaining(['agent_brief agent/a', 'agent_brief agent/b', `entity ${path}`]),
    );
    const { last_seq } = await app.call('stats.read', {});
    for (let i = 0; i < 3; i++) await compiled(app);
    expect((await app.call('stats.read', {})).last_seq).toBe(last_seq);
    const compiledOnce = (await briefsIn(app)).filter(({ entity_path }) => entity_path === path);
    expect(compiledOnce).toHaveLength(1);
    expect(compiledOnce[0]?.details).toMatchObject({ digest_type: 'entity', entry_count: 2, entities: [path] });
    const timeline = await app.call('agents.timeline', { agent_id: 'agent/a', event_type: ['brief_compiled'] }, A);
    expect(timeline.events[0]?.summary).toContain('compiled agent_brief digest');
    expect((await app.call('agents.list', {})).agents.map(({ agent_id }) => agent_id)).not.toContain('system');
  });

  it('show what outcomes support, question and refute, and what came instead', async () => {
    await write('deploy-order', 'database first');
    await write('cache-size', 'ten');
    await fail('success', 'cache-size', `${path}-ok`);
    for (const ref of ['x', 'y', 'z']) await fail('critical_failure', 'deploy-order', `${path}-${ref}`);
    await write('deploy-steps', 'database last');
    await compiled(app);
    const { summary } = await read('entity', path);
    expect(summary.validated?.map(({ key }) => key)).toEqual(['cache-size']);
    expect(summary.discredited?.map(({ key, replaced_by }) => [key, replaced_by.map((one) => one.key)])).toEqual([
      ['deploy-order', ['deploy-steps']],
    ]);
    expect(summary.outcomes?.map(({ outcome_ref }) => outcome_ref)).toEqual(
      ['z', 'y', 'x', 'ok'].map((ref) => `${path}-${ref}`),
    );
    expect(summary.narrative).toContain('see deploy-steps instead');
  });

  it('have nothing private, also where it was shared before, and say nothing of private writes', async () => {
    const before = await briefsIn(app);
    await write('diary', 'mine alone', { shared: false });
    await compiled(app);
    expect(await found('entity', path, A)).toBeUndefined();
    expect(await briefsIn(app)).toHaveLength(before.length);
    await write('open', 'for all');
    await write('later-private', 'for all, for now');
    await compiled(app);
    await write('later-private', 'not any more', { shared: false });
    // At once, before anything is compiled again.
    const now = await read('entity', path);
    expect(now.entry_count).toBe(1);
    expect(JSON.stringify(now)).not.toContain('later-private');
    await compiled(app);
    for (const as of [A, B]) {
      const { entry_count, summary } = await read('entity', path, as);
      expect(entry_count).toBe(1);
      expect(JSON.stringify(summary)).not.toMatch(/diary|later-private/);
    }
  });

  it('go when nothing is left at their path', async () => {
    await write('only', 1);
    await compiled(app);
    expect((await read('entity', path)).entry_count).toBe(1);
    await app.call('entries.delete', { entity_path: path, key: 'only' }, A);
    expect(await found('entity', path)).toBeUndefined();
    await compiled(app);
    expect(namesOf(await digestsOf(app))).not.toContain(`entity ${path}`);
  });

  it('lose what is erased at once, and the name of a path that is erased', async () => {
    await write('secret', 'tulip');
    await write('rest', 'stays');
    await fail('success', 'secret', `${path}-ok`);
    await compiled(app);
    await app.call('entries.erase', { entity_path: path, key: 'secret' } as never, A);
    expect(JSON.stringify(await read('entity', path))).not.toContain('secret');
    await app.call('entries.erase', { entity_path: path, key: 'rest' } as never, A);
    await compiled(app);
    expect(namesOf(await digestsOf(app)).filter((name) => name.endsWith(path))).toEqual([]);
    expect(JSON.stringify(await briefsIn(app))).not.toContain(`"${path}"`);
  });

  it('lose the name of an agent that is erased', async () => {
    const author = { agent_id: `agent/leaving-${n}` };
    await write('fact', 1, author);
    await write('other', 2);
    await compiled(app);
    expect(await read('agent_brief', author.agent_id)).toMatchObject({ entry_count: 1 });
    await app.call('agents.erase', { agent_id: author.agent_id } as never, A);
    await compiled(app);
    expect(JSON.stringify([await digestsOf(app), await briefsIn(app)])).not.toContain(author.agent_id);
  });

  it('of sources are about what they sent, under their own name', async () => {
    for (const [key, value] of [
      ['alert-1', 'disk'],
      ['alert-2', 'cpu'],
    ] as const)
      await app.call('events.send', { source: path, entity_path: path, key, value }, A);
    await compiled(app);
    expect(await read('source', path)).toMatchObject({
      entry_count: 2,
      summary: { agents: [], event_types: { alert: 2 }, entities: [path] },
    });
    expect((await read('entity', path)).summary.external_sources).toHaveLength(1);
  });

  it('of patterns are what three successes or more have read', async () => {
    await write('guide', 'read me');
    await write('aside', 'or not');
    for (const [i, key] of ['guide', 'guide', 'guide', 'aside'].entries()) {
      await fail('success', key, `${path}-${i}`);
      if (i === 1) {
        await compiled(app);
        expect(await found('trace_pattern', path)).toBeUndefined();
      }
    }
    await compiled(app);
    const { summary, entry_count } = await read('trace_pattern', path);
    expect(entry_count).toBe(4);
    expect(summary.top_read_keys?.map(({ key, count }) => [key, count])).toEqual([
      ['guide', 3],
      ['aside', 1],
    ]);
    expect(summary.sentences[0]?.text).toBe(`3 of 4 successes at ${path} have read guide.`);
  });

  it('of connections are what edges tie a path to', async () => {
    await write('fact', 1, { pattern_refs: ['saga'] });
    const edge = {
      source: path,
      source_type: 'entity',
      relation: 'depends_on',
      target: 'shop/bank',
      target_type: 'entity',
    };
    await app.call('graph.link', edge as never, A);
    await app.call('graph.link', { ...edge, target: 'shop/secret', shared: false } as never, A);
    await compiled(app);
    expect(await read('connection_map', path)).toMatchObject({
      entry_count: 1,
      summary: {
        connected_entities: ['shop/bank'],
        relations: { depends_on: { count: 1, targets: ['shop/bank'], avg_confidence: 1 } },
      },
    });
    expect((await read('connection_map', 'shop/bank')).summary.connected_entities).toEqual([path]);
  });

  it('of connections say each relation in a sentence with entries of both paths behind it', async () => {
    await write('pool', 5);
    const other = `${path}-bank`;
    await app.call('entries.write', { entity_path: other, key: 'limit', value: 9 }, A);
    const ends = { source_type: 'entity', target_type: 'entity', relation: 'depends_on' };
    await app.call('graph.link', { source: path, target: other, ...ends } as never, A);
    await compiled(app);
    for (const scope of [path, other]) {
      const { summary } = await read('connection_map', scope);
      expect(summary.narrative).toBe(`${path} depends on ${other}.`);
      expect(summary.sentences[0]?.entries.map(({ key }) => key).sort()).toEqual(['limit', 'pool']);
    }
  });

  it('of connections show the paths that outcomes used together, as far as the reader may see them', async () => {
    await write('size', 5);
    const other = `${path}-pay`;
    const at = (entity_path: string, key: string) => ({ entity_path, key });
    await app.call('entries.write', { ...at(other, 'pool'), value: 9 }, A);
    await app.call('entries.write', { ...at(`${path}-own`, 'diary'), value: 9, shared: false }, A);
    const causal_entry_keys = [at(path, 'size'), at(other, 'pool'), at(`${path}-own`, 'diary')];
    const commit = (n: number) =>
      app.call(
        'outcomes.commit',
        { outcome_ref: `${path}-${n}`, outcome_type: 'success', causal_entry_keys } as never,
        A,
      );
    await commit(1);
    await compiled(app);
    const map = await read('connection_map', path);
    expect(map).toMatchObject({
      entry_count: 1,
      summary: {
        narrative: `${path} was used together with ${other}.`,
        total_edges: 1,
        connected_entities: [other],
        relations: { co_occurs_with: { count: 1, targets: [other], avg_confidence: 1 } },
      },
    });
    expect(map.summary.sentences[0]?.entries.map(({ key }) => key)).toEqual(['size', 'pool']);
    expect((await read('connection_map', other)).summary.connected_entities).toEqual([path]);
    expect(await found('connection_map', `${path}-own`, A)).toBeUndefined();
    await commit(2);
    await compiled(app);
    expect((await read('connection_map', path)).seq).toBe(map.seq);
    await app.call('entries.write', { ...at(other, 'pool'), value: 8, shared: false }, A);
    expect(await found('connection_map', path)).toBeUndefined();
  });

  it('come in pages, each digest once', async () => {
    const all = await digestsOf(app);
    const found: Digest[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await app.call('digests.list', { limit: 3, cursor });
      found.push(...page.digests);
      if (!page.has_more) break;
      cursor = page.next_cursor ?? undefined;
    }
    expect(namesOf(found)).toEqual(namesOf(all));
    const below = await app.call('digests.list', { entity_path: 'shop/**', digest_type: 'entity' });
    expect(new Set(below.digests.map(({ digest_type }) => digest_type))).toEqual(new Set(['entity']));
  });

  it('are as they were when compiled again', async () => {
    const plain = (digests: Digest[]) => digests.map(({ compiled_at: _, staleness_ms: __, seq: ___, ...rest }) => rest);
    const before = await digestsOf(app);
    for (let before_seq: number | undefined; ; ) {
      const part = await app.call('cortex.recompile', { limit: 7, before_seq });
      if (!part.has_more) break;
      before_seq = part.before_seq;
    }
    expect(plain(await digestsOf(app))).toEqual(plain(before));
  });

  it('give way to newer ones beyond the limit of an account', async () => {
    const { limits } = app.kernel.services;
    limits.max_digests = 4;
    for (let i = 0; i < 6; i++) {
      await app.call('entries.write', { entity_path: `many/${i}`, key: 'k', value: i }, A);
      await compiled(app);
    }
    const { digest_count, max_digests } = await app.call('cortex.status', {});
    expect([digest_count <= 4, max_digests]).toEqual([true, 4]);
    expect(namesOf(await digestsOf(app))).toContain('entity many/5');
    delete limits.max_digests;
  });
});
