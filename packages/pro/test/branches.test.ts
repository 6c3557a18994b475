import { type Operation, operations } from '@mem-service/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, listen, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const at = { entity_path: 'checkout', key: 'retries' };

describe.each(backends)('branches on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const write = (value: unknown, branch = 'main') => app.call('entries.write', { ...at, value, branch });
  const valueOn = async (branch: string) => (await app.call('entries.read', { ...at, branch })).value;

  it('show their parent as it was, and what is written to them', async () => {
    await write(1);
    const made = await app.call('branches.create', { name: 'experiment/a', description: 'why' });
    expect(made).toMatchObject({ name: 'experiment/a', parent_branch: 'main', fork_seq: 1, status: 'active' });
    await write(2);
    expect(await valueOn('experiment/a')).toBe(1);
    expect(await write(3, 'experiment/a')).toMatchObject({ branch: 'experiment/a', version: 2 });
    expect([await valueOn('experiment/a'), await valueOn('main')]).toEqual([3, 2]);
  });

  it('can be made from a branch, a tag, a place in the log or a time', async () => {
    await write(1);
    const noted = new Date(app.clock.now()).toISOString();
    app.clock.advance(1000);
    await app.call('tags.create', { name: 'v1' });
    await write(2);
    await app.call('branches.create', { name: 'a' });
    await write(3, 'a');
    const values: Record<string, unknown> = { main: 2, a: 3, 'tags/v1': 1, 'main@1': 1, [`main@${noted}`]: 1 };
    for (const [i, from] of Object.keys(values).entries()) {
      await app.call('branches.create', { name: `of/${i}`, from });
      expect([from, await valueOn(`of/${i}`), await valueOn(from)]).toEqual([from, values[from], values[from]]);
    }
  });

  it('are written and read over HTTP, by names with slashes as they are or encoded', async () => {
    const server = await listen(app);
    const ask = async (method: string, path: string, body?: unknown) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(server.url + path, {
        method,
        headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: answer.status, body: await answer.json() };
    };
    await ask('POST', '/api/v1/branches', { name: 'experiment/a/b' });
    await ask('POST', '/api/v1/entries', { ...at, value: 7, branch: 'experiment/a/b' });
    for (const name of ['experiment%2Fa%2Fb', 'experiment/a%2Fb', 'experiment/a/b'])
      expect(await ask('GET', `/api/v1/branches/${name}`)).toMatchObject({
        status: 200,
        body: { name: 'experiment/a/b' },
      });
    await ask('POST', '/api/v1/branches', { name: 'b/c' });
    expect(await ask('GET', '/api/v1/branches/b/c')).toMatchObject({ status: 200, body: { name: 'b/c' } });
    const read = await ask('GET', `/api/v1/entries/checkout/retries?branch=experiment/a/b`);
    expect(read).toMatchObject({ status: 200, body: { value: 7 } });
    await server.close();
  });

  it('are closed and opened again, and take no writes in between', async () => {
    await write(1);
    await app.call('branches.create', { name: 'a' });
    await write(2, 'a');
    expect(await app.call('branches.close', { name: 'a' })).toMatchObject({
      status: 'closed',
      closed_by: 'agent/test',
    });
    expect(await app.call('branches.close', { name: 'a' })).toMatchObject({ status: 'closed' });
    for (const ask of [() => write(3, 'a'), () => app.call('entries.delete', { ...at, branch: 'a' })])
      expect(await refusal(ask())).toMatchObject({ code: 'branch_closed', branch: 'a', status_of_branch: 'closed' });
    expect(await valueOn('a')).toBe(2);
    expect(await app.call('branches.reopen', { name: 'a' })).toMatchObject({ status: 'active', closed_at: null });
    expect(await write(3, 'a')).toMatchObject({ version: 3 });
  });

  it('are not closed while a branch of theirs is open', async () => {
    await app.call('branches.create', { name: 'a' });
    await app.call('branches.create', { name: 'a/b', from: 'a' });
    expect(await refusal(app.call('branches.close', { name: 'a' }))).toMatchObject({
      code: 'conflict',
      open_branch: 'a/b',
    });
    await app.call('branches.close', { name: 'a/b' });
    expect(await app.call('branches.close', { name: 'a' })).toMatchObject({ status: 'closed' });
  });

  it.each(['main', 'release'])('%s is protected, and then takes no write of a caller', async (name) => {
    if (name !== 'main') await app.call('branches.create', { name });
    await write(1, name);
    const protection = { required_approvals: 2, dismisses_approvals: true, required_checks: ['size'] };
    expect(await app.call('branches.protect', { name, ...protection })).toMatchObject({
      is_protected: true,
      protection,
    });
    for (const ask of [
      () => write(2, name),
      () => app.call('entries.delete', { ...at, branch: name }),
      () => app.call('commits.create', { branch: name, writes: [{ ...at, value: 2 }] }),
      () => app.call('graph.link', { source: 'a', target: 'b', relation: 'depends_on', branch: name }),
    ])
      expect(await refusal(ask())).toMatchObject({ code: 'branch_protected', branch: name });
    expect(await app.call('branches.read', { name })).toMatchObject({ is_protected: true, protection });
    await app.call('outcomes.commit', {
      ...{ outcome_ref: 'run-1', outcome_type: 'success', branch: name },
      causal_entry_keys: [`${at.entity_path}/${at.key}`],
    });
    if (name !== 'main')
      expect(await refusal(app.call('branches.close', { name }))).toMatchObject({ code: 'branch_protected' });
    await app.call('branches.unprotect', { name });
    expect(await write(2, name)).toMatchObject({ value: 2 });
  });

  it('say how far they are ahead and behind', async () => {
    await write(1);
    await app.call('branches.create', { name: 'a' });
    for (const key of ['x', 'y']) await app.call('entries.write', { ...at, key, value: 1, branch: 'a' });
    await write(2);
    const secret = { ...at, key: 'mine', value: 1, branch: 'a', shared: false };
    await app.call('entries.write', secret, { agent_id: 'agent/other' });
    expect(await app.call('branches.read', { name: 'a' })).toMatchObject({ ahead: 2, behind: 1, is_counted: true });
    expect(await app.call('branches.read', { name: 'main' })).toMatchObject({
      parent_branch: null,
      ahead: 0,
      behind: 0,
    });
  });

  it('a write that was admitted before its branch was closed does not reach it', async () => {
    await app.call('branches.create', { name: 'a' });
    const [closed, written] = await Promise.allSettled([app.call('branches.close', { name: 'a' }), write(1, 'a')]);
    expect(closed.status).toBe('fulfilled');
    const there = await app.call('entries.list', { branch: 'a' });
    expect(there.entries).toHaveLength(written.status === 'fulfilled' ? 1 : 0);
  });

  it('are listed newest first, in pages, by status', async () => {
    for (const name of ['a', 'b', 'c/d']) await app.call('branches.create', { name });
    await app.call('branches.close', { name: 'b' });
    const first = await app.call('branches.list', { limit: 2 });
    expect(first.branches.map(({ name }) => name)).toEqual(['c/d', 'b']);
    const second = await app.call('branches.list', { limit: 2, cursor: first.next_cursor as string });
    expect(second).toMatchObject({ branches: [{ name: 'a' }], has_more: false });
    const open = await app.call('branches.list', { status: 'active' });
    expect(open.branches.map(({ name }) => name)).toEqual(['c/d', 'a']);
  });

  it('are nested sixteen deep at most', async () => {
    let from = 'main';
    for (let i = 1; i <= 16; i++) {
      await app.call('branches.create', { name: `b${i}`, from });
      from = `b${i}`;
    }
    expect(await refusal(app.call('branches.create', { name: 'b17', from }))).toMatchObject({ code: 'invalid_input' });
  });

  it('have tags, which name their states and can be deleted', async () => {
    await write(1);
    await app.call('branches.create', { name: 'a' });
    await write(2, 'a');
    expect(await app.call('tags.create', { name: 'v1', ref: 'a' })).toMatchObject({
      of_branch: 'a',
      branch: 'tags/v1',
    });
    await write(3, 'a');
    await write(4);
    expect([await valueOn('tags/v1'), await valueOn('a')]).toEqual([2, 3]);
    await app.call('branches.create', { name: 'b', from: 'tags/v1' });
    expect(await valueOn('b')).toBe(2);
    expect(await app.call('tags.delete', { name: 'v1' })).toMatchObject({ name: 'v1', of_branch: 'a' });
    expect(await refusal(valueOn('tags/v1'))).toMatchObject({ code: 'branch_not_found' });
    expect(await refusal(app.call('tags.delete', { name: 'v1' }))).toMatchObject({ code: 'not_found' });
    expect(await valueOn('b')).toBe(2);
  });

  it('at a place in the log or a time can be read and not written to', async () => {
    const { seq } = await write(1);
    await write(2);
    expect(await valueOn(`main@${seq}`)).toBe(1);
    expect(await refusal(write(3, `main@${seq}`))).toMatchObject({ code: 'branch_read_only' });
    expect(await refusal(valueOn('main@99'))).toMatchObject({ code: 'invalid_input' });
  });

  it('have names of their own', async () => {
    await app.call('branches.create', { name: 'a' });
    expect(await refusal(app.call('branches.create', { name: 'a' }))).toMatchObject({ code: 'conflict' });
    for (const name of [
      '',
      'main',
      'tags/x',
      'a//b',
      'a/../b',
      'a..b',
      '-a',
      './a',
      'a@1',
      'a b',
      'a*',
      'x'.repeat(201),
    ])
      expect(await refusal(app.call('branches.create', { name })), name).toMatchObject({ code: 'invalid_input' });
    for (const from of ['nobody', 'tags/nobody', 'a@0', 'a@x'])
      expect(await refusal(app.call('branches.create', { name: 'b', from })), from).toMatchObject({
        code: 'branch_not_found',
      });
  });

  it('have no names that addresses of other branches have', async () => {
    const taken = new Set(
      Object.values<Operation>(operations).flatMap(
        ({ http }) => http.path.match(/^\/api\/v1\/branches\/{name}(\/.+)/)?.[1] ?? [],
      ),
    );
    expect(taken).toContain('/protection');
    for (const ending of taken) {
      const name = `main${ending.replace(/{\w+}/g, 'x')}`;
      expect(await refusal(app.call('branches.create', { name })), name).toMatchObject({
        code: 'invalid_input',
        errors: [{ path: 'name' }],
      });
    }
    for (const name of ['diff', 'diff/main', 'main/different']) await app.call('branches.create', { name });
  });

  it('do not have main among those that can be closed', async () => {
    expect(await refusal(app.call('branches.close', { name: 'main' }))).toMatchObject({
      code: 'conflict',
      branch: 'main',
    });
  });
});
