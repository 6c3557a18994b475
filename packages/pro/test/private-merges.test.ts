import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const [alice, bob] = [{ agent_id: 'alice' }, { agent_id: 'bob' }];
type Agent = typeof alice;
type WrittenValue = { value: unknown; branch?: string; shared?: boolean };

describe.each(backends)('what is private to others, in merges on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const write = (as: Agent, key: string, { value, ...more }: WrittenValue) =>
    app.call('entries.write', { entity_path: 'p', key, value, ...more }, as);
  const hide = (as: Agent, key: string, written: WrittenValue) => write(as, key, { ...written, shared: false });
  const read = (as: Agent, key: string, branch = 'main') =>
    app.call('entries.read', { entity_path: 'p', key, branch }, as);
  const fork = (name = 'al') => app.call('branches.create', { name }, alice);
  const merge = (as: Agent, input: object = {}) =>
    app.call('branches.merge', { name: 'al', strategy: 'THREE_WAY', keep_open: true, ...input }, as);
  const hidden = { code: 'merge_conflicts', conflicts: 1, hidden: 1, conflicting: [] };

  /** Alice changes an entry on her branch that bob makes private on main. */
  async function bothChange(): Promise<void> {
    await write(bob, 'k', { value: { x: 1 } });
    await fork();
    await write(alice, 'k', { value: { x: 2 }, branch: 'al' });
    await hide(bob, 'k', { value: { x: 1, secret: 's' } });
  }

  const expectUntouched = async () => {
    expect((await refusal(read(alice, 'k'))).code).toBe('not_found');
    expect(await read(bob, 'k')).toMatchObject({ value: { x: 1, secret: 's' }, shared: false, provenance: bob });
  };

  it.each([
    ['THREE_WAY', 'field'],
    ['THREE_WAY', 'newest'],
    ['BRANCH_WINS', 'field'],
    ['SQUASH', 'field'],
    ['MANUAL', 'field'],
  ])('is no part of another agent’s merge: %s by %s', async (strategy, detection) => {
    await bothChange();
    app.clock.advance(1000);
    await write(alice, 'k', { value: { x: 3 }, branch: 'al' });
    const resolutions = [{ entity_path: '**', take: 'source' }];
    expect(await refusal(merge(alice, { strategy, detection, resolutions }))).toMatchObject(hidden);
    await expectUntouched();
  });

  it('stays where the target wins, and a fast merge is refused', async () => {
    await bothChange();
    expect((await refusal(merge(alice, { strategy: 'FAST_FORWARD' }))).code).toBe('target_moved');
    expect(await merge(alice, { strategy: 'MAIN_WINS' })).toMatchObject({ modified: 0, hidden: 1 });
    await expectUntouched();
  });

  it('is not deleted by a branch that deleted what was shared', async () => {
    await write(bob, 'k', { value: { x: 1 } });
    await fork();
    await app.call('entries.delete', { entity_path: 'p', key: 'k', branch: 'al' }, alice);
    await hide(bob, 'k', { value: { x: 1, secret: 's' } });
    expect(await refusal(merge(alice, { strategy: 'BRANCH_WINS' }))).toMatchObject(hidden);
    await expectUntouched();
  });

  it('is resolved by its author, and stays with the author', async () => {
    await bothChange();
    await refusal(merge(alice, { merge_id: 'm' }));
    expect((await refusal(app.call('conflicts.read', { merge_id: 'm', no: 0 }, alice))).code).toBe('not_found');
    expect(await app.call('conflicts.read', { merge_id: 'm', no: 0 }, bob)).toMatchObject({
      source: { value: { x: 2 } },
      target: { value: { secret: 's' } },
    });
    await app.call('conflicts.resolve', { merge_id: 'm', no: 0, take: 'value', value: { x: 2, secret: 's' } }, bob);
    expect(await merge(alice, { merge_id: 'm' })).toMatchObject({ modified: 1, hidden: 1 });
    expect((await refusal(read(alice, 'k'))).code).toBe('not_found');
    expect(await read(bob, 'k')).toMatchObject({ value: { x: 2, secret: 's' }, shared: false, provenance: bob });
  });

  it('of two agents is a conflict that neither sees', async () => {
    await write(bob, 'k', { value: 0 });
    await fork();
    await write(alice, 'k', { value: 1, branch: 'al' });
    await hide(alice, 'k', { value: 'of alice', branch: 'al' });
    await hide(bob, 'k', { value: 'of bob' });
    for (const as of [alice, bob]) {
      expect(await refusal(merge(as, { merge_id: 'm' }))).toMatchObject(hidden);
      expect((await refusal(app.call('conflicts.read', { merge_id: 'm', no: 0 }, as))).code).toBe('not_found');
      const take = { merge_id: 'm', no: 0, take: 'source' as const };
      expect((await refusal(app.call('conflicts.resolve', take, as))).code).toBe('not_found');
    }
    expect((await read(bob, 'k')).value).toBe('of bob');
  });

  it('is merged member by member by its author alone', async () => {
    await hide(bob, 'k', { value: { a: 1, b: 1 } });
    await fork();
    await hide(bob, 'k', { value: { a: 2, b: 1 }, branch: 'al' });
    await write(bob, 'k', { value: { a: 1, b: 2 }, shared: true });
    expect(await refusal(merge(alice))).toMatchObject(hidden);
    await merge(bob);
    expect(await read(alice, 'k')).toMatchObject({ value: { a: 2, b: 2 } });
  });

  it('is carried along where the target has it as the branch began with it', async () => {
    await hide(bob, 'k', { value: 1 });
    await fork();
    await hide(bob, 'k', { value: 2, branch: 'al' });
    expect(await merge(alice, { strategy: 'FAST_FORWARD' })).toMatchObject({ modified: 1, hidden: 1 });
    expect(await read(bob, 'k')).toMatchObject({ value: 2, shared: false, provenance: bob });
  });

  it('is not merged into a branch by a refresh', async () => {
    await bothChange();
    const refresh = { name: 'al', strategy: 'THREE_WAY' as const };
    expect(await refusal(app.call('branches.refresh', refresh, alice))).toMatchObject(hidden);
    expect((await read(alice, 'k', 'al')).value).toEqual({ x: 2 });
    await app.call('branches.refresh', { ...refresh, strategy: 'MAIN_WINS' }, alice);
    expect((await read(alice, 'k', 'al')).value).toEqual({ x: 2 });
  });

  it('is not written over by a pick, whoever wrote what is picked', async () => {
    await write(bob, 'k', { value: { x: 1 } });
    await app.call('tags.create', { name: 'before' });
    await hide(bob, 'k', { value: { x: 1, secret: 's' } });
    const entries = [{ entity_path: 'p', key: 'k' }];
    const refused = await refusal(app.call('entries.cherry_pick', { from: 'tags/before', entries }, alice));
    expect(refused).toMatchObject({ code: 'forbidden', hidden: 1 });
    await expectUntouched();
  });

  it('is not named by a pick of the commit that wrote it', async () => {
    await fork();
    const writes = (key: string) => [
      { entity_path: 'p', key: 'open', value: 1 },
      { entity_path: 'p/hidden-path', key, value: 2, shared: false },
    ];
    const commit = (all: object[]) => app.call('commits.create', { writes: all as never }, bob);
    const mixed = await commit(writes('one'));
    const secret = await commit(writes('two').slice(1));
    const pick = (commit_id: string) =>
      refusal(app.call('entries.cherry_pick', { from: 'main', branch: 'al', commit_ids: [commit_id] }, alice));
    const refused = await pick(mixed.commit_id);
    expect(refused).toMatchObject({ code: 'forbidden', hidden: 1 });
    expect(JSON.stringify(refused)).not.toMatch(/hidden-path|one/);
    const none = await pick(secret.commit_id);
    expect(none).toMatchObject({ code: 'not_found', detail: `there is no commit ${secret.commit_id} to pick` });
    expect((await pick('none')).detail).toBe('there is no commit none to pick');
  });
});
