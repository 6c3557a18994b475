import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };
const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

describe.each(backends)('what reviews and checks of pull requests are about, on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
    await write('policy', { attempts: 3 });
    await app.call('branches.create', { name: 'mid' }, A);
    await app.call('branches.create', { name: 'exp', from: 'mid' }, A);
    await write('policy', { attempts: 5 }, 'exp');
  });

  afterEach(() => app.close());

  const write = (key: string, value: unknown, branch = 'main') =>
    app.call('entries.write', { entity_path: 'checkout', key, value, branch }, A);
  const protect = (input: object = {}) =>
    app.call('branches.protect', {
      ...{ name: 'main', required_approvals: 1, dismisses_approvals: true, required_checks: ['acceptance'] },
      ...input,
    });
  const open = async () =>
    (await app.call('pull_requests.create', { title: 'More attempts', source_branch: 'exp' }, A)).id;
  const read = (id: string) => app.call('pull_requests.read', { id }, A);
  const merge = (id: string, input: object = {}) => app.call('pull_requests.merge', { id, ...input }, A);
  const pass = async (id: string) => {
    await app.call('pull_requests.review', { id, decision: 'approved' }, B);
    await app.call('pull_requests.check', { id, check: 'acceptance', status: 'passed' });
  };
  const opened = async (input: object = {}) => {
    await protect(input);
    const id = await open();
    await pass(id);
    return id;
  };
  const isFresh = async (id: string) => {
    const { approvals, checks, is_mergeable } = await read(id);
    const posted = checks.find(({ name }) => name === 'acceptance');
    expect([approvals === 1, is_mergeable]).toEqual([posted?.is_current, posted?.is_current]);
    return is_mergeable;
  };
  const current = async (key: string) => (await app.call('entries.read', { entity_path: 'checkout', key })).value;

  it('a refresh that brings something makes them stale, and one that brings nothing does not', async () => {
    const id = await opened();
    await app.call('branches.refresh', { name: 'exp' }, A);
    expect(await isFresh(id)).toBe(true);
    await write('other', 1, 'mid');
    expect(await isFresh(id)).toBe(true);
    await app.call('branches.refresh', { name: 'exp' }, A);
    expect(await isFresh(id)).toBe(false);
    expect((await refusal(merge(id))).code).toBe('pull_request_blocked');
    await pass(id);
    expect(await merge(id)).toMatchObject({ status: 'merged', added: 1 });
  });

  it('so do a quarantine of what the branch shows, and its end', async () => {
    await write('hidden', 1, 'mid');
    await app.call('branches.refresh', { name: 'exp' }, A);
    const id = await opened();
    const at = { entity_path: 'checkout', key: 'hidden', branch: 'exp' };
    const { quarantine_id } = await app.call('quarantine.create', { ...at, reason: 'bad' });
    expect(await isFresh(id)).toBe(false);
    await pass(id);
    expect(await isFresh(id)).toBe(true);
    await app.call('quarantine.undo', { quarantine_id });
    expect(await isFresh(id)).toBe(false);
    // A quarantine in the target changes nothing of what would be merged.
    await pass(id);
    await app.call('branches.unprotect', { name: 'main' });
    await write('elsewhere', 1);
    await protect();
    await app.call('quarantine.create', { entity_path: 'checkout', key: 'elsewhere', reason: 'bad' });
    expect(await isFresh(id)).toBe(true);
  });

  it('so does a resolution of a conflict that is stored', async () => {
    await write('policy', { attempts: 9 });
    const id = await opened();
    expect((await refusal(merge(id))).code).toBe('merge_conflicts');
    await app.call('conflicts.resolve', { merge_id: id, no: 0, take: 'value', value: { attempts: 7 } }, A);
    expect(await isFresh(id)).toBe(false);
    expect((await refusal(merge(id))).code).toBe('pull_request_blocked');
    await pass(id);
    expect(await merge(id)).toMatchObject({ modified: 1 });
    expect(await current('policy')).toEqual({ attempts: 7 });
  });

  it('resolutions that come with the merge were not approved', async () => {
    await write('policy', { attempts: 9 });
    const id = await opened({ required_checks: [] });
    const resolutions = [{ entity_path: '**', take: 'value', value: { attempts: 7 } }];
    expect(await refusal(merge(id, { strategy: 'MANUAL', resolutions }))).toMatchObject({
      code: 'pull_request_blocked',
      blocked_by: [{ reason: 'approvals' }],
    });
    expect(await current('policy')).toEqual({ attempts: 9 });
    await protect({ required_approvals: 0, required_checks: ['secrets'] });
    expect(await merge(id, { strategy: 'MANUAL', resolutions })).toMatchObject({ status: 'merged' });
  });

  it('checks look at what resolutions say', async () => {
    await write('policy', { attempts: 9 });
    await protect({ required_approvals: 0, required_checks: ['secrets'] });
    const id = await open();
    const given = { take: 'value' as const, value: { token: SECRET } };
    const resolutions = [{ entity_path: '**', ...given }];
    const blocked = { code: 'pull_request_blocked', blocked_by: [{ check: 'secrets' }] };
    expect(await refusal(merge(id, { strategy: 'MANUAL', resolutions }))).toMatchObject(blocked);
    await app.call('conflicts.resolve', { merge_id: id, no: 0, ...given }, A);
    expect((await read(id)).checks.find(({ name }) => name === 'secrets')).toMatchObject({ status: 'failed' });
    expect(await refusal(merge(id))).toMatchObject(blocked);
  });

  it('conflicts are stored when it is opened or reviewed, and when a merge is refused', async () => {
    await write('policy', { attempts: 9 });
    await protect();
    const id = await open();
    expect((await app.call('conflicts.list', { merge_id: id })).conflicts).toMatchObject([{ key: 'policy' }]);
    const { blocked_by } = await read(id);
    expect(blocked_by.map(({ reason }) => reason)).toEqual(['approvals', 'check', 'conflicts']);
    expect(blocked_by[2]?.message).toContain(id);
    await app.call('branches.unprotect', { name: 'main' });
    for (const [key, again] of [
      ['one', () => app.call('pull_requests.review', { id, decision: 'commented' }, B)],
      ['two', () => merge(id).catch(() => {})],
    ] as const) {
      await write(key, 1);
      await write(key, 2, 'exp');
      if (key === 'two') await protect();
      await again();
      const { conflicts } = await app.call('conflicts.list', { merge_id: id });
      expect(
        conflicts.map((one) => one.key),
        key,
      ).toContain(key);
    }
    await app.call('conflicts.resolve', { merge_id: id, entity_path: '**', take: 'source' }, A);
    expect(await read(id)).toMatchObject({ conflicts: 0 });
  });

  it('their ids are theirs', async () => {
    await write('policy', { attempts: 9 }, 'mid');
    const id = await open();
    const plain = (name: string, input: object) =>
      app.call('branches.merge', { name, merge_id: id, keep_open: true, ...input });
    for (const [name, input] of [
      ['exp', {}],
      ['mid', {}],
      ['exp', { target: 'mid', dry_run: true }],
    ] as const)
      expect((await refusal(plain(name, input))).code).toBe('conflict');
    expect((await refusal(app.call('branches.refresh', { name: 'exp', merge_id: id }))).code).toBe('conflict');
    expect(await merge(id)).toMatchObject({ status: 'merged', merge_id: id });
  });

  it('with nothing to merge they stay open', async () => {
    await app.call('branches.create', { name: 'empty' });
    const { id } = await app.call('pull_requests.create', { title: 'Nothing', source_branch: 'empty' });
    expect(await merge(id)).toMatchObject({ status: 'up_to_date' });
    expect((await read(id)).status).toBe('open');
    expect((await app.call('branches.read', { name: 'empty' })).status).toBe('active');
  });
});
