import { type OperationName, operations } from '@mem-service/contract';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, listen, openTestApp, type TestApp } from '../../../tests/support/app.ts';
import { SELF_HOSTED_ACCOUNT } from '../../server/src/kernel/index.ts';
import { insertTag } from '../src/tags/queries.ts';

const at = { entity_path: 'checkout', key: 'retries' };

describe.each(backends)('tags on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const write = (value: unknown) => app.call('entries.write', { ...at, value });
  const create = (input: object) => app.call('tags.create', input as never);

  it('name the newest place in the log, a given one, or the last at a time', async () => {
    await write(1);
    const noted = new Date(app.clock.now()).toISOString();
    app.clock.advance(60_000);
    await write(2);
    expect(await create({ name: 'now', description: 'as it is' })).toMatchObject({
      name: 'now',
      branch: 'tags/now',
      description: 'as it is',
      seq: 2,
      agent_id: 'agent/test',
    });
    expect(await create({ name: 'first', seq: 1 })).toMatchObject({ seq: 1 });
    expect(await create({ name: 'then', at: noted })).toMatchObject({ seq: 1 });
    expect(await create({ name: 'empty', seq: 0 })).toMatchObject({ seq: 0 });
  });

  it('are listed newest first, in pages, or by name', async () => {
    for (const name of ['a', 'b', 'release/1', 'c']) await create({ name });
    const first = await app.call('tags.list', { limit: 3 });
    expect(first.tags.map(({ name }) => name)).toEqual(['c', 'release/1', 'b']);
    const second = await app.call('tags.list', { limit: 3, cursor: first.next_cursor as string });
    expect(second).toMatchObject({ tags: [{ name: 'a' }], has_more: false });
    expect(await app.call('tags.list', { name: 'b' })).toMatchObject({ tags: [{ name: 'b' }] });
    expect(await app.call('tags.list', { name: 'nobody' })).toMatchObject({ tags: [] });
  });

  it('have names of their own, and one place each', async () => {
    await write(1);
    await create({ name: 'v1' });
    expect(await refusal(create({ name: 'v1' }))).toMatchObject({ code: 'conflict', status: 409, name: 'v1' });
    expect(await refusal(create({ name: 'v2', seq: 99 }))).toMatchObject({ code: 'invalid_input' });
    const both = { name: 'v2', seq: 1, at: '2026-01-01T00:00:00Z' };
    expect(await refusal(create(both))).toMatchObject({ code: 'invalid_input', errors: [{ path: 'at' }] });
    for (const name of ['', 'v 1', 'v@1', 'a..b', '-d', 'x'.repeat(201)])
      expect(await refusal(create({ name })), name).toMatchObject({
        code: 'invalid_input',
        errors: [{ path: 'name' }],
      });
  });

  it('of two that are made at once under one name, one is there', async () => {
    const made = await Promise.allSettled([create({ name: 'v1' }), create({ name: 'v1' })]);
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('stand in the log and on the timeline of their agent', async () => {
    await create({ name: 'v1' });
    const { events } = await app.call('log.list', {});
    expect(events).toMatchObject([{ event_type: 'tag_created', details: { tag: 'v1', tag_seq: 0 } }]);
    const timeline = await app.call('agents.timeline', { agent_id: 'agent/test' });
    expect(timeline.events).toMatchObject([{ event_type: 'tag_created', summary: "Created tag 'v1'" }]);
  });

  it('are branches that cannot be written to', async () => {
    await create({ name: 'v1' });
    expect(await refusal(app.call('entries.write', { ...at, value: 1, branch: 'tags/v1' }))).toMatchObject({
      code: 'branch_read_only',
      branch: 'tags/v1',
    });
    expect(await refusal(app.call('entries.read', { ...at, branch: 'tags/v2' }))).toMatchObject({
      code: 'branch_not_found',
    });
  });

  it('are found by a service that did not create them, and only in their account', async () => {
    await create({ name: 'v1' });
    const other = await openTestApp(backend, { place: app.place, clock: app.clock });
    onTestFinished(() => other.close());
    expect(await refusal(other.call('entries.write', { ...at, value: 1, branch: 'tags/v1' }))).toMatchObject({
      code: 'branch_read_only',
    });
    const elsewhere = await openTestApp(backend);
    onTestFinished(() => elsewhere.close());
    expect(await refusal(elsewhere.call('entries.write', { ...at, value: 1, branch: 'tags/v1' }))).toMatchObject({
      code: 'branch_not_found',
    });
  });

  it('are ten thousand at most', async () => {
    const { database } = app.kernel.services;
    const rows = Array.from({ length: 10_000 }, (_, i) => ({
      account_id: SELF_HOSTED_ACCOUNT,
      name: `tag ${i}`,
      description: '',
      branch: 'main',
      is_kept: 0,
      seq: 0,
      agent_id: 'agent/test',
      created_seq: i,
      created_at: 0,
    }));
    const lay = (some: typeof rows) =>
      database.transaction(async (tx) => {
        tx.enter(SELF_HOSTED_ACCOUNT);
        await tx.insertMany(insertTag, some);
      });
    await lay(rows.slice(1));
    await create({ name: 'the-last' });
    expect(await refusal(create({ name: 'one-more' }))).toMatchObject({ code: 'conflict', max_tags: 10_000 });
  });

  it('are made and listed over HTTP', async () => {
    const server = await listen(app);
    onTestFinished(() => server.close());
    const made = await fetch(`${server.url}/api/v1/tags`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'release/1' }),
    });
    expect(made.status).toBe(201);
    const location = made.headers.get('location') as string;
    expect(await (await fetch(server.url + location)).json()).toMatchObject({ tags: [{ name: 'release/1' }] });
  });

  it('are answered with module_not_installed where the package is not', async () => {
    const without = await openTestApp(backend, { modules: [] });
    onTestFinished(() => without.close());
    const server = await listen(without);
    onTestFinished(() => server.close());
    const answer = await fetch(`${server.url}/api/v1/tags`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      code: 'module_not_installed',
      detail:
        'tags.list needs the module tags: install the package @mem-service/pro beside the server, and do not set MEM_PRO=off',
    });
    const names = Object.keys(operations) as OperationName[];
    const missing = names.filter((name) => operations[name].module === 'tags');
    for (const name of missing)
      expect(await refusal(without.call(name, operations[name].example(0) as never))).toMatchObject({
        code: 'module_not_installed',
      });
  });
});
