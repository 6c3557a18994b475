import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rowsOf } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';
import { exportLines, importLines } from '../../../tests/transfer/support.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };

describe.each(backends)('a pull request that has ended on %s', (backend) => {
  let app: TestApp;
  let id: string;

  beforeEach(async () => {
    app = await openTestApp(backend);
    await write('policy', { attempts: 3 });
    await app.call('branches.create', { name: 'exp' }, A);
    await write('policy', { attempts: 5 }, 'exp');
    await protect({ required_approvals: 1, dismisses_approvals: true, required_checks: ['secrets', 'lint'] });
    ({ id } = await app.call('pull_requests.create', { title: 'More', source_branch: 'exp' }, A));
    await approve();
    await post('lint');
    await post('slow');
    await write('policy', { attempts: 6 }, 'exp');
    await approve();
    await post('lint');
  });
  afterEach(() => app.close());

  const write = (key: string, value: unknown, branch = 'main') =>
    app.call('entries.write', { entity_path: 'checkout', key, value, branch }, A);
  const protect = (input: object) => app.call('branches.protect', { name: 'main', ...input });
  const approve = () => app.call('pull_requests.review', { id, decision: 'approved' }, B);
  const post = (check: string) => app.call('pull_requests.check', { id, check, status: 'passed' }, A);
  const read = () => app.call('pull_requests.read', { id }, A);
  const checksOf = ({ checks }: Awaited<ReturnType<typeof read>>) =>
    Object.fromEntries(checks.map((one) => [one.name, [one.status, one.is_required, one.is_current]]));
  const expected = {
    secrets: ['passed', true, true],
    contracts: ['passed', false, true],
    size: ['passed', false, true],
    conflicts: ['passed', false, true],
    lint: ['passed', true, true],
    slow: ['passed', false, false],
  };

  /** What would change every figure of an open one. */
  async function goOn() {
    await app.call('branches.unprotect', { name: 'main' });
    await protect({ required_approvals: 3, required_checks: ['size'] });
    await app.call('branches.reopen', { name: 'exp' });
    await write('policy', { attempts: 7 }, 'exp');
  }

  async function expectHistory(checks: object) {
    const then = await read();
    expect(then).toMatchObject({ approvals: 1, required_approvals: 1, is_mergeable: false, blocked_by: [] });
    expect(then.reviews.map(({ no, is_dismissed }) => [no, is_dismissed])).toEqual([
      [2, false],
      [1, true],
    ]);
    expect(checksOf(then)).toEqual(checks);
    await goOn();
    expect(await read()).toEqual(then);
  }

  it('by its merge is shown as it stood then', async () => {
    const { source_seq } = await read();
    await app.call('pull_requests.merge', { id }, A);
    expect((await read()).source_seq).toBe(source_seq);
    await expectHistory({ ...expected, memory_ci: ['passed', false, true] });
  });

  it('by being closed is shown as it stood then, and is open again when it is reopened', async () => {
    await app.call('pull_requests.close', { id }, A);
    await expectHistory(expected);
    await app.call('pull_requests.reopen', { id }, A);
    expect(await read()).toMatchObject({ status: 'open', required_approvals: 3, approvals: 1 });
    await app.call('branches.unprotect', { name: 'main' });
    await app.call('pull_requests.merge', { id }, A);
    expect(await read()).toMatchObject({ status: 'merged', required_approvals: 0 });
  });

  it('by a merge without it is shown as it stood then', async () => {
    await protect({ dismisses_approvals: true });
    await app.call('branches.merge', { name: 'exp' }, A);
    const then = await read();
    expect(then).toMatchObject({ status: 'merged', approvals: 1, required_approvals: 0 });
    expect(checksOf(then)).toEqual({ lint: ['passed', false, true], slow: ['passed', false, false] });
    await goOn();
    expect(await read()).toEqual(then);
  });

  it('counts no byte of its checks twice, and goes with an export', async () => {
    const bytes = async () => (await rowsOf(app, 'SELECT storage_bytes FROM accounts'))[0]?.storage_bytes;
    await app.call('pull_requests.close', { id }, A);
    const before = await bytes();
    await app.call('pull_requests.reopen', { id }, A);
    await app.call('pull_requests.close', { id }, A);
    expect(await bytes()).toBe(before);
    const lines = await exportLines(app);
    const other = await openTestApp(backend, { clock: app.clock });
    await importLines(other, lines);
    expect(await other.call('pull_requests.read', { id }, A)).toEqual(await read());
    await other.close();
  });
});
