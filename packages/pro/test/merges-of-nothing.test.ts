import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

describe.each(backends)('merges of nothing on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
    await app.call('branches.create', { name: 'exp' });
  });

  afterEach(() => app.close());

  const write = (key: string, branch = 'exp') =>
    app.call('entries.write', { entity_path: 'checkout', key, value: key, branch });
  const merge = (input: object = {}) => app.call('branches.merge', { name: 'exp', ...input });
  const statusOf = async () => (await app.call('branches.read', { name: 'exp' })).status;
  const traces = async () => {
    const { merges } = await app.call('merges.list', {});
    return [merges.length, (await app.call('log.list', {})).last_seq];
  };

  it('are nothing, and the branch stays open', async () => {
    const before = await traces();
    for (const input of [{}, { merge_id: 'again' }, { merge_id: 'again' }, { dry_run: true }])
      expect(await merge(input)).toMatchObject({ status: 'up_to_date', head: null, commit_id: null });
    expect(await app.call('branches.refresh', { name: 'exp' })).toMatchObject({ status: 'up_to_date' });
    expect(await traces()).toEqual(before);
    expect(await statusOf()).toBe('active');
    await write('one');
    expect(await merge({ keep_open: true })).toMatchObject({ status: 'merged', added: 1 });
    expect(await merge()).toMatchObject({ status: 'up_to_date' });
    expect(await statusOf()).toBe('active');
  });

  it('dry runs say what would be done', async () => {
    await write('one');
    expect(await merge({ dry_run: true })).toMatchObject({ status: 'would_merge', dry_run: true, added: 1 });
    await write('one', 'main');
    await app.call('entries.write', { entity_path: 'checkout', key: 'one', value: 'other', branch: 'exp' });
    expect(await merge({ dry_run: true, strategy: 'THREE_WAY' })).toMatchObject({ status: 'conflicts', conflicts: 1 });
  });

  it('are refused of branches that were merged or closed, unless it is the same merge', async () => {
    await write('one');
    await merge({ merge_id: 'first' });
    expect(await merge({ merge_id: 'first' })).toMatchObject({ status: 'merged', added: 1 });
    expect((await refusal(merge())).code).toBe('branch_closed');
    await app.call('branches.reopen', { name: 'exp' });
    await write('two');
    await app.call('branches.close', { name: 'exp' });
    expect((await refusal(merge())).code).toBe('branch_closed');
    expect((await refusal(merge({ dry_run: true }))).code).toBe('branch_closed');
    await app.call('branches.reopen', { name: 'exp' });
    expect(await merge()).toMatchObject({ status: 'merged', added: 1 });
  });
});
