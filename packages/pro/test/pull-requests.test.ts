import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const path = 'checkout';
const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };
const C = { agent_id: 'agent/c' };

describe.each(backends)('pull requests on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
    await write('policy', { attempts: 3 });
    await app.call('branches.create', { name: 'exp' }, A);
    await write('policy', { attempts: 5 }, 'exp');
  });

  afterEach(() => app.close());

  const write = (key: string, value: unknown, branch = 'main') =>
    app.call('entries.write', { entity_path: path, key, value, branch }, A);
  const open = (input: object = {}, as: object = A) =>
    app.call('pull_requests.create', { title: 'More attempts', source_branch: 'exp', ...input }, as);
  const read = (id: string, as: object = A) => app.call('pull_requests.read', { id }, as);
  const merge = (id: string, input: object = {}, as: object = A) =>
    app.call('pull_requests.merge', { id, ...input }, as);
  const review = (id: string, decision: string, { as = B, ...input }: { as?: object; [field: string]: unknown } = {}) =>
    app.call('pull_requests.review', { id, decision, ...input } as never, as);
  const protect = (input: object, name = 'main') => app.call('branches.protect', { name, ...input });
  const codeOf = async (answer: Promise<unknown>) => (await refusal(answer)).code;
  const currentOf = async (key: string) => (await app.call('entries.read', { entity_path: path, key })).value;
  const logged = async (type: string, as: object = A) =>
    (await app.call('log.list', {}, as)).events.filter(({ event_type }) => event_type === type);
  const statusOf = async (id: string, name: string) =>
    (await read(id)).checks.find((check) => check.name === name)?.status;

  it('are opened, read and merged', async () => {
    const made = await open({ description: 'three are not enough' });
    expect(made).toMatchObject({
      ...{ title: 'More attempts', description: 'three are not enough', status: 'open', created_by: 'agent/a' },
      ...{ source_branch: 'exp', target_branch: 'main', merged_at: null, closed_at: null },
    });
    const { id } = made;
    expect(await read(id)).toMatchObject({
      ...made,
      changes: { added: 0, modified: 1, deleted: 0, hidden: 0 },
      ...{ conflicts: 0, approvals: 0, required_approvals: 0, is_mergeable: true, blocked_by: [], reviews: [] },
    });
    expect((await merge(id, { dry_run: true })).dry_run).toBe(true);
    expect(await merge(id, { message: 'good' }, B)).toMatchObject({ merge_id: id, status: 'merged', modified: 1 });
    expect(await currentOf('policy')).toEqual({ attempts: 5 });
    const after = await read(id);
    expect(after).toMatchObject({ status: 'merged', merged_by: 'agent/b', merge_strategy: 'THREE_WAY', merge_id: id });
    expect(after.checks.map(({ name, status }) => [name, status]).sort()).toEqual([
      ['conflicts', 'passed'],
      ['contracts', 'passed'],
      ['memory_ci', 'passed'],
      ['secrets', 'passed'],
      ['size', 'passed'],
    ]);
    expect((await app.call('branches.read', { name: 'exp' })).status).toBe('merged');
    expect(await logged('pull_request_merged')).toMatchObject([
      { branch: 'exp', agent_id: 'agent/b', details: { id, target: 'main', merge_id: id } },
    ]);
  });

  it('are in one of three states, which say what may be done', async () => {
    const { id } = await open();
    expect(await codeOf(open({}, B))).toBe('conflict');
    expect(await app.call('pull_requests.update', { id, title: 'Five' }, A)).toMatchObject({ title: 'Five' });
    expect(await app.call('pull_requests.close', { id }, B)).toMatchObject({ status: 'closed', closed_by: 'agent/b' });
    expect(await app.call('pull_requests.close', { id }, B)).toMatchObject({ status: 'closed' });
    expect(await codeOf(merge(id))).toBe('pull_request_closed');
    expect(await codeOf(review(id, 'approved'))).toBe('pull_request_closed');
    expect(await codeOf(app.call('pull_requests.update', { id, title: 'x' }))).toBe('pull_request_closed');
    const other = await open();
    expect(await codeOf(app.call('pull_requests.reopen', { id }))).toBe('conflict');
    await app.call('pull_requests.close', { id: other.id });
    expect(await app.call('pull_requests.reopen', { id })).toMatchObject({ status: 'open', closed_at: null });
    await merge(id);
    expect(await codeOf(merge(id))).toBe('pull_request_closed');
    for (const name of ['pull_requests.close', 'pull_requests.reopen'] as const)
      expect(await codeOf(app.call(name, { id }))).toBe('pull_request_closed');
    expect(await codeOf(open())).toBe('branch_closed');
    expect(await codeOf(open({ source_branch: 'nowhere' }))).toBe('branch_not_found');
    expect(await codeOf(open({ source_branch: 'main' }))).toBe('conflict');
    expect(await codeOf(read('nothing'))).toBe('not_found');
  });

  it('are listed newest first, by status and branch', async () => {
    await app.call('branches.create', { name: 'other' });
    const first = await open();
    const second = await open({ source_branch: 'other' });
    await app.call('pull_requests.close', { id: first.id });
    const ids = async (input: object) =>
      (await app.call('pull_requests.list', input)).pull_requests.map(({ id }) => id);
    expect(await ids({})).toEqual([second.id, first.id]);
    expect(await ids({ status: 'open' })).toEqual([second.id]);
    expect(await ids({ source_branch: 'exp' })).toEqual([first.id]);
    expect(await ids({ target_branch: 'other' })).toEqual([]);
    const page = await app.call('pull_requests.list', { limit: 1 });
    expect(await ids({ limit: 1, cursor: page.next_cursor as string })).toEqual([first.id]);
  });

  it('keep their branches open', async () => {
    const { id } = await open();
    const answer = await refusal(app.call('branches.close', { name: 'exp' }));
    expect(answer).toMatchObject({ code: 'conflict', open_pull_request: id });
    await app.call('pull_requests.close', { id });
    expect(await app.call('branches.close', { name: 'exp' })).toMatchObject({ status: 'closed' });
    expect(await codeOf(app.call('pull_requests.reopen', { id }))).toBe('branch_closed');
  });

  it('need the approvals that the protection of the target asks for', async () => {
    await protect({ required_approvals: 2 });
    const { id } = await open();
    expect((await refusal(merge(id))).blocked_by).toMatchObject([{ reason: 'approvals' }]);
    expect(await codeOf(review(id, 'approved', { as: A }))).toBe('forbidden');
    expect(await review(id, 'commented', { as: A })).toMatchObject({ decision: 'commented', no: 1 });
    expect(await review(id, 'approved', { as: B, comment: 'good' })).toMatchObject({ reviewer: 'agent/b', no: 2 });
    await review(id, 'approved', { as: B });
    expect(await read(id)).toMatchObject({ approvals: 1, required_approvals: 2, is_mergeable: false });
    expect(await codeOf(merge(id))).toBe('pull_request_blocked');
    await review(id, 'changes_requested', { as: C });
    expect((await read(id)).blocked_by.map(({ reason }) => reason)).toEqual(['changes_requested', 'approvals']);
    await review(id, 'commented', { as: C });
    expect(await codeOf(merge(id))).toBe('pull_request_blocked');
    await review(id, 'approved', { as: C });
    expect((await read(id)).reviews.map(({ reviewer, decision }) => [reviewer, decision])).toEqual([
      ['agent/c', 'approved'],
      ['agent/c', 'commented'],
      ['agent/c', 'changes_requested'],
      ['agent/b', 'approved'],
      ['agent/b', 'approved'],
      ['agent/a', 'commented'],
    ]);
    expect(await merge(id)).toMatchObject({ status: 'merged' });
  });

  it('are the only way into a branch that asks for reviews or checks', async () => {
    await protect({});
    const plain = (input: object = {}) =>
      app.call('branches.merge', { name: 'exp', strategy: 'THREE_WAY', keep_open: true, ...input });
    expect(await plain()).toMatchObject({ modified: 1 });
    for (const asked of [{ required_approvals: 1 }, { required_checks: ['secrets'] }]) {
      await protect(asked);
      const refused = await refusal(plain());
      expect(refused).toMatchObject({ code: 'pull_request_required', branch: 'main' });
      expect(refused.detail).toContain('pull request');
      expect(await plain({ dry_run: true })).toMatchObject({ dry_run: true });
    }
    await protect({ required_approvals: 1 }, 'exp');
    expect(await codeOf(app.call('branches.refresh', { name: 'exp' }))).toBe('pull_request_required');
  });

  it('lose approvals with a new write where the protection says so', async () => {
    await protect({ required_approvals: 1, dismisses_approvals: true });
    const { id } = await open();
    await review(id, 'approved');
    expect(await read(id)).toMatchObject({ approvals: 1, is_mergeable: true, reviews: [{ is_dismissed: false }] });
    await write('elsewhere', 1, 'main').catch(() => {});
    await write('policy', { attempts: 6 }, 'exp');
    expect(await read(id)).toMatchObject({ approvals: 0, is_mergeable: false, reviews: [{ is_dismissed: true }] });
    expect(await codeOf(merge(id))).toBe('pull_request_blocked');
    await protect({ required_approvals: 1 });
    expect(await read(id)).toMatchObject({ approvals: 1, is_mergeable: true });
    await protect({ required_approvals: 1, dismisses_approvals: true });
    await review(id, 'approved');
    expect(await merge(id)).toMatchObject({ status: 'merged' });
  });

  it('are reviewed entry by entry', async () => {
    const { id } = await open();
    const at = { entity_path: path, key: 'policy' };
    expect(await review(id, 'changes_requested', { as: B, ...at, comment: 'why 5?' })).toMatchObject({ ...at, no: 1 });
    expect((await read(id)).blocked_by).toMatchObject([{ reason: 'changes_requested' }]);
    expect(await codeOf(merge(id))).toBe('pull_request_blocked');
    await review(id, 'approved', { as: B, ...at });
    expect(await read(id)).toMatchObject({ approvals: 0, blocked_by: [] });
    await review(id, 'changes_requested', { as: B, ...at });
    await review(id, 'approved', { as: B });
    expect(await read(id)).toMatchObject({ approvals: 1, blocked_by: [] });
    expect(await codeOf(review(id, 'commented', { as: B, ...at, key: 'nothing' }))).toBe('not_found');
    expect(await codeOf(review(id, 'commented', { as: B, entity_path: path }))).toBe('invalid_input');
  });

  it('hide what the reader may not see', async () => {
    await app.call('entries.write', { entity_path: path, key: 'mine', value: 1, branch: 'exp', shared: false }, A);
    const { id } = await open();
    const at = { entity_path: path, key: 'mine' };
    await review(id, 'commented', { as: A, ...at, comment: 'hush' });
    expect(await read(id, A)).toMatchObject({ changes: { added: 1, hidden: 0 }, reviews: [{ comment: 'hush' }] });
    expect(await read(id, B)).toMatchObject({ changes: { added: 0, modified: 1, hidden: 1 }, reviews: [] });
    expect(JSON.stringify(await read(id, B))).not.toContain('mine');
    expect(await codeOf(review(id, 'commented', { as: B, ...at }))).toBe('not_found');
    expect(await logged('pull_request_reviewed', B)).toEqual([]);
    expect(await logged('pull_request_reviewed', A)).toHaveLength(1);
  });

  it('have their conflicts under their own id, to be resolved', async () => {
    const { id } = await open();
    await write('policy', { attempts: 9 });
    expect(await read(id)).toMatchObject({ conflicts: 1, is_mergeable: false });
    expect(await statusOf(id, 'conflicts')).toBe('failed');
    expect(await codeOf(merge(id))).toBe('merge_conflicts');
    expect((await app.call('conflicts.list', { merge_id: id })).conflicts).toHaveLength(1);
    await app.call('conflicts.resolve', { merge_id: id, no: 0, take: 'source' });
    expect(await read(id)).toMatchObject({ conflicts: 0, is_mergeable: true });
    expect(await merge(id)).toMatchObject({ modified: 1 });
    expect(await currentOf('policy')).toEqual({ attempts: 5 });
  });

  it('are marked as merged by a merge of their branches', async () => {
    const { id } = await open();
    const plain = (input: object) => app.call('branches.merge', { name: 'exp', keep_open: true, ...input }, B);
    await plain({ dry_run: true });
    expect((await read(id)).status).toBe('open');
    const { merge_id } = await plain({ merge_id: 'by-hand' });
    expect(await read(id)).toMatchObject({ status: 'merged', merged_by: 'agent/b', merge_id });
    expect(await logged('pull_request_merged')).toMatchObject([{ details: { id, merge_id } }]);
    expect(await codeOf(merge(id))).toBe('pull_request_closed');
    // A retry of that merge has nothing to do with a later pull request.
    await write('policy', { attempts: 7 }, 'exp');
    const { id: next } = await open();
    await plain({ merge_id: 'by-hand' });
    expect((await read(next)).status).toBe('open');
  });

  it('are merged only at the head that the caller expects', async () => {
    const { id } = await open();
    const { seq } = await write('other', 1);
    await write('third', 1);
    expect(await codeOf(merge(id, { expected_head: seq }))).toBe('target_moved');
    expect((await read(id)).status).toBe('open');
    expect(await merge(id, { expected_head: seq + 1 })).toMatchObject({ status: 'merged' });
  });
});
