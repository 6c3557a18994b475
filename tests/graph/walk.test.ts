import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { arrows, type Graph, writeEntries } from './support.ts';

const A = { agent_id: 'agent/a' };

describe.each(backends)('a walk through the graph, on %s', (backend) => {
  let app: TestApp;

  /** `source relation target`. */
  const state = (given: string, more = {}) => {
    const [source = '', relation = '', target = ''] = given.split(' ');
    const edge = { source, source_type: 'entity', relation, target, target_type: 'entity' } as const;
    return app.call('graph.link', { ...edge, ...more }, A);
  };
  const of = (entity: string, more = {}): Promise<Graph> => app.call('graph.neighbors', { entity, ...more }, A);

  beforeAll(async () => {
    app = await openTestApp(backend);
    // A ring of six with a chord, a loop and a tail.
    for (let i = 0; i < 6; i++) await state(`n${i} next n${(i + 1) % 6}`);
    await state('n0 chord n3', { confidence: 0.4 });
    await state('n0 self n0');
    await state('tail next n0');
    await writeEntries(app, ['svc/k', 'svc/sub/k', 'svcs/k'], A);
    await state('svc owns svc/sub');
  });
  afterAll(() => app.close());

  it('goes in both directions, out or in', async () => {
    expect(arrows(await of('n0'))).toEqual([
      'n0 -self-> n0',
      'n0 -next-> n1',
      'n0 -chord-> n3',
      'tail -next-> n0',
      'n5 -next-> n0',
    ]);
    expect(arrows(await of('n0', { direction: 'out' }))).toEqual(['n0 -self-> n0', 'n0 -next-> n1', 'n0 -chord-> n3']);
    expect(arrows(await of('n0', { direction: 'in' }))).toEqual(['n0 -self-> n0', 'tail -next-> n0', 'n5 -next-> n0']);
  });

  it('goes as deep as requested, and returns the distance of every node', async () => {
    const found = await of('n1', { direction: 'out', relation: 'next', depth: 3 });
    expect(found.edges.map(({ source, target, depth }) => [source, target, depth])).toEqual([
      ['n1', 'n2', 1],
      ['n2', 'n3', 2],
      ['n3', 'n4', 3],
    ]);
    expect(found.nodes).toEqual([
      { name: 'n1', type: 'entity', depth: 0 },
      { name: 'n2', type: 'entity', depth: 1 },
      { name: 'n3', type: 'entity', depth: 2 },
      { name: 'n4', type: 'entity', depth: 3 },
    ]);
    expect(found).toMatchObject({ entity: 'n1', count: 3, truncated: false });
  });

  it('ends in a ring, with every edge once', async () => {
    const found = await of('n2', { depth: 5 });
    expect(new Set(arrows(found)).size).toBe(found.count);
    expect(found.count).toBe(9);
    expect(found.nodes.map(({ name, depth }) => `${name} ${depth}`).sort()).toEqual([
      'n0 2',
      'n1 1',
      'n2 0',
      'n3 1',
      'n4 2',
      'n5 3',
      'tail 3',
    ]);
  });

  it('follows only the requested relations, at every step', async () => {
    expect(arrows(await of('n0', { relation: 'chord', depth: 5 }))).toEqual(['n0 -chord-> n3']);
    const both = await of('n0', { relation: ' chord , self', depth: 2 });
    expect(arrows(both)).toEqual(['n0 -self-> n0', 'n0 -chord-> n3']);
    expect(await of('n0', { relation: 'nothing' })).toMatchObject({ count: 0, nodes: [] });
  });

  it('leaves out what is not sure enough', async () => {
    expect(arrows(await of('n3', { min_confidence: 0.5 }))).toEqual(['n3 -next-> n4', 'n2 -next-> n3']);
    expect((await of('n3', { min_confidence: 0.4 })).count).toBe(3);
    expect(await of('n3', { relation: 'chord', min_confidence: 0.41 })).toMatchObject({ count: 0, truncated: false });
  });

  it('a path stands for itself and the entries at and below it, and for nothing beside it', async () => {
    expect(arrows(await of('svc'))).toEqual([
      'svc -owns-> svc/sub',
      'agent/a -wrote-> svc/k',
      'agent/a -wrote-> svc/sub/k',
    ]);
    expect((await of('svc')).nodes).toContainEqual({ name: 'svc/sub/k', type: 'entry', depth: 0 });
    expect(arrows(await of('svc/sub'))).toEqual(['svc -owns-> svc/sub', 'agent/a -wrote-> svc/sub/k']);
  });

  it('a name that stands for several things is narrowed by its type', async () => {
    await state('retry is retried', { source_type: 'pattern' });
    await state('retry is busy', { source_type: 'agent' });
    expect(arrows(await of('retry'))).toEqual(['retry -is-> busy', 'retry -is-> retried']);
    expect(arrows(await of('retry', { type: 'pattern' }))).toEqual(['retry -is-> retried']);
    expect((await of('retry', { type: 'entity' })).count).toBe(0);
    expect(arrows(await of('svc/k', { type: 'entry' }))).toEqual(['agent/a -wrote-> svc/k']);
    expect((await of('svc/k', { type: 'agent' })).count).toBe(0);
  });

  it('says when there is more than the limit, and only then', async () => {
    for (const [limit, truncated] of [
      [1, true],
      [8, true],
      [9, false],
      [10, false],
    ] as const) {
      const found = await of('n2', { depth: 5, limit });
      expect(found).toMatchObject({ count: Math.min(limit, 9), truncated });
      const whole = await of('n2', { depth: 5 });
      expect(found.edges).toEqual(whole.edges.slice(0, limit));
    }
  });

  it('finds nothing for an unknown name', async () => {
    for (const entity of ['nobody', 'a/b/c', '/', 'x'.repeat(2000), '%2F', "'; DROP TABLE edges; --"])
      expect(await of(entity)).toEqual({ entity, edges: [], nodes: [], count: 0, truncated: false });
  });
});

describe.each(backends)('a walk that is cut short, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend, { maxScannedEntries: 40 });
    const spokes = Array.from({ length: 60 }, (_, i) => `s${String(i).padStart(2, '0')}`);
    for (const target of spokes)
      await app.call('graph.link', { source: 'hub', relation: 'has', target, confidence: 0.5 });
    await app.call('graph.link', { source: 'hub', relation: 'a', target: 'last' });
  });
  afterAll(() => app.close());

  it('looks at no more edges than it may, and says so', async () => {
    const found = await app.call('graph.neighbors', { entity: 'hub', type: 'agent', direction: 'out' });
    expect(found.truncated).toBe(true);
    expect(found.count).toBeLessThanOrEqual(40);
    expect(found.count).toBeGreaterThan(10);
    const deeper = await app.call('graph.neighbors', { entity: 'hub', depth: 5 });
    expect(deeper.truncated).toBe(true);
    expect(deeper.count).toBeLessThanOrEqual(40);
  });

  it('does not find strong edges behind too many weak ones, and says so', async () => {
    const ask = { entity: 'hub', type: 'agent', direction: 'out', min_confidence: 0.9 } as const;
    expect(await app.call('graph.neighbors', ask)).toMatchObject({ count: 0, truncated: true });
    const { edges, truncated } = await app.call('graph.neighbors', { ...ask, relation: 'a' });
    expect({ found: arrows({ edges }), truncated }).toEqual({ found: ['hub -a-> last'], truncated: false });
  });
});
