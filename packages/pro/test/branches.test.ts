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
    await ask('POST', '/api/v1/branches', { name: 'experiment/a/diff' });
    await ask('POST', '/api/v1/entries', { ...at, value: 7, branch: 'experiment/a/diff' });
    for (const name of ['experiment%2Fa%2Fdiff'])
      expect(await ask('GET', `/api/v1/branches/${name}`)).toMatchObject({
        status: 200,
        body: { name: 'experiment/a/diff' },
      });
    const read = await ask('GET', `/api/v1/entries/checkout/retries?branch=experiment/a/diff`);
    expect(read).toMatchObject({ status: 200, body: { value: 7 } });
    await server.close();
  });

  it('have names of their own', async () => {
    await app.call('branches.create', { name: 'a' });
    expect(await refusal(app.call('branches.create', { name: 'a' }))).toMatchObject({ code: 'conflict' });
    for (const name of ['', 'main', 'tags/x', 'a//b', 'a/../b', './a', 'a@1', 'a b', 'a*', 'x'.repeat(201)])
      expect(await refusal(app.call('branches.create', { name })), name).toMatchObject({ code: 'invalid_input' });
    for (const from of ['nobody', 'tags/nobody', 'a@0', 'a@x'])
      expect(await refusal(app.call('branches.create', { name: 'b', from })), from).toMatchObject({
        code: 'branch_not_found',
      });
  });
});
