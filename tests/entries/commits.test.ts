import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { countRows, follow, refusal } from './support.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe.each(backends)('commits on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const lastSeq = async () => (await app.call('stats.read', {})).last_seq;

  it('writes many entries under one commit id', async () => {
    const commit = await app.call(
      'commits.create',
      {
        message: 'lessons',
        writes: [
          { entity_path: 'c/a', key: '1', value: 'one', confidence: 0.5, pattern_refs: ['p'] },
          { entity_path: 'c/b', key: '2', value: { two: 2 }, memory_type: 'belief', ttl_seconds: 60 },
        ],
      },
      { session_id: 'sess-1' },
    );
    expect(commit).toMatchObject({
      message: 'lessons',
      author_agent_id: 'agent/test',
      session_id: 'sess-1',
      branch: 'main',
      entries_written: 2,
      seq: await lastSeq(),
      entries: [
        { entity_path: 'c/a', key: '1', version: 1, content_hash: sha256('"one"') },
        { entity_path: 'c/b', key: '2', version: 1, content_hash: sha256('{"two":2}') },
      ],
      stale_reads: [],
    });
    const one = await app.call('entries.read', { entity_path: 'c/a', key: '1' });
    expect(one).toMatchObject({ commit_id: commit.commit_id, confidence: 0.5, provenance: { session_id: 'sess-1' } });
    const two = await app.call('entries.read', { entity_path: 'c/b', key: '2' });
    expect(two).toMatchObject({ commit_id: commit.commit_id, memory_type: 'belief' });
    expect(two.ttl_at).not.toBeNull();
    const { stale_reads: _, warnings: __, ...kept } = commit;
    expect(await app.call('commits.read', { commit_id: commit.commit_id })).toEqual(kept);
  });

  it('the tree hash is that of the sorted content hashes, one a line', async () => {
    const writes = ['x', 'y', 'x', 'z'].map((value, i) => ({ entity_path: 'c/tree', key: `k${i}`, value }));
    const { tree_hash } = await app.call('commits.create', { writes });
    const hashes = writes.map(({ value }) => sha256(JSON.stringify(value))).sort();
    expect(tree_hash).toBe(sha256(hashes.join('\n')));
  });

  it.each([
    ['a conflict', { value: 2, if_version: 7 }, 'version_conflict'],
    ['a time that has passed', { value: 2, ttl_at: '2020-01-01T00:00:00Z' }, 'invalid_input'],
    ['a value that is too large', { value: 'x'.repeat(1024 * 1024) }, 'value_too_large'],
  ])('%s in one write undoes all of them, and no number is used up', async (_, bad, code) => {
    const before = [await lastSeq(), await countRows(app, 'audit'), await countRows(app, 'versions')];
    const writes = [
      { entity_path: 'c/undone', key: 'first', value: 1 },
      { entity_path: 'c/undone', key: 'bad', ...bad },
      { entity_path: 'c/undone', key: 'last', value: 3 },
    ];
    const refused = await refusal(app.call('commits.create', { writes }));
    expect(refused).toMatchObject({ code });
    if (code === 'invalid_input') expect(refused.errors).toMatchObject([{ path: 'writes.1.ttl_at' }]);
    expect((await app.call('entries.list', { entity_path: 'c/undone' })).entries).toEqual([]);
    expect((await app.call('entries.search', { entity_path: 'c/undone', query: 'first' })).entries).toEqual([]);
    expect((await app.call('entities.list', { entity_path: 'c/undone' })).entities).toEqual([]);
    expect([await lastSeq(), await countRows(app, 'audit'), await countRows(app, 'versions')]).toEqual(before);
  });

  it('a commit that fails leaves those beside it alone', async () => {
    const commit = (key: string, if_version?: number) =>
      app.call('commits.create', { writes: [{ entity_path: 'c/beside', key, value: key, if_version }] });
    const results = await Promise.allSettled([commit('a'), commit('b', 9), commit('c'), commit('d', 9), commit('e')]);
    expect(results.map((result) => result.status === 'fulfilled')).toEqual([true, false, true, false, true]);
    const { entries } = await app.call('entries.list', { entity_path: 'c/beside' });
    expect(entries.map((entry) => entry.key)).toEqual(['a', 'c', 'e']);
  });

  it('the same key twice gives successive versions', async () => {
    const at = { entity_path: 'c', key: 'twice' };
    const writes = [
      { ...at, value: 1, if_version: 0 },
      { ...at, value: 2, if_version: 1 },
      { ...at, value: 2 },
      { ...at, value: 3 },
    ];
    const { entries, entries_written } = await app.call('commits.create', { writes });
    expect(entries.map((entry) => entry.version)).toEqual([1, 2, 3]);
    expect(entries_written).toBe(3);
    expect(await app.call('entries.read', at)).toMatchObject({ version: 3, value: 3 });
    expect((await app.call('entities.list', { entity_path: 'c' })).entities).toMatchObject([{ entry_count: 1 }]);
  });

  it('what is already there is not written again', async () => {
    const writes = [
      { entity_path: 'c/same', key: 'a', value: 1 },
      { entity_path: 'c/same', key: 'b', value: 1 },
    ];
    const first = await app.call('commits.create', { writes });
    const second = await app.call('commits.create', {
      writes: [...writes, { ...writes[0], key: 'c' } as (typeof writes)[0]],
    });
    expect(second.entries).toMatchObject([{ key: 'c', version: 1 }]);
    const a = await app.call('entries.read', { entity_path: 'c/same', key: 'a' });
    expect(a).toMatchObject({ version: 1, commit_id: first.commit_id });
    const third = await app.call('commits.create', { writes, message: 'nothing new' });
    expect(third).toMatchObject({ entries: [], entries_written: 0, tree_hash: sha256('') });
    expect(await app.call('commits.read', { commit_id: third.commit_id })).toMatchObject({ message: 'nothing new' });
  });

  it('each commit names the one before it, and the list goes back from the newest', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const writes = [{ entity_path: 'c/chain', key: 'k', value: i }];
      const commit = await app.call('commits.create', { writes, message: `#${i}` });
      if (ids.length > 0) expect(commit.parent_ids).toEqual([ids.at(-1)]);
      ids.push(commit.commit_id);
    }
    const pages = await follow((cursor) => app.call('commits.list', { limit: 2, cursor }));
    const commits = pages.flatMap((page) => page.commits);
    expect(commits.slice(0, 5).map((commit) => commit.commit_id)).toEqual(ids.reverse());
    commits.forEach((commit, i) => {
      expect(commit.parent_ids).toEqual(commits[i + 1] ? [commits[i + 1]?.commit_id] : []);
    });
  });

  it('a commit has one event for each version and one for itself', async () => {
    const after = await lastSeq();
    const writes = [1, 2].map((i) => ({ entity_path: 'c/log', key: `k${i}`, value: i }));
    const { commit_id } = await app.call('commits.create', { writes, message: 'm' });
    const { events } = await app.call('log.list', { after });
    expect(events.map((event) => event.event_type)).toEqual(['write', 'write', 'commit']);
    expect(events.every((event) => event.details.commit_id === commit_id)).toBe(true);
    expect(events[2]?.details).toMatchObject({ message: 'm', entries_written: 2 });
  });

  it('others see of a commit what they may see of its entries', async () => {
    const other = { agent_id: 'agent/other' };
    const mixed = await app.call('commits.create', {
      writes: [
        { entity_path: 'c/seen', key: 'public', value: 1 },
        { entity_path: 'c/seen', key: 'private', value: 1, shared: false },
      ],
    });
    const hidden = await app.call('commits.create', {
      message: 'secret',
      writes: [{ entity_path: 'c/seen', key: 'hidden', value: 1, shared: false }],
    });
    const seen = await app.call('commits.read', { commit_id: mixed.commit_id }, other);
    expect(seen.entries.map((entry) => entry.key)).toEqual(['public']);
    const refused = await refusal(app.call('commits.read', { commit_id: hidden.commit_id }, other));
    expect(refused).toMatchObject({ code: 'not_found', commit_id: hidden.commit_id });
    const listed = async (as?: object) =>
      (await app.call('commits.list', {}, as)).commits.map((commit) => commit.commit_id);
    expect(await listed()).toContain(hidden.commit_id);
    expect(await listed(other)).not.toContain(hidden.commit_id);
    expect(await listed(other)).toContain(mixed.commit_id);
  });

  it('an id that no commit has is not found', async () => {
    for (const commit_id of ['nothing', "'", 'x'.repeat(64)])
      expect(await refusal(app.call('commits.read', { commit_id }))).toMatchObject({ code: 'not_found', commit_id });
  });

  it('text that a database cannot hold is refused, not a failure', async () => {
    const writes = [{ entity_path: 'c', key: 'k', value: 1 }];
    const refused = await refusal(app.call('commits.create', { writes, message: 'a\0b' }));
    expect(refused).toMatchObject({ code: 'invalid_input', errors: [{ path: 'message' }] });
    expect(await refusal(app.call('commits.read', { commit_id: 'a\0' }))).toMatchObject({ code: 'invalid_input' });
  });

  it('takes a thousand writes, and not one more', async () => {
    const writes = Array.from({ length: 1000 }, (_, i) => ({ entity_path: 'c/many', key: `k${i}`, value: { i } }));
    const commit = await app.call('commits.create', { writes });
    expect(commit.entries_written).toBe(1000);
    expect((await app.call('commits.read', { commit_id: commit.commit_id })).entries).toHaveLength(1000);
    expect((await app.call('entities.list', { entity_path: 'c/many' })).entities).toMatchObject([
      { entry_count: 1000 },
    ]);
    const more = [...writes, { entity_path: 'c/many', key: 'more', value: 1 }];
    expect(await refusal(app.call('commits.create', { writes: more }))).toMatchObject({ code: 'invalid_input' });
    expect(await app.call('entries.verify', {})).toMatchObject({ corrupted: [], chain_breaks: [] });
  });
});
