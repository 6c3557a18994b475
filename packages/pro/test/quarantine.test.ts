import type { EntryKey } from '@mem-service/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const bad = { entity_path: 'deploys/web', key: 'limit' };
const derived = { entity_path: 'plans/web', key: 'rollout' };
const later = { entity_path: 'plans/api', key: 'rollout' };
const good = { entity_path: 'deploys/api', key: 'limit' };

describe.each(backends)('quarantine on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const as = (agent: string, session: string) => ({ agent_id: agent, session_id: session });
  const write = (at: EntryKey, by: object = {}, value: unknown = `value of ${at.key}`) =>
    app.call('entries.write', { ...at, value, ...by });
  const readAs = (at: EntryKey, agent: string, session: string) => app.call('entries.read', at, as(agent, session));
  const read = (at: EntryKey, input = {}) => app.call('entries.read', { ...at, ...input });
  const gone = (at: EntryKey, input = {}) => expect(read(at, input)).rejects.toMatchObject({ code: 'not_found' });

  /** An agent writes something bad; a second one reads it and writes a plan; a third one reads the plan and writes another. */
  async function spread(): Promise<void> {
    await write(good, as('agent/good', 's0'));
    await write(bad, as('agent/bad', 's1'));
    await write(later, as('agent/third', 's3'), 'before it had read anything');
    app.clock.advance(1000);
    await readAs(bad, 'agent/second', 's2');
    await write(derived, as('agent/second', 's2'));
    await app.call('outcomes.commit', {
      ...as('agent/second', 's2'),
      outcome_ref: 'run-1',
      outcome_type: 'success',
    });
    await readAs(derived, 'agent/third', 's3');
    await write(later, as('agent/third', 's3'), 'after that');
  }

  const names = (entries: readonly EntryKey[]) => entries.map(({ entity_path, key }) => `${entity_path}/${key}`);

  it('finds what rests on an entry, an author and a session', async () => {
    await spread();
    const all = ['deploys/web/limit', 'plans/web/rollout', 'plans/api/rollout'];
    for (const target of [bad, { written_by: 'agent/bad' }, { written_by: 'agent/bad', in_session: 's1' }]) {
      const found = await app.call('quarantine.trace', target);
      expect(names(found.entries)).toEqual(all);
      expect(found.entries.map(({ depth }) => depth)).toEqual([0, 1, 2]);
      expect(found).toMatchObject({ entries_found: 3, hidden: 0, complete: true, has_more: false });
      expect(found.decisions).toMatchObject([
        { outcome_ref: 'run-1', outcome_type: 'success', agent_id: 'agent/second' },
      ]);
    }
    const near = await app.call('quarantine.trace', { ...bad, depth: 1 });
    expect(names(near.entries)).toEqual(all.slice(0, 2));
    const there = await app.call('quarantine.trace', { ...bad, within: 'plans/**' });
    expect(names(there.entries)).toEqual(all.slice(1));
  });

  it('gives what it found in pages', async () => {
    await spread();
    const first = await app.call('quarantine.trace', { ...bad, limit: 2 });
    expect(first).toMatchObject({ entries: [{ key: 'limit' }, { key: 'rollout' }], has_more: true });
    const next = await app.call('quarantine.trace', { ...bad, limit: 2, cursor: first.next_cursor ?? '' });
    expect(names(next.entries)).toEqual(['plans/api/rollout']);
    expect(next).toMatchObject({ decisions: [], has_more: false });
  });

  it('takes entries out of reads, and undoing it brings them back as they were', async () => {
    await spread();
    const before = await read(bad);
    const stats = await app.call('stats.read', {});
    const { quarantine_id } = await app.call('quarantine.create', { ...bad, reason: 'a bad import' });
    for (const at of [bad, derived, later]) await gone(at);
    await gone(bad, { version: 1 });
    expect(await read(good)).toMatchObject({ value: 'value of limit' });
    const listed = await app.call('entries.list', {});
    expect(names(listed.entries)).toEqual(['deploys/api/limit']);
    const searched = await app.call('entries.search', { query: 'rollout limit' });
    expect(names(searched.entries)).toEqual(['deploys/api/limit']);
    expect(await app.call('stats.read', {})).toMatchObject({ total_entries: 1 });
    const { quarantines } = await app.call('quarantine.list', { status: 'active' });
    expect(quarantines).toMatchObject([{ quarantine_id, reason: 'a bad import', entries: 3, decisions: 1 }]);
    const held = await app.call('quarantine.read', { quarantine_id });
    expect(held.entries).toMatchObject([{ ...bad, depth: 0, quarantined: true }, derived, later]);
    expect(await app.call('quarantine.undo', { quarantine_id })).toMatchObject({ status: 'undone', entries: 3 });
    expect(await read(bad)).toMatchObject({ ...before, recall_count: expect.any(Number) });
    expect(await app.call('stats.read', {})).toEqual({ ...stats, last_seq: expect.any(Number) });
    expect(names((await app.call('entries.search', { query: 'rollout' })).entries).sort()).toEqual(
      ['plans/api/rollout', 'plans/web/rollout'].sort(),
    );
  });

  it('shows them where they are asked for, and marks them', async () => {
    await spread();
    await app.call('quarantine.create', bad);
    expect(await read(bad, { include_quarantined: true })).toMatchObject({
      value: 'value of limit',
      quarantined: true,
    });
    expect(await read(bad, { include_quarantined: true, version: 1 })).toMatchObject({ value: 'value of limit' });
    const listed = await app.call('entries.list', { include_quarantined: true });
    expect(listed.entries.map(({ quarantined }) => quarantined ?? false)).toEqual([false, true, true, true]);
    const meta = await app.call('entries.list', { include_quarantined: true, fields: 'meta' });
    expect(meta.entries.map(({ quarantined }) => quarantined ?? false)).toEqual([false, true, true, true]);
    const found = await app.call('entries.search', { query: 'rollout', include_quarantined: true });
    expect(found.entries.map(({ quarantined }) => quarantined)).toEqual([true, true]);
    const filtered = await app.call('entries.search', { entity_path: 'plans/**', include_quarantined: true });
    expect(filtered.entries).toHaveLength(2);
    expect(await app.call('entries.history', bad)).toMatchObject({ quarantined: true, versions: [{ version: 1 }] });
    expect(await app.call('entries.verify', {})).toMatchObject({ corrupted: [], chain_breaks: [] });
    expect(await app.call('entries.history', good)).not.toHaveProperty('quarantined');
  });

  it('holds what a source sent, and takes nothing more for it', async () => {
    const send = (n: number) =>
      app.call('events.send', {
        source: 'ci',
        event_type: 'build',
        id: `build-${n}`,
        entity_path: bad.entity_path,
        key: bad.key,
        value: { n },
      } as never);
    await send(1);
    const found = await app.call('quarantine.trace', { source: 'ci' });
    expect(found).toMatchObject({ entries_found: 1, entries: [{ agent_id: 'external/ci', depth: 0 }] });
    await app.call('quarantine.create', { source: 'ci' });
    await expect(send(2)).rejects.toMatchObject({ code: 'entry_quarantined' });
  });

  it('tells the log and the timeline of the author', async () => {
    await spread();
    const { quarantine_id } = await app.call('quarantine.create', { ...bad, depth: 0 });
    await app.call('quarantine.undo', { quarantine_id });
    const { events } = await app.call('log.list', { limit: 100 });
    const logged = events.filter(({ event_type }) => /quarantine|released/.test(event_type));
    expect(logged).toMatchObject([
      { event_type: 'entry_quarantined', ...bad, version: 1, agent_id: 'agent/bad', details: { quarantine_id } },
      { event_type: 'quarantine', entity_path: null, agent_id: 'agent/test', details: { entries: 1 } },
      { event_type: 'entry_released', ...bad },
      { event_type: 'quarantine_undone' },
    ]);
    const timeline = await app.call('agents.timeline', { agent_id: 'agent/bad' });
    expect(timeline.events.map(({ event_type }) => event_type)).toContain('entry_quarantined');
  });

  it('leaves them out of questions, aggregates, the graph and briefings', async () => {
    await spread();
    const shown = async () => {
      const answers = [
        await app.call('entries.retrieve', { query: 'which plans are there?' }),
        await app.call('graph.neighbors', { entity: 'plans/web' }),
        await app.call('briefing.read', {}),
        await app.call('entries.list', { entity_path: 'plans/**' }),
      ];
      return answers.map((answer) => JSON.stringify(answer).includes('rollout'));
    };
    const counted = async () => JSON.stringify(await app.call('entries.aggregate', { entity_path: '*', op: 'count' }));
    const before = [await shown(), await counted()];
    const { quarantine_id } = await app.call('quarantine.create', bad);
    expect(await shown()).toEqual([false, false, false, false]);
    expect(await counted()).not.toBe(before[1]);
    const { entities } = await app.call('entities.list', {});
    expect(entities.map(({ entity_path }) => entity_path)).toEqual(['deploys/api']);
    await app.call('quarantine.undo', { quarantine_id });
    expect([await shown(), await counted()]).toEqual(before);
  });

  it('refuses to write to them, and an entry is in one quarantine only', async () => {
    await spread();
    const first = await app.call('quarantine.create', { ...bad, depth: 0 });
    await expect(write(bad)).rejects.toMatchObject({ code: 'entry_quarantined' });
    await expect(app.call('entries.delete', bad)).rejects.toMatchObject({ code: 'not_found' });
    expect(await app.call('quarantine.create', { ...bad, depth: 0 })).toMatchObject({ entries: 0 });
    const second = await app.call('quarantine.create', bad);
    expect(second).toMatchObject({ entries: 2 });
    await app.call('quarantine.undo', { quarantine_id: second.quarantine_id });
    await gone(bad);
    await app.call('quarantine.undo', { quarantine_id: first.quarantine_id });
    await write(bad, {}, 'mended');
    expect(await read(bad)).toMatchObject({ value: 'mended', version: 2 });
  });
});
