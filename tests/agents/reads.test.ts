import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusal } from '../entries/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { write, X, Y } from './support.ts';

type PutOptions = { agent_id: string; ttl_seconds?: number; shared?: boolean };

describe.each(backends)('what an agent recalls on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());
  const put = (key: string, value: unknown, { ttl_seconds, shared, ...as }: PutOptions) =>
    app.call('entries.write', { entity_path: 'svc', key, value, ttl_seconds, shared }, as);
  const recall = (key: string, as: object, input: object = {}) =>
    app.call('agents.recall', { entity_path: 'svc', key, ...input }, as);

  it('is the entry as it stands, where it wrote the current version', async () => {
    await put('mine', 'said by x', X);
    expect(await recall('mine', X)).toEqual(await app.call('entries.read', { entity_path: 'svc', key: 'mine' }, X));
  });

  it('is its own newest version, where others wrote later ones', async () => {
    await put('shared', 'x first', X);
    await put('shared', 'x again', X);
    await put('shared', 'y now', Y);
    const found = await recall('shared', X);
    expect(found).toMatchObject({ version: 2, value: 'x again', provenance: { agent_id: 'agent/x' } });
    expect(found).not.toHaveProperty('outcome_count');
    expect(await recall('shared', X, Y)).toMatchObject({ version: 3, value: 'y now', outcome_count: 0 });
  });

  it('is not found where the agent never wrote the entry', async () => {
    await put('of-y', 1, Y);
    expect(await refusal(recall('of-y', X))).toMatchObject({ code: 'not_found', entity_path: 'svc', key: 'of-y' });
    expect(await refusal(recall('nothing', X))).toMatchObject({ code: 'not_found' });
  });

  it('ends when any agent deletes the entry, and does not come back with a new one', async () => {
    await put('deleted', 'by x', X);
    await app.call('entries.delete', { entity_path: 'svc', key: 'deleted' }, Y);
    expect(await refusal(recall('deleted', X))).toMatchObject({ code: 'not_found' });
    await put('deleted', 'anew by y', Y);
    expect(await refusal(recall('deleted', X))).toMatchObject({ code: 'not_found' });
    await put('deleted', 'anew by x', X);
    expect(await recall('deleted', X)).toMatchObject({ value: 'anew by x' });
  });

  it('ends when it expires, before the sweep and after it', async () => {
    await put('short', 'by x', { ...X, ttl_seconds: 1 });
    await put('short', 'by y', Y);
    await put('all-short', 'by x', X);
    await put('all-short', 'by y', { ...Y, ttl_seconds: 1 });
    app.clock.advance(5000);
    for (const key of ['short', 'all-short'])
      expect(await refusal(recall(key, X))).toMatchObject({ code: 'not_found' });
    expect(await recall('short', Y)).toMatchObject({ value: 'by y' });
    await app.jobs.sweep();
    for (const key of ['short', 'all-short'])
      expect(await refusal(recall(key, X))).toMatchObject({ code: 'not_found' });
  });

  it('is for others only what was shared', async () => {
    await put('half', 'told to all', X);
    await put('half', 'kept back', { ...X, shared: false });
    expect(await recall('half', X)).toMatchObject({ value: 'kept back' });
    expect(await recall('half', Y, X)).toMatchObject({ value: 'told to all', version: 1 });
    await app.call('entries.delete', { entity_path: 'svc', key: 'half' }, X);
    expect(await recall('half', Y, X), 'who may not see it learns nothing of its end').toMatchObject({ version: 1 });
    await put('hidden', 'kept back', { ...X, shared: false });
    expect(await refusal(recall('hidden', Y, X))).toMatchObject({ code: 'not_found' });
  });
});

