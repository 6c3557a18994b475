import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
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

  it('of a refresh too', async () => {
    const refresh = (input: object = {}) => app.call('branches.refresh', { name: 'exp', ...input });
    const { merge_id } = await refusal(refresh());
    expect((await refusal(refresh())).merge_id).toBe(merge_id);
    await app.call('conflicts.resolve', { merge_id: merge_id as string, no: 0, take: 'target' });
    expect(await refresh()).toMatchObject({ status: 'merged', merge_id });
    expect(await waiting()).toEqual([]);
  });
});
