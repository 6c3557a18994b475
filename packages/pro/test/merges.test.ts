import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const path = 'checkout';

describe.each(backends)('merges on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const write = (key: string, value: unknown, ...[branch = 'main', as = {}]: [branch?: string, as?: object]) =>
    app.call('entries.write', { entity_path: path, key, value, branch }, as);
  const remove = (key: string, branch = 'main') => app.call('entries.delete', { entity_path: path, key, branch });
  const read = (key: string, branch = 'main') => app.call('entries.read', { entity_path: path, key, branch });
  const valueIn = async (key: string, branch = 'main') => (await read(key, branch)).value;
  const fork = (name: string, from = 'main') => app.call('branches.create', { name, from });
  const merge = (name: string, input: object = {}) =>
    app.call('branches.merge', { name, strategy: 'THREE_WAY', keep_open: true, ...input });

  it('show what a branch changed, field by field', async () => {
    await write('kept', 1);
    await write('changed', { a: 1, b: [1] });
    await write('deleted', 1);
    await fork('exp');
    await write('changed', { a: 2, b: [1, 2] }, 'exp', { agent_id: 'agent/other' });
    await remove('deleted', 'exp');
    await write('added', 'new', 'exp');
    await write('kept', 2);
    const { entries, hidden, has_more, from } = await app.call('branches.diff', { name: 'exp' });
    expect({ hidden, has_more, from: from.branch }).toEqual({ hidden: 0, has_more: false, from: 'main' });
    expect(entries.map(({ key, diff_type }) => [key, diff_type])).toEqual([
      ['changed', 'modified'],
      ['deleted', 'deleted'],
      ['added', 'added'],
    ]);
    expect(entries[0]).toMatchObject({
      from: { value: { a: 1, b: [1] }, branch: 'main', agent_id: 'agent/test' },
      to: { value: { a: 2, b: [1, 2] }, branch: 'exp', agent_id: 'agent/other', confidence: 0.7 },
      changes: [
        { path: '/value/a', operation: 'replace', old_value: 1, new_value: 2 },
        { path: '/value/b', operation: 'replace', old_value: [1], new_value: [1, 2] },
      ],
    });
    const states = await app.call('branches.compare', { from: 'exp', to: 'main' });
    expect(states.entries.map(({ key, diff_type }) => [key, diff_type])).toEqual([
      ['changed', 'modified'],
      ['deleted', 'added'],
      ['added', 'deleted'],
      ['kept', 'modified'],
    ]);
  });

  it('are shown in pages, each entry once', async () => {
    for (let i = 0; i < 7; i++) await write(`k${i}`, i);
    await fork('exp');
    for (let i = 0; i < 7; i++) await write(`k${i}`, -i - 1, i % 2 ? 'exp' : 'main');
    await write('k1', 'also on main');
    const keys: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await app.call('branches.compare', { from: 'main', to: 'exp', limit: 2, cursor });
      keys.push(...page.entries.map(({ key }) => key));
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(keys.sort()).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6']);
  });

  it('bring changes of both sides together, with their author and time', async () => {
    await write('policy', { attempts: 3, pause: 1 });
    await write('gone', 1);
    await fork('exp');
    app.clock.advance(1000);
    await write('policy', { attempts: 5, pause: 1 }, 'exp', { agent_id: 'agent/other', session_id: 'there' });
    await write('added', 'new', 'exp', { agent_id: 'agent/other' });
    await remove('gone', 'exp');
    const added = await read('added', 'exp');
    app.clock.advance(1000);
    await write('policy', { attempts: 3, pause: 2 });
    const dry = await merge('exp', { dry_run: true });
    expect(dry).toMatchObject({ dry_run: true, added: 1, modified: 1, deleted: 1, conflicts: 0, commit_id: null });
    expect(await valueIn('policy')).toEqual({ attempts: 3, pause: 2 });
    const made = await merge('exp', { message: 'why', merge_id: 'm1' });
    expect(made).toMatchObject({ merge_id: 'm1', status: 'merged', added: 1, modified: 1, deleted: 1, hidden: 0 });
    expect(await valueIn('policy')).toEqual({ attempts: 5, pause: 2 });
    const { provenance, commit_id } = await read('added');
    expect(provenance).toEqual(added.provenance);
    expect(commit_id).toBe(made.commit_id);
    expect((await app.call('commits.read', { commit_id: made.commit_id as string })).parent_ids).toHaveLength(2);
    expect((await refusal(read('gone'))).code).toBe('not_found');
    expect((await app.call('branches.diff', { name: 'exp' })).entries).toEqual([]);
    expect(await merge('exp')).toMatchObject({ added: 0, modified: 0, deleted: 0, commit_id: null });
    expect(await merge('exp', { merge_id: 'm1' })).toEqual({ ...made, conflicting: [] });
  });

  it('are fast only where the target has changed nothing of it', async () => {
    await write('a', 1);
    await write('b', 1);
    await fork('exp');
    await write('a', 2, 'exp');
    await write('b', 2);
    expect(await merge('exp', { strategy: 'FAST_FORWARD' })).toMatchObject({ modified: 1 });
    await write('b', 3, 'exp');
    expect((await refusal(merge('exp', { strategy: 'FAST_FORWARD' }))).code).toBe('target_moved');
  });

  it('refuse a target that was written to after what the caller expects', async () => {
    await write('a', 1);
    await fork('exp');
    await write('a', 2, 'exp');
    const { seq } = await write('b', 1);
    await write('c', 1);
    expect((await refusal(merge('exp', { expected_head: seq }))).code).toBe('target_moved');
    expect((await refusal(merge('exp', { expected_head: seq + 9 }))).code).toBe('invalid_input');
    expect(await merge('exp', { expected_head: seq + 1 })).toMatchObject({ modified: 1 });
  });

  it('take a side where both changed the same', async () => {
    for (const [strategy, value] of [
      ['BRANCH_WINS', { a: 'source', b: 'target', c: 'source' }],
      ['MAIN_WINS', { a: 'target', b: 'target', c: 'source' }],
    ] as const) {
      await write(strategy, { a: 0, b: 0, c: 0 });
      await fork(`of/${strategy}`);
      await write(strategy, { a: 'source', b: 0, c: 'source' }, `of/${strategy}`);
      await write(strategy, { a: 'target', b: 'target', c: 0 });
      await merge(`of/${strategy}`, { strategy });
      expect(await valueIn(strategy)).toEqual(value);
    }
  });

  it('are written by who merges where they are squashed', async () => {
    await fork('exp');
    await write('a', 1, 'exp', { agent_id: 'agent/other' });
    app.clock.advance(1000);
    const { commit_id } = await app.call('branches.merge', { name: 'exp', strategy: 'SQUASH' });
    const { provenance } = await read('a');
    expect(provenance).toMatchObject({ agent_id: 'agent/test', written_at: new Date(app.clock.now()).toISOString() });
    expect((await app.call('commits.read', { commit_id: commit_id as string })).parent_ids).toEqual([]);
    expect(await app.call('branches.read', { name: 'exp' })).toMatchObject({
      status: 'merged',
      merged_by: 'agent/test',
    });
  });

  it('keep their conflicts until they are resolved', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await write(key, { by: 'base' });
    await fork('exp');
    for (const key of ['a', 'b', 'c', 'd']) await write(key, { by: 'source' }, 'exp', { agent_id: 'agent/other' });
    await write('new', 1, 'exp');
    for (const key of ['a', 'b', 'c']) await write(key, { by: 'target' });
    await remove('d');
    const refused = await refusal(merge('exp', { merge_id: 'm' }));
    expect(refused).toMatchObject({ code: 'merge_conflicts' });
    expect(refused).toMatchObject({ merge_id: 'm', conflicts: 4, hidden: 0 });
    expect((await refusal(read('new'))).code).toBe('not_found');
    const { conflicts } = await app.call('conflicts.list', { merge_id: 'm' });
    expect(conflicts.map(({ key, reason, fields, status }) => [key, reason, fields, status])).toEqual([
      ['a', 'both_modified', ['/value/by'], 'open'],
      ['b', 'both_modified', ['/value/by'], 'open'],
      ['c', 'both_modified', ['/value/by'], 'open'],
      ['d', 'deleted_by_target', [], 'open'],
    ]);
    const [a, b] = conflicts as [(typeof conflicts)[0], (typeof conflicts)[0]];
    expect(await app.call('conflicts.read', { merge_id: 'm', no: a.no })).toMatchObject({
      base: { value: { by: 'base' }, branch: 'main' },
      source: { value: { by: 'source' }, agent_id: 'agent/other', branch: 'exp', trace_id: null },
      target: { value: { by: 'target' }, branch: 'main' },
    });
    const d = conflicts.at(-1) as typeof a;
    const { target } = await app.call('conflicts.read', { merge_id: 'm', no: d.no });
    expect(target).toMatchObject({ deleted: true, version: 2, agent_id: 'agent/test', branch: 'main', trace_id: null });
    expect(target).not.toHaveProperty('value');
    await app.call('conflicts.resolve', { merge_id: 'm', no: a.no, take: 'base' });
    await app.call('conflicts.resolve', { merge_id: 'm', no: b.no, take: 'value', value: { by: 'hand' } });
    expect(await app.call('conflicts.resolve', { merge_id: 'm', entity_path: '**'.slice(1), take: 'source' })).toEqual({
      merge_id: 'm',
      resolved: 4,
      open: 0,
    });
    await app.call('conflicts.resolve', { merge_id: 'm', no: a.no, take: 'base' }, { agent_id: 'agent/second' });
    await app.call('conflicts.resolve', { merge_id: 'm', no: b.no, take: 'value', value: { by: 'hand' } });
    // A side that changes again makes its conflict open again.
    await write('c', { by: 'target again' });
    expect(await refusal(merge('exp', { merge_id: 'm' }))).toMatchObject({ conflicts: 1 });
    const left = await app.call('conflicts.list', { merge_id: 'm', status: 'resolved' });
    expect(left.conflicts.map(({ key, take, resolved_by }) => [key, take, resolved_by])).toEqual([
      ['a', 'base', 'agent/second'],
      ['b', 'value', 'agent/test'],
      ['d', 'source', 'agent/test'],
    ]);
    const made = await merge('exp', {
      merge_id: 'm',
      strategy: 'MANUAL',
      resolutions: [{ entity_path: path, key: 'c', take: 'target' }],
    });
    expect(made).toMatchObject({ status: 'merged', added: 2, modified: 2, conflicts: 0 });
    const values = await Promise.all(['a', 'b', 'c', 'd', 'new'].map((key) => valueIn(key)));
    expect(values).toEqual([{ by: 'base' }, { by: 'hand' }, { by: 'target again' }, { by: 'source' }, 1]);
    expect((await app.call('conflicts.list', { merge_id: 'm' })).conflicts).toEqual([]);
    expect((await app.call('merges.list', {})).merges).toMatchObject([{ merge_id: 'm', status: 'merged' }]);
  });

  it('leave the target as it is where all conflicts take it', async () => {
    await write('a', 0);
    await fork('exp');
    await write('a', 1, 'exp');
    const { seq } = await write('a', 2);
    const made = await merge('exp', { strategy: 'MANUAL', resolutions: [{ entity_path: '*', take: 'target' }] });
    expect(made).toMatchObject({ status: 'merged', modified: 0 });
    expect((await read('a')).seq).toBe(seq);
    expect((await app.call('branches.diff', { name: 'exp' })).entries).toEqual([]);
  });

  it('go on from the merged state', async () => {
    await write('a', { x: 1, y: 1 });
    await fork('exp');
    await write('a', { x: 2, y: 1 }, 'exp');
    await merge('exp');
    await write('a', { x: 2, y: 2 });
    await write('a', { x: 3, y: 1 }, 'exp');
    await merge('exp');
    expect(await valueIn('a')).toEqual({ x: 3, y: 2 });
    const { base } = await app.call('branches.merge_base', { name: 'exp' });
    expect(base.branch).toBe('exp');
  });

  it('bring a branch up to date with its parent', async () => {
    await write('both', { x: 1, y: 1 });
    await write('theirs', 1);
    await fork('exp');
    await write('both', { x: 2, y: 1 }, 'exp');
    await write('both', { x: 1, y: 2 });
    await write('theirs', 2);
    await write('new', 1);
    expect(await valueIn('theirs', 'exp')).toBe(1);
    const made = await app.call('branches.refresh', { name: 'exp' });
    expect(made).toMatchObject({ kind: 'refresh', source: 'main', target: 'exp', modified: 1 });
    expect(await valueIn('theirs', 'exp')).toBe(2);
    expect(await valueIn('new', 'exp')).toBe(1);
    expect(await valueIn('both', 'exp')).toEqual({ x: 2, y: 2 });
    expect(await valueIn('both')).toEqual({ x: 1, y: 2 });
    await write('theirs', 3);
    expect(await valueIn('theirs', 'exp')).toBe(2);
    expect((await app.call('branches.diff', { name: 'exp' })).entries.map(({ key }) => key)).toEqual(['both']);
    await merge('exp', { strategy: 'FAST_FORWARD' });
    expect(await valueIn('both')).toEqual({ x: 2, y: 2 });
  });

  it('refuse a refresh with conflicts until they are resolved', async () => {
    await write('a', 0);
    await fork('exp');
    await write('a', 1, 'exp');
    await write('a', 2);
    await write('b', 2);
    expect((await refusal(app.call('branches.refresh', { name: 'exp', merge_id: 'r' }))).code).toBe('merge_conflicts');
    expect((await refusal(read('b', 'exp'))).code).toBe('not_found');
    await app.call('conflicts.resolve', { merge_id: 'r', no: 0, take: 'source' });
    await app.call('branches.refresh', { name: 'exp', merge_id: 'r' });
    expect([await valueIn('a', 'exp'), await valueIn('b', 'exp')]).toEqual([2, 2]);
  });

  it('pick single entries or commits from another branch', async () => {
    await write('a', 0);
    await fork('exp');
    await write('a', 1, 'exp', { agent_id: 'agent/other' });
    await write('b', 1, 'exp');
    await write('a', 2);
    const entries = [{ entity_path: path, key: 'a' }];
    expect(await app.call('entries.cherry_pick', { from: 'exp', entries, dry_run: true })).toMatchObject({
      modified: 1,
    });
    await app.call('entries.cherry_pick', { from: 'exp', entries });
    expect(await read('a')).toMatchObject({ value: 1, version: 3, provenance: { agent_id: 'agent/other' } });
    expect((await refusal(read('b'))).code).toBe('not_found');
    const { commit_id } = await app.call('commits.create', {
      branch: 'exp',
      writes: [
        { entity_path: path, key: 'c', value: 1 },
        { entity_path: path, key: 'd', value: 1 },
      ],
    });
    await write('d', 'later', 'exp');
    await app.call('entries.cherry_pick', { from: 'exp', commit_ids: [commit_id] });
    expect([await valueIn('c'), await valueIn('d')]).toEqual([1, 1]);
    expect((await refusal(app.call('entries.cherry_pick', { from: 'main', commit_ids: ['none'] }))).code).toBe(
      'not_found',
    );
  });

  it('carry private entries along unseen', async () => {
    const owner = { agent_id: 'agent/owner' };
    await fork('exp');
    await app.call(
      'entries.write',
      { entity_path: path, key: 'secret', value: 1, shared: false, branch: 'exp' },
      owner,
    );
    await write('open', 1, 'exp');
    const diff = await app.call('branches.diff', { name: 'exp' });
    expect([diff.entries.map(({ key }) => key), diff.hidden]).toEqual([['open'], 1]);
    expect((await app.call('branches.diff', { name: 'exp' }, owner)).hidden).toBe(0);
    expect(await merge('exp')).toMatchObject({ added: 2, hidden: 1 });
    expect((await refusal(read('secret'))).code).toBe('not_found');
    const mine = await app.call('entries.read', { entity_path: path, key: 'secret' }, owner);
    expect(mine).toMatchObject({ value: 1, shared: false, provenance: { agent_id: 'agent/owner' } });
    const change = (value: number, branch: string) =>
      app.call('entries.write', { entity_path: path, key: 'secret', value, shared: false, branch }, owner);
    await change(2, 'exp');
    await change(3, 'main');
    const refused = await refusal(merge('exp', { merge_id: 'm', resolutions: [{ entity_path: '*', take: 'source' }] }));
    expect(refused).toMatchObject({ conflicts: 1, hidden: 1, conflicting: [] });
    expect(await app.call('conflicts.list', { merge_id: 'm' })).toMatchObject({ conflicts: [], hidden: 1 });
    expect((await refusal(app.call('conflicts.read', { merge_id: 'm', no: 0 }))).code).toBe('not_found');
    await app.call('conflicts.resolve', { merge_id: 'm', no: 0, take: 'source' }, owner);
    expect(await merge('exp', { merge_id: 'm' })).toMatchObject({ modified: 1, hidden: 1 });
  });

  it('refuse a merge into itself, into a past state or under the id of another', async () => {
    await fork('exp');
    await write('a', 1, 'exp');
    expect((await refusal(merge('exp', { target: 'exp' }))).code).toBe('conflict');
    expect((await refusal(merge('exp', { target: 'main@0' }))).code).toBe('branch_read_only');
    expect((await refusal(merge('none'))).code).toBe('branch_not_found');
    await merge('exp', { merge_id: 'm' });
    await fork('other');
    expect((await refusal(merge('other', { merge_id: 'm' }))).code).toBe('conflict');
  });
});
