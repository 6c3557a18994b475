import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal, rowsOf } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

describe.each(backends)('merges that wait on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
    await write(0);
    await app.call('branches.create', { name: 'exp' });
    await write(1, 'exp');
    await write(2);
  });

  afterEach(() => app.close());

  const write = (value: unknown, branch = 'main') =>
    app.call('entries.write', { entity_path: 'checkout', key: 'policy', value, branch });
  const merge = (input: object = {}) => app.call('branches.merge', { name: 'exp', ...input });
  const waiting = async () =>
    (await app.call('merges.list', { status: 'conflicts' })).merges.map(({ merge_id }) => merge_id);

  it('go on with a retry that does not name them, in the way they were begun', async () => {
    const begun = { strategy: 'THREE_WAY', message: 'why' };
    const { merge_id } = await refusal(merge(begun));
    expect((await refusal(merge(begun))).merge_id).toBe(merge_id);
    expect(await waiting()).toEqual([merge_id]);
    await app.call('conflicts.resolve', { merge_id: merge_id as string, no: 0, take: 'source' });
    expect(await merge()).toMatchObject({ status: 'merged', merge_id, modified: 1, ...begun });
    expect(await waiting()).toEqual([]);
  });

  it('end where their branches are merged otherwise', async () => {
    await refusal(merge({ strategy: 'THREE_WAY', merge_id: 'one' }));
    const { id } = await app.call('pull_requests.create', { title: 'Other', source_branch: 'exp' });
    expect((await waiting()).sort()).toEqual([id, 'one'].sort());
    await merge({ strategy: 'BRANCH_WINS', merge_id: 'two' });
    expect(await waiting()).toEqual([]);
  });

  it('can be given up', async () => {
    const stored = async () => (await rowsOf(app, 'SELECT storage_bytes FROM accounts'))[0]?.storage_bytes;
    const before = await stored();
    await refusal(merge({ strategy: 'THREE_WAY', merge_id: 'one', message: 'why' }));
    await app.call('conflicts.resolve', { merge_id: 'one', no: 0, take: 'value', value: 'x'.repeat(100) });
    const abort = () => app.call('merges.abort', { merge_id: 'one' }, { agent_id: 'agent/second' });
    expect(await abort()).toEqual({ merge_id: 'one', kind: 'merge', source: 'exp', target: 'main', conflicts: 1 });
    expect(await waiting()).toEqual([]);
    for (const name of ['merges.read', 'conflicts.list', 'merges.abort'] as const)
      expect((await refusal(app.call(name, { merge_id: 'one' }))).code).toBe('not_found');
    expect(await stored()).toBe(before);
    const { events } = await app.call('log.list', { after: 0 });
    expect(events.at(-1)).toMatchObject({
      event_type: 'merge_aborted',
      agent_id: 'agent/second',
      details: { merge_id: 'one', conflicts: 1 },
    });
    expect((await refusal(merge({ strategy: 'THREE_WAY', merge_id: 'one' }))).conflicts).toBe(1);
    expect((await app.call('conflicts.list', { merge_id: 'one' })).conflicts).toMatchObject([{ status: 'open' }]);
  });

  it('cannot be given up once they are made, nor in place of a pull request', async () => {
    await merge({ strategy: 'BRANCH_WINS', merge_id: 'made', keep_open: true });
    const abort = (merge_id: string) => app.call('merges.abort', { merge_id });
    expect(await refusal(abort('made'))).toMatchObject({ status: 409, code: 'conflict' });
    await write(3, 'exp');
    await write(4);
    const { id } = await app.call('pull_requests.create', { title: 'Other', source_branch: 'exp' });
    expect(await refusal(abort(id))).toMatchObject({ status: 409, code: 'conflict' });
    expect(await waiting()).toEqual([id]);
  });

  it('of a pull request end when it is closed, and wait again when it is reopened', async () => {
    const { id } = await app.call('pull_requests.create', { title: 'Other', source_branch: 'exp' });
    await app.call('conflicts.resolve', { merge_id: id, no: 0, take: 'source' });
    await app.call('pull_requests.close', { id });
    expect(await waiting()).toEqual([]);
    expect((await refusal(app.call('conflicts.list', { merge_id: id }))).code).toBe('not_found');
    await app.call('pull_requests.reopen', { id });
    expect(await waiting()).toEqual([id]);
    expect((await app.call('conflicts.list', { merge_id: id })).conflicts).toMatchObject([{ status: 'open' }]);
    expect(await app.call('pull_requests.read', { id })).toMatchObject({ conflicts: 1, is_mergeable: false });
  });

  it('of a refresh too', async () => {
    const refresh = (input: object = {}) => app.call('branches.refresh', { name: 'exp', ...input });
    const { merge_id } = await refusal(refresh());
    expect((await refusal(refresh())).merge_id).toBe(merge_id);
    await app.call('conflicts.resolve', { merge_id: merge_id as string, no: 0, take: 'target' });
    expect(await refresh()).toMatchObject({ status: 'merged', merge_id });
    expect(await waiting()).toEqual([]);
  });
});
