import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addReadEdges } from '../../packages/server/src/modules/graph/stored-edges.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { arrows, commitOutcome, entryOf, type Graph, link, one, writeEntries } from './support.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };

describe.each(backends)('what the service links by itself, on %s', (backend) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(backend);
  });
  afterEach(() => app.close());

  const of = (entity: string, more = {}): Promise<Graph> => app.call('graph.neighbors', { entity, ...more }, A);

  it('who writes an entry wrote it, as often as it did', async () => {
    await writeEntries(app, ['svc/k'], A);
    const first = one((await of('agent/a')).edges);
    expect(first).toEqual({
      source: 'agent/a',
      source_type: 'agent',
      relation: 'wrote',
      target: 'svc/k',
      target_type: 'entry',
      confidence: 1,
      evidence_count: 1,
      first_seen: new Date(app.clock.now()).toISOString(),
      last_seen: new Date(app.clock.now()).toISOString(),
      depth: 1,
    });
    app.clock.advance(1000);
    await app.call('entries.write', { entity_path: 'svc', key: 'k', value: 'new' }, A);
    await app.call('entries.write', { entity_path: 'svc', key: 'k', value: 'newer' }, B);
    const { edges } = await of('svc/k');
    expect(arrows({ edges })).toEqual(['agent/b -wrote-> svc/k', 'agent/a -wrote-> svc/k']);
    expect(edges.map(({ evidence_count }) => evidence_count)).toEqual([1, 2]);
    expect(edges[1]).toMatchObject({ first_seen: first.first_seen });
    expect(Date.parse(edges[1]?.last_seen as string)).toBe(app.clock.now());
  });

  it('a write that changes nothing, a refused one and a delete link nothing', async () => {
    await writeEntries(app, ['svc/k'], A);
    await writeEntries(app, ['svc/k'], A);
    const late = { entity_path: 'svc', key: 'k', value: 2, if_version: 9 };
    await expect(app.call('entries.write', late, B)).rejects.toMatchObject({ code: 'version_conflict' });
    await app.call('entries.delete', { entity_path: 'svc', key: 'k' }, B);
    expect(arrows(await of('svc/k'))).toEqual([]);
    expect(arrows(await of('agent/a'))).not.toContain('agent/a -wrote-> svc/k');
    await app.call('entries.restore', { entity_path: 'svc', key: 'k' }, B);
    const edges = (await of('svc/k')).edges.filter(({ source }) => source === 'agent/a');
    expect(arrows({ edges })).toEqual(['agent/a -wrote-> svc/k']);
    expect(edges[0]?.evidence_count).toBe(1);
  });

  it('every version of a batch counts for who wrote it', async () => {
    const writes = [1, 2, 3].map((value) => ({ entity_path: 'svc', key: 'k', value, pattern_refs: ['p', 'p'] }));
    await app.call('commits.create', { writes }, A);
    const both = [A, B].map((as) =>
      app.call('entries.write', { entity_path: 'svc', key: 'x', value: as.agent_id }, as),
    );
    await Promise.all(both);
    const { edges } = await of('svc/k');
    expect(edges.map(({ relation, evidence_count }) => [relation, evidence_count])).toEqual([
      ['references', 3],
      ['wrote', 3],
    ]);
    expect(arrows(await of('svc/x')).sort()).toEqual(['agent/a -wrote-> svc/x', 'agent/b -wrote-> svc/x']);
  });

  it('an entry references its patterns', async () => {
    await writeEntries(app, ['svc/k', 'svc/l'], { ...A, pattern_refs: ['retry', 'backoff'] });
    await writeEntries(app, ['svc/m'], A);
    expect(arrows(await of('retry'))).toEqual(['svc/l -references-> retry', 'svc/k -references-> retry']);
    expect(one((await of('retry', { relation: 'references', limit: 1 })).edges)).toMatchObject({
      source_type: 'entry',
      target_type: 'pattern',
    });
    expect(arrows(await of('svc/m'))).toEqual(['agent/a -wrote-> svc/m']);
  });

  it('who reads an entry has read it, and learned from its author if that was another agent', async () => {
    await writeEntries(app, ['svc/k'], A);
    const entry = await entryOf(app, 'svc/k');
    const read = { ...entry, written_by: 'agent/a' };
    await link(app, (work) =>
      addReadEdges(work, [
        { ...read, agent_id: 'agent/b', count: 2 },
        { ...read, agent_id: 'agent/b', count: 1 },
        { ...read, agent_id: 'agent/a', count: 1 },
      ]),
    );
    expect(arrows(await of('agent/b'))).toEqual(['agent/b -read-> svc/k', 'agent/b -learned_from-> agent/a']);
    expect((await of('agent/b')).edges.map(({ evidence_count }) => evidence_count)).toEqual([3, 3]);
    expect(arrows(await of('agent/a', { direction: 'out' }))).toEqual([
      'agent/a -wrote-> svc/k',
      'agent/a -read-> svc/k',
    ]);
  });

  it('the causes of an outcome informed it; success is surer than failure, and stays', async () => {
    await writeEntries(app, ['svc/k'], A);
    const outcome = { ...A, outcome_ref: 'deploy-7', causes: ['svc/k'] };
    await commitOutcome(app, { ...outcome, outcome_type: 'failure' });
    expect(one((await of('deploy-7')).edges)).toMatchObject({
      source: 'svc/k',
      relation: 'informed',
      target_type: 'outcome',
      confidence: 0.7,
    });
    await commitOutcome(app, outcome);
    await commitOutcome(app, { ...outcome, outcome_type: 'failure' });
    expect(one((await of('deploy-7')).edges)).toMatchObject({ confidence: 1, evidence_count: 3 });
  });

  it('causes that led to one outcome go together, whichever was read first', async () => {
    const names = ['svc/1', 'svc/2', 'svc/3'];
    for (const name of names) await writeEntries(app, [name], A);
    await commitOutcome(app, { ...A, outcome_ref: 'run', causes: names });
    await commitOutcome(app, { ...A, outcome_ref: 'run', causes: [...names].reverse() });
    const { edges } = await of('svc/2', { relation: 'co_occurs_with' });
    expect(arrows({ edges })).toEqual(['svc/2 -co_occurs_with-> svc/3', 'svc/1 -co_occurs_with-> svc/2']);
    expect(edges.map(({ evidence_count }) => evidence_count)).toEqual([2, 2]);
  });

  it('an outcome without causes and a batch without reads link nothing', async () => {
    await link(app, (work) => addReadEdges(work, []));
    await commitOutcome(app, { ...A, outcome_ref: 'run', causes: [] });
    expect(await of('run')).toEqual({ entity: 'run', edges: [], nodes: [], count: 0, truncated: false });
  });

  it('slashes at the ends of a path are taken off, those of other names are not', async () => {
    await writeEntries(app, ['shop/cart/k'], A);
    expect(arrows(await of('/shop/cart/'))).toEqual(['agent/a -wrote-> shop/cart/k']);
    expect(arrows(await of('/shop/cart/k/', { type: 'entry' }))).toEqual(['agent/a -wrote-> shop/cart/k']);
    const edge = {
      source: '/shop/cart/',
      source_type: 'entity',
      relation: 'shown_at',
      target_type: 'outcome',
    } as const;
    const stated = await app.call('graph.link', { ...edge, target: 'https://shop/cart/' }, A);
    expect(stated).toMatchObject({ source: 'shop/cart', target: 'https://shop/cart/' });
    for (const name of ['shop/cart', '/shop/cart/', 'https://shop/cart/'])
      expect(arrows(await of(name))).toContain('shop/cart -shown_at-> https://shop/cart/');
  });

  it('keys with slashes and percent signs are told apart by their names', async () => {
    await app.call('entries.write', { entity_path: 'svc', key: 'a/b', value: 1 }, A);
    await app.call('entries.write', { entity_path: 'svc/a', key: 'b', value: 2 }, B);
    await app.call('entries.write', { entity_path: 'svc', key: '100%', value: 3 }, A);
    expect(arrows(await of('svc/a%2Fb'))).toEqual(['agent/a -wrote-> svc/a%2Fb']);
    expect(arrows(await of('svc/a/b'))).toEqual(['agent/b -wrote-> svc/a/b']);
    expect(arrows(await of('svc/100%25'))).toEqual(['agent/a -wrote-> svc/100%25']);
  });
});
