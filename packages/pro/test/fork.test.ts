import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

describe.each(backends)('a fork on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const write = (entity_path: string, value: unknown, more: object = {}) =>
    app.call('entries.write', { entity_path, key: 'k', value, agent_id: 'one', ...more });
  const fork = (input: object) => app.call('fork.run', { agent_id: 'one', target_agent_id: 'two', ...input } as never);

  it('copies what an agent wrote, shared and private, and nothing of others', async () => {
    await write('a', { n: 1 }, { confidence: 0.4, memory_type: 'belief', pattern_refs: ['p'] });
    await write('a/b', 2, { shared: false });
    await write('c', 3, { agent_id: 'other' });
    await write('gone', 4);
    await app.call('entries.delete', { entity_path: 'gone', key: 'k', agent_id: 'one' });
    expect(await fork({})).toEqual({
      agent_id: 'one',
      target_agent_id: 'two',
      branch: 'main',
      into: 'forks/two',
      entries_copied: 2,
      entries_skipped: 0,
    });
    expect(await app.call('entries.read', { entity_path: 'forks/two/a', key: 'k' }, { agent_id: 'two' })).toMatchObject(
      {
        value: { n: 1 },
        version: 1,
        confidence: 0.4,
        memory_type: 'belief',
        shared: true,
        outcome_count: 0,
        provenance: { agent_id: 'two', session_id: null, pattern_refs: ['p'] },
      },
    );
    const secret = { entity_path: 'forks/two/a/b', key: 'k' };
    expect(await app.call('entries.read', secret, { agent_id: 'two' })).toMatchObject({ value: 2, shared: false });
    expect(await refusal(app.call('entries.read', secret, { agent_id: 'one' }))).toMatchObject({ code: 'not_found' });
    expect(await app.call('entries.read', { entity_path: 'a', key: 'k' })).toMatchObject({
      provenance: { agent_id: 'one' },
    });
  });

  it('copies to a path, from a path, and touches nothing that is there', async () => {
    await write('a', 1);
    await write('b', 1);
    await write('x/a', 'taken', { agent_id: 'other' });
    expect(await fork({ into: 'x', entity_path: 'a' })).toMatchObject({ entries_copied: 0, entries_skipped: 1 });
    expect(await fork({ into: 'x', entity_path: 'b' })).toMatchObject({ entries_copied: 1, entries_skipped: 0 });
    expect(await app.call('entries.read', { entity_path: 'x/a', key: 'k' })).toMatchObject({ value: 'taken' });
  });

  it('is refused to the same agent, to a sender of events, and where a path would be too long', async () => {
    await write('a', 1);
    expect(await refusal(fork({ target_agent_id: 'one' }))).toMatchObject({ code: 'invalid_input' });
    expect(await refusal(fork({ target_agent_id: 'webhook/x' }))).toMatchObject({ code: 'invalid_input' });
    expect(await refusal(fork({ into: 'x'.repeat(511) }))).toMatchObject({ code: 'invalid_input' });
  });

  it('stands in the log and on the timeline', async () => {
    await write('a', 1);
    await fork({});
    const { events } = await app.call('log.list', {});
    expect(events.at(-1)).toMatchObject({ event_type: 'fork', agent_id: 'one', details: { entries: 1 } });
    const timeline = await app.call('agents.timeline', { agent_id: 'one' });
    expect(timeline.events.map(({ summary }) => summary)).toContain('Forked 1 entry to two');
    const { agents } = await app.call('agents.list', {});
    expect(agents.map(({ agent_id, entries_written }) => ({ agent_id, entries_written }))).toContainEqual({
      agent_id: 'two',
      entries_written: 1,
    });
  });

  it('of many entries copies all of them', async () => {
    const writes = Array.from({ length: 450 }, (_, i) => ({ entity_path: 'many', key: `k${i}`, value: i }));
    await app.call('commits.create', { writes, agent_id: 'one' });
    expect(await fork({})).toMatchObject({ entries_copied: 450 });
    const { entries } = await app.call('entries.list', { agent_id: 'two', limit: 1000 });
    expect(entries.length).toBe(450);
  });

  it('on a branch stays on the branch', async () => {
    await write('a', 1);
    await app.call('branches.create', { name: 'trial' });
    await write('b', 1, { branch: 'trial' });
    expect(await fork({ branch: 'trial' })).toMatchObject({ entries_copied: 2, branch: 'trial' });
    expect((await app.call('entries.list', { agent_id: 'two' })).entries).toEqual([]);
    expect((await app.call('entries.list', { agent_id: 'two', branch: 'trial' })).entries.length).toBe(2);
  });
});