describe.each(backends)('what an agent reads of another on %s', (backend) => {
  let app: TestApp;
  const reader = { agent_id: 'agent/reader', session_id: 'sess-1' };
  beforeAll(async () => {
    app = await openTestApp(backend);
    await write(app, { entity_path: 'team/a', key: 'plan' }, X);
    await write(app, { entity_path: 'team/a', key: 'plan', value: 'changed by y' }, Y);
    await write(app, { entity_path: 'team/a', key: 'slash/ed % key' }, X);
    await write(app, { entity_path: 'team/b', key: 'note' }, Y);
    await app.call('entries.write', { entity_path: 'team/a', key: 'secret', value: 1, shared: false }, X);
  });
  afterAll(() => app.close());
  const readFrom = (source_agent_id: string, entity_path: string, key: string) =>
    app.call('agents.read_from', { source_agent_id, entity_path, key }, reader);
  const timelineOf = async (agent_id: string, as: object = reader) =>
    (await app.call('agents.timeline', { agent_id, event_type: ['cross_agent_read'] }, as)).events;

  it('is the newest version that the other one wrote', async () => {
    expect(await readFrom('agent/x', 'team/a', 'plan')).toMatchObject({ version: 1, value: 'plan' });
    expect(await readFrom('agent/y', 'team/a', 'plan')).toMatchObject({ version: 2, value: 'changed by y' });
    for (const [author, key] of [
      ['agent/x', 'secret'],
      ['agent/x', 'nothing'],
      ['agent/nobody', 'plan'],
    ] as const)
      expect(await refusal(readFrom(author, 'team/a', key))).toMatchObject({ code: 'not_found', key });
  });

  it('is on both timelines', async () => {
    await readFrom('agent/x', 'team/a', 'slash/ed % key');
    const [own] = await timelineOf('agent/reader');
    expect(own).toMatchObject({ summary: 'Read team/a/slash/ed % key v1 of agent/x', actor_agent_id: null });
    const [inbound] = await timelineOf('agent/x');
    expect(inbound).toMatchObject({
      summary: 'agent/reader read team/a/slash/ed % key v1',
      ...asActor('agent/reader'),
    });
  });
  const asActor = (actor_agent_id: string) => ({ actor_agent_id });

  it('is noted for the reader that the address names', async () => {
    const input = { agent_id: 'agent/named', source_agent_id: 'agent/y', entity_path: 'team/b', key: 'note' };
    await app.call('agents.read_from', input, { session_id: 'sess-2' });
    const events = await timelineOf('agent/named', { session_id: 'sess-2' });
    expect(events.map(({ summary }) => summary)).toEqual(['Read team/b/note v1 of agent/y']);
  });

  it('is counted by author', async () => {
    await readFrom('agent/y', 'team/b', 'note');
    await app.call('entries.read', { entity_path: 'team/b', key: 'note' }, { ...reader, session_id: 'sess-3' });
    await app.call('agents.timeline', { agent_id: 'agent/reader' }, { ...reader, session_id: 'sess-3' });
    const found = await app.call('agents.cross_agent_reads', { agent_id: 'agent/reader' }, reader);
    expect(found).toMatchObject({ agent_id: 'agent/reader', truncated: false });
    expect(found.agents_read_from.sort()).toEqual(['agent/x', 'agent/y']);
    expect(found.reads_from['agent/x']).toEqual([{ entity_path: 'team/a', key: 'slash/ed % key', read_count: 1 }]);
    expect(found.reads_from['agent/y']).toEqual([
      { entity_path: 'team/b', key: 'note', read_count: 2 },
      { entity_path: 'team/a', key: 'plan', read_count: 2 },
    ]);
    expect(found.total_cross_agent_reads).toBe(5);
  });

  it('is empty for an agent that read nothing', async () => {
    expect(await app.call('agents.cross_agent_reads', { agent_id: 'agent/x' }, Y)).toEqual({
      agent_id: 'agent/x',
      reads_from: {},
      agents_read_from: [],
      total_cross_agent_reads: 0,
      truncated: false,
    });
  });
});

