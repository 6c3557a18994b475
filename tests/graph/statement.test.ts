import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../entries/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { arrows, one, writeEntries } from './support.ts';

const A = { agent_id: 'agent/a', session_id: 'sess-1' };
const B = { agent_id: 'agent/b' };

describe.each(backends)('an edge that a caller states, on %s', (backend) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(backend);
  });
  afterEach(() => app.close());

  const eventsSeenBy = async (as: { agent_id: string }) =>
    (await app.call('log.list', {}, as)).events.filter(({ event_type }) => event_type === 'edge_added');

  it('is there for everyone, and in the log', async () => {
    const stated = await app.call('graph.link', { source: 'agent/a', relation: 'reports_to', target: 'agent/boss' }, A);
    const edge = {
      source: 'agent/a',
      source_type: 'agent',
      relation: 'reports_to',
      target: 'agent/boss',
      target_type: 'agent',
      confidence: 1,
      evidence_count: 1,
    };
    expect(stated).toMatchObject({
      ...edge,
      shared: true,
      branch: 'main',
      edge_id: expect.stringMatching(/^[\w-]{22}$/),
    });
    expect(one((await app.call('graph.neighbors', { entity: 'agent/boss' }, B)).edges)).toMatchObject(edge);
    const { evidence_count: _, ...rest } = edge;
    expect(one(await eventsSeenBy(B))).toMatchObject({
      agent_id: 'agent/a',
      seq: stated.seq,
      details: { ...rest, edge_id: stated.edge_id },
    });
  });

  it('counts once more when it is stated again, by whomever, and keeps the higher confidence', async () => {
    const edge = { source: 'a', relation: 'likes', target: 'b' };
    const first = await app.call('graph.link', { ...edge, confidence: 0.8 }, A);
    app.clock.advance(5000);
    const second = await app.call('graph.link', { ...edge, confidence: 0.3 }, B);
    expect(second).toMatchObject({ evidence_count: 2, confidence: 0.8, first_seen: first.first_seen });
    expect(Date.parse(second.last_seen)).toBe(app.clock.now());
    expect(second.edge_id).toBe(first.edge_id);
    expect((await app.call('graph.link', { ...edge, relation: 'knows' }, A)).edge_id).not.toBe(first.edge_id);
    expect(await eventsSeenBy(A)).toHaveLength(3);
  });

  it('may be private to its agent', async () => {
    const edge = { source: 'agent/a', relation: 'doubts', target: 'agent/b', shared: false };
    expect(await app.call('graph.link', edge, A)).toMatchObject({ shared: false, evidence_count: 1 });
    expect(arrows(await app.call('graph.neighbors', { entity: 'agent/b' }, A))).toHaveLength(1);
    expect(arrows(await app.call('graph.neighbors', { entity: 'agent/b' }, B))).toEqual([]);
    expect(await eventsSeenBy(B)).toEqual([]);
    expect(await app.call('graph.link', { ...edge, shared: true }, B)).toMatchObject({ evidence_count: 1 });
  });

  it('may be stated in the name of another agent', async () => {
    const edge = { source: 'x', relation: 'r', target: 'y', shared: false, agent_id: 'agent/b', session_id: 'sess-9' };
    await app.call('graph.link', edge, A);
    expect((await app.call('graph.neighbors', { entity: 'x' }, B)).count).toBe(1);
    expect((await app.call('graph.neighbors', { entity: 'x' }, A)).count).toBe(0);
    expect(one(await eventsSeenBy(B))).toMatchObject({ agent_id: 'agent/b' });
  });

  it('may end at an entry that is there for the agent', async () => {
    await writeEntries(app, ['svc/a%2Fb'], A);
    await writeEntries(app, ['svc/secret'], { ...A, shared: false });
    const edge = { source: 'svc/a%2Fb', source_type: 'entry', relation: 'explains', target: 'outage-3' } as const;
    expect(await app.call('graph.link', { ...edge, target_type: 'outcome' }, B)).toMatchObject(edge);
    expect(arrows(await app.call('graph.neighbors', { entity: 'svc', relation: 'explains' }, A))).toEqual([
      'svc/a%2Fb -explains-> outage-3',
    ]);
    const secret = { source: 'x', relation: 'r', target: 'svc/secret', target_type: 'entry' } as const;
    expect(await app.call('graph.link', secret, A)).toMatchObject({ shared: false });
    for (const target of ['svc/secret', 'svc/none', 'none', 'svc/', '/svc'])
      expect(await refusal(app.call('graph.link', { ...secret, target }, B))).toMatchObject({
        code: 'invalid_input',
        errors: [{ path: 'target', message: expect.stringContaining('names no entry') }],
      });
    await app.call('entries.delete', { entity_path: 'svc', key: 'a/b' }, A);
    expect(await refusal(app.call('graph.link', edge, B))).toMatchObject({ errors: [{ path: 'source' }] });
  });

  /** Varied letters, because PostgreSQL would compress a repeated one. */
  const letters = (count: number, seed: number) =>
    String.fromCodePoint(...Array.from({ length: count }, (_, i) => 0x4e00 + ((i * 7919 + seed) % 15_013)));

  it('holds the longest names there are', async () => {
    const [agent_id, relation] = [letters(85, 1), letters(21, 2)];
    const ends = { source: letters(300, 3), target: letters(300, 4) };
    await app.call('graph.link', { ...ends, relation, shared: false, agent_id });
    const found = await app.call('graph.neighbors', { entity: ends.target }, { agent_id });
    expect(one(found.edges)).toMatchObject({ ...ends, relation });
    const long = { source: letters(301, 3), relation, target: 'b' };
    expect(await refusal(app.call('graph.link', long))).toMatchObject({ errors: [{ path: 'source' }] });
    const [entity_path, key] = [letters(512, 5), letters(256, 6)];
    for (const path of [entity_path, letters(512, 7)])
      await app.call('entries.write', { entity_path: path, key, value: 1, pattern_refs: [letters(85, 8)], agent_id });
    const pair = { source: `${entity_path}/${key}`, target: `${letters(512, 7)}/${key}`, relation };
    const types = { source_type: 'entry', target_type: 'entry' } as const;
    await app.call('graph.link', { ...pair, ...types, agent_id });
    const of = await app.call('graph.neighbors', { entity: pair.source });
    expect(of.edges.map((edge) => edge.relation).sort()).toEqual(['references', 'wrote', relation].sort());
    expect(of.edges).toContainEqual(expect.objectContaining({ ...pair, ...types }));
  });

  it.each([
    { relation: 'a,b' },
    { relation: '' },
    { relation: 'r'.repeat(65) },
    { confidence: 1.1 },
    { source_type: 'robot' },
    { target: '' },
    { target: 'a\u0000b' },
    { shared: 'no' },
  ])('is refused with %o', async (wrong) => {
    const edge = { source: 'a', relation: 'r', target: 'b', ...wrong };
    const field = Object.keys(wrong)[0] as string;
    expect(await refusal(app.call('graph.link', edge as never))).toMatchObject({
      code: 'invalid_input',
      errors: [{ path: field }],
    });
  });

  it.each([
    { relation: ',,,,,,,,' },
    { depth: 0 },
    { depth: 6 },
    { limit: 0 },
    { limit: 1001 },
    { direction: 'up' },
    { min_confidence: -1 },
    { type: 'robot' },
    { entity: '' },
  ])('a walk is refused with %o', async (wrong) => {
    expect(await refusal(app.call('graph.neighbors', { entity: 'a', ...wrong } as never))).toMatchObject({
      code: 'invalid_input',
      errors: [{ path: Object.keys(wrong)[0] }],
    });
  });
});
