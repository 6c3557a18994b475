import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { follow, iso } from './support.ts';

describe.each(backends)('entities, patterns and statistics on %s', (backend) => {
  let app: TestApp;
  let start: number;
  const other = { agent_id: 'agent/other' };

  beforeAll(async () => {
    app = await openTestApp(backend);
    start = app.clock.now();
    const write = async (entity_path: string, key: string, more: object = {}) => {
      await app.call('entries.write', { entity_path, key, value: key, ...more });
      app.clock.advance(1000);
    };
    await write('n/a', '1', { confidence: 0.2, pattern_refs: ['p', 'q', 'p'] });
    await write('n/a', '2', { confidence: 0.4, agent_id: 'agent/two', pattern_refs: ['q'] });
    await write('n/a/b', '3', { memory_type: 'belief' });
    await write('n/a', 'private', { confidence: 0.9, shared: false, pattern_refs: ['q', 'mine'] });
    await write('n/mine', 'private', { shared: false, memory_type: 'procedure' });
  });
  afterAll(() => app.close());

  it('an entity has the count, trust and last change of what the caller may see', async () => {
    expect((await app.call('entities.list', {}, other)).entities).toEqual([
      {
        entity_path: 'n/a',
        entry_count: 2,
        avg_confidence: 0.3,
        last_updated: iso(start + 1000),
        last_agent: 'agent/two',
      },
      {
        entity_path: 'n/a/b',
        entry_count: 1,
        avg_confidence: 0.7,
        last_updated: iso(start + 2000),
        last_agent: 'agent/test',
      },
    ]);
    expect((await app.call('entities.list', {})).entities).toEqual([
      {
        entity_path: 'n/a',
        entry_count: 3,
        avg_confidence: 0.5,
        last_updated: iso(start + 3000),
        last_agent: 'agent/test',
      },
      {
        entity_path: 'n/a/b',
        entry_count: 1,
        avg_confidence: 0.7,
        last_updated: iso(start + 2000),
        last_agent: 'agent/test',
      },
      {
        entity_path: 'n/mine',
        entry_count: 1,
        avg_confidence: 0.7,
        last_updated: iso(start + 4000),
        last_agent: 'agent/test',
      },
    ]);
  });

  it.each([
    ['n/a', ['n/a']],
    ['n/*', ['n/a', 'n/mine']],
    ['n/a/**', ['n/a/b']],
    ['*', ['n/a', 'n/a/b', 'n/mine']],
    ['n', []],
  ])('entities are filtered by the glob %s', async (entity_path, expected) => {
    const { entities } = await app.call('entities.list', { entity_path });
    expect(entities.map((entity) => entity.entity_path)).toEqual(expected);
  });

  it('a reference counts once an entry, private ones for their author alone', async () => {
    expect((await app.call('patterns.list', {}, other)).patterns).toEqual([
      { pattern_ref: 'p', usage_count: 1, last_used: iso(start) },
      { pattern_ref: 'q', usage_count: 2, last_used: iso(start + 1000) },
    ]);
    const own = await follow((cursor) => app.call('patterns.list', { limit: 1, cursor }));
    expect(own.flatMap((page) => page.patterns)).toEqual([
      { pattern_ref: 'mine', usage_count: 1, last_used: iso(start + 3000) },
      { pattern_ref: 'p', usage_count: 1, last_used: iso(start) },
      { pattern_ref: 'q', usage_count: 3, last_used: iso(start + 3000) },
    ]);
  });

  it('statistics are of what the caller may see', async () => {
    expect(await app.call('stats.read', {}, other)).toEqual({
      total_entries: 3,
      total_entities: 2,
      total_agents: 2,
      total_patterns: 2,
      confidence_avg: 0.433333,
      memory_type_counts: { fact: 2, belief: 1 },
      oldest_entry_at: iso(start),
      newest_entry_at: iso(start + 2000),
      last_seq: 5,
      retrieval: expect.objectContaining({ golden_queries: 0, recall_at_10: null, weights: 'default' }),
    });
    expect(await app.call('stats.read', {})).toMatchObject({
      total_entries: 5,
      total_entities: 3,
      total_patterns: 3,
      memory_type_counts: { fact: 3, belief: 1, procedure: 1 },
      newest_entry_at: iso(start + 4000),
    });
  });

  it('an entry that becomes private is counted for its author alone, and back', async () => {
    const at = { entity_path: 'n/flip', key: 'k', value: 1 };
    const counted = async (as?: object) =>
      (await app.call('entities.list', { entity_path: 'n/flip' }, as)).entities.map((entity) => entity.entry_count);
    await app.call('entries.write', at);
    expect([await counted(), await counted(other)]).toEqual([[1], [1]]);
    await app.call('entries.write', { ...at, shared: false });
    expect([await counted(), await counted(other)]).toEqual([[1], []]);
    await app.call('entries.write', { ...at, shared: true });
    expect([await counted(), await counted(other)]).toEqual([[1], [1]]);
  });

  it('the time of a private write is not the last change that others see', async () => {
    const at = { entity_path: 'n/last', value: 1 };
    const lastChange = async () =>
      (await app.call('entities.list', { entity_path: 'n/last' }, other)).entities.map((one) => one.last_updated);
    await app.call('entries.write', { ...at, key: 'stays' });
    await app.call('entries.write', { ...at, key: 'hides' });
    const before = await lastChange();
    app.clock.advance(5_000);
    await app.call('entries.write', { ...at, key: 'hides', shared: false });
    expect(await lastChange()).toEqual(before);
  });
});