describe.each(backends)('the memory graph of an agent on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    await write(app, { entity_path: 'svc/pay', key: 'old' }, X);
    await write(app, { entity_path: 'svc/pay', key: 'taken' }, X);
    await write(app, { entity_path: 'svc/pay', key: 'taken', value: 'by y now' }, Y);
    await write(app, { entity_path: 'svc/cart', key: 'new' }, X);
    await write(app, { entity_path: 'svc/cart', key: 'gone' }, X);
    await app.call('entries.delete', { entity_path: 'svc/cart', key: 'gone' }, X);
    await app.call('entries.write', { entity_path: 'svc/pay', key: 'secret', value: 1, shared: false }, X);
    for (const key of ['old', 'taken']) await app.call('entries.read', { entity_path: 'svc/pay', key }, X);
    await app.call('entries.read', { entity_path: 'svc/pay', key: 'secret' }, X);
    // Its own reads are connected to an agent when the session is sealed.
    await app.call('outcomes.commit', { outcome_ref: 'done', outcome_type: 'success' }, X);
  });
  afterAll(() => app.close());
  const graph = (agent_id: string, as: object) => app.call('agents.memory_graph', { agent_id }, as);

  it('has what it wrote and read, by path', async () => {
    const { nodes, ...rest } = await graph('agent/x', X);
    expect(rest).toMatchObject({ agent_id: 'agent/x', total_written: 3, total_reads: 3, truncated: false });
    expect(rest.cross_agent_reads).toEqual({ 'agent/y': [{ entity_path: 'svc/pay', key: 'taken', read_count: 1 }] });
    expect(nodes.map(({ entity_path }) => entity_path)).toEqual(['svc/cart', 'svc/pay']);
    expect(nodes[1]?.written_entries.map(({ key }) => key)).toEqual(['secret', 'old']);
    expect(nodes[1]?.written_entries[1]).toEqual({
      key: 'old',
      version: 1,
      confidence: expect.closeTo(0.7293, 4),
      memory_type: 'fact',
      written_at: expect.any(String),
      recall_count: expect.any(Number),
    });
    expect(nodes[1]?.read_counts).toEqual({ old: 1, taken: 1, secret: 1 });
  });

  it('shows others nothing of what is not shared, in its numbers neither', async () => {
    const seen = await graph('agent/x', Y);
    expect(JSON.stringify(seen)).not.toContain('secret');
    expect(seen).toMatchObject({ total_written: 2, total_reads: 2 });
  });

  it('has no entry that was deleted, until it is restored', async () => {
    const entry = { entity_path: 'svc/pay', key: 'taken' };
    await app.kernel.services.noteBuffer.flushAll();
    const before = await graph('agent/x', X);
    await app.call('entries.delete', entry, Y);
    const seen = await graph('agent/x', X);
    expect(JSON.stringify(seen)).not.toContain('taken');
    expect(seen).toMatchObject({ total_reads: 2, cross_agent_reads: {} });
    await app.call('entries.restore', { ...entry, version: 1 }, Y);
    expect((await graph('agent/x', X)).nodes).toEqual(before.nodes);
  });

  it('of an unknown agent is empty', async () => {
    expect(await graph('agent/nobody', X)).toEqual({
      agent_id: 'agent/nobody',
      nodes: [],
      total_written: 0,
      total_reads: 0,
      total_recalls: 0,
      cross_agent_reads: {},
      truncated: false,
    });
  });

  it('ends after the newest thousand entries, and says so', async () => {
    const as = { agent_id: 'agent/busy' };
    for (const half of [0, 1]) {
      const writes = Array.from({ length: 501 }, (_, i) => ({ entity_path: `busy/${half}`, key: `k${i}`, value: i }));
      await app.call('commits.create', { writes }, as);
    }
    const { nodes, total_written, truncated } = await graph('agent/busy', as);
    expect({ total_written, truncated }).toEqual({ total_written: 1002, truncated: true });
    expect(nodes.map(({ written_entries }) => written_entries.length)).toEqual([499, 501]);
  });
});
