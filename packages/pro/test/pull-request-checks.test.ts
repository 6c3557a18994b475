import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };

describe.each(backends)('checks of pull requests on %s', (backend) => {
  let app: TestApp;
  let id: string;

  beforeEach(async () => {
    app = await openTestApp(backend);
    await write('retry', 'a failed payment is retried three times');
    await write('owner', 'the payments team owns the gateway');
    await app.call('branches.create', { name: 'exp' }, A);
    id = (await app.call('pull_requests.create', { title: 'Try it', source_branch: 'exp' }, A)).id;
  });

  afterEach(() => app.close());

  const path = 'shop/pay';
  const write = (key: string, value: unknown, input: object = {}) =>
    app.call('entries.write', { entity_path: path, key, value, ...input } as never, A);
  const onBranch = (key: string, value: unknown, input: object = {}) => write(key, value, { branch: 'exp', ...input });
  const checkOf = async (name: string, as: object = A) => {
    const { checks } = await app.call('pull_requests.read', { id }, as);
    return checks.find((one) => one.name === name);
  };
  const protect = (...required_checks: string[]) =>
    app.call('branches.protect', { name: 'main', required_checks, required_approvals: 0 });
  const merge = (input: object = {}) => app.call('pull_requests.merge', { id, ...input }, A);
  const blockedBy = async (input: object = {}) => (await refusal(merge(input))).blocked_by;
  const post = (check: string, input: object = {}, as: object = A) =>
    app.call('pull_requests.check', { id, check, status: 'passed', ...input } as never, as);

  it('find what breaks a rule of its author', async () => {
    await onBranch('retry', { attempts: 3 });
    expect(await checkOf('contracts')).toMatchObject({ status: 'passed', findings: [], is_required: false });
    const contract = { entity_path: 'shop/**', required_fields: ['source'] };
    await app.call('agents.set_contracts' as never, { agent_id: 'agent/a', contracts: [contract] } as never, A);
    expect(await checkOf('contracts')).toMatchObject({
      status: 'failed',
      summary: '1 rule is broken',
      findings: [{ entity_path: path, key: 'retry', message: expect.stringContaining('value.source') }],
    });
    await protect('contracts');
    expect(await blockedBy()).toMatchObject([{ reason: 'check', check: 'contracts' }]);
    await onBranch('retry', { attempts: 3, source: 'the audit' });
    expect(await merge()).toMatchObject({ modified: 1 });
  });

  it('find secrets, and name their kind alone', async () => {
    const secret = `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'}`;
    await onBranch('token', { token: secret });
    const found = await checkOf('secrets');
    expect(found).toMatchObject({ status: 'failed', findings: [{ entity_path: path, key: 'token' }] });
    expect(JSON.stringify(found)).not.toContain(secret);
    await protect('secrets');
    expect(await blockedBy()).toMatchObject([{ check: 'secrets' }]);
    await app.call('entries.delete', { entity_path: path, key: 'token', branch: 'exp' }, A);
    expect(await checkOf('secrets')).toMatchObject({ status: 'passed' });
  });

  it('count findings in entries that the reader may not see', async () => {
    const value = { token: `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'}` };
    await onBranch('hush', value, { shared: false });
    expect(await checkOf('secrets')).toMatchObject({ findings: [{ key: 'hush' }], hidden: 0 });
    const seen = await checkOf('secrets', B);
    expect(seen).toMatchObject({ status: 'failed', findings: [], hidden: 1 });
    expect(JSON.stringify(seen)).not.toContain('hush');
  });

  it('of conflicts leave them to the merge, unless it takes a side', async () => {
    await onBranch('retry', 'five times');
    await write('retry', 'four times');
    await protect('conflicts');
    expect(await checkOf('conflicts')).toMatchObject({ status: 'failed', findings: [{ message: 'both_modified' }] });
    expect(await blockedBy({ strategy: 'BRANCH_WINS' })).toMatchObject([{ check: 'conflicts' }]);
    expect((await refusal(merge())).code).toBe('merge_conflicts');
    await app.call('conflicts.resolve', { merge_id: id, no: 0, take: 'source' });
    expect(await merge()).toMatchObject({ modified: 1 });
  });

  it('can be posted for the branch as it is', async () => {
    const { seq } = await onBranch('retry', 'four times');
    await protect('acceptance');
    expect(await blockedBy()).toMatchObject([{ message: 'the check acceptance is missing' }]);
    expect((await refusal(post('acceptance', { source_seq: seq - 1 }))).code).toBe('conflict');
    expect(await post('acceptance', { status: 'pending', source_seq: seq })).toMatchObject({
      ...{ name: 'acceptance', status: 'pending', is_required: true, is_current: true, posted_by: 'agent/a' },
      ...{ source_seq: seq, target_seq: null },
    });
    expect(await blockedBy()).toMatchObject([{ message: 'the check acceptance is pending' }]);
    await post('acceptance', { summary: 'all is well' }, B);
    expect(await checkOf('acceptance')).toMatchObject({
      status: 'passed',
      summary: 'all is well',
      posted_by: 'agent/b',
    });
    await onBranch('retry', 'five times');
    expect(await checkOf('acceptance')).toMatchObject({ status: 'passed', is_current: false });
    expect(await blockedBy()).toMatchObject([{ check: 'acceptance' }]);
    await post('acceptance');
    expect(await merge()).toMatchObject({ modified: 1 });
    expect(await checkOf('acceptance')).toMatchObject({ status: 'passed', is_current: true });
  });

  it('are posted under names of their own, and a few', async () => {
    for (const name of ['contracts', 'secrets', 'size', 'conflicts', 'memory_ci'])
      expect((await refusal(post(name))).code).toBe('invalid_input');
    for (let i = 0; i < 20; i++) await post(`check-${i}`);
    expect(await refusal(post('one-more'))).toMatchObject({ code: 'conflict', max_checks: 20 });
    expect(await post('check-0', { status: 'neutral' })).toMatchObject({ status: 'neutral' });
    await app.call('pull_requests.close', { id }, A);
    expect((await refusal(post('check-0'))).code).toBe('pull_request_closed');
  });

  const follow = async () => {
    await app.kernel.services.noteBuffer.flushAll();
    app.clock.advance(2_000);
    await app.jobs.sweep();
  };

  /** A session that asks, reads what it found and ends well. */
  const decide = async (session_id: string, query: string, key: string) => {
    const as = { ...B, session_id };
    await app.call('entries.retrieve', { query }, as);
    app.clock.advance(1_000);
    await app.call('entries.read', { entity_path: path, key }, as);
    const input = { outcome_ref: session_id, outcome_type: 'success' };
    const { trace_id } = await app.call('outcomes.commit', input as never, as);
    await follow();
    return trace_id;
  };

  it('ask again what sessions asked, and show which decisions would have read something else', async () => {
    await follow();
    expect(await checkOf('memory_ci')).toMatchObject({
      status: 'passed',
      summary: 'no session has asked anything yet',
    });
    const question = 'how often is a payment retried?';
    const first = await decide('s-1', question, 'retry');
    const second = await decide('s-2', question, 'retry');
    expect(await checkOf('memory_ci')).toMatchObject({ status: 'passed', questions: [] });
    await onBranch('retries', 'how often a payment is retried: five times, then it is retried by hand');
    const entered = { entity_path: path, key: 'retries' };
    expect(await checkOf('memory_ci')).toMatchObject({
      status: 'passed',
      questions: [{ question, asked_path: null, trace_ids: [second, first], entered: [entered], left: [], lost: [] }],
    });
    await protect('memory_ci');
    await app.call('entries.delete', { entity_path: path, key: 'retry', branch: 'exp' }, A);
    const lost = { entity_path: path, key: 'retry' };
    expect(await checkOf('memory_ci')).toMatchObject({
      status: 'failed',
      questions: [{ question, entered: [entered], left: [lost], lost: [lost], first: { before: lost } }],
    });
    expect(await blockedBy()).toMatchObject([{ check: 'memory_ci' }]);
    await onBranch('retry', 'a failed payment is retried four times');
    expect(await merge()).toMatchObject({ status: 'merged' });
    expect(await checkOf('memory_ci')).toMatchObject({ status: 'passed', is_current: true });
  });

  it('ask nothing that only one agent may know', async () => {
    await app.call('entries.write', { entity_path: path, key: 'mine', value: 'a payment of mine', shared: false }, B);
    await decide('s-3', 'which payment is mine?', 'mine');
    await onBranch('other', 'which payment is mine? none of them');
    expect(await checkOf('memory_ci', B)).toMatchObject({ summary: 'no session has asked anything yet' });
  });

  it('are for the whole of what is merged, and end where it is too large', async () => {
    for (let i = 0; i < 11; i++) {
      const writes = Array.from({ length: 1000 }, (_, n) => ({ entity_path: 'many', key: `${i}-${n}`, value: n }));
      await app.call('commits.create', { writes, branch: 'exp' } as never, A);
    }
    expect(await app.call('pull_requests.read', { id })).toMatchObject({ changes: null, is_mergeable: false });
    expect(await checkOf('size')).toMatchObject({ status: 'failed' });
    expect(await checkOf('secrets')).toMatchObject({ status: 'pending' });
    expect((await refusal(merge())).code).toBe('merge_too_large');
  });
});
