import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';
import { get, type Hosted, openHosted, post } from '../../../tests/support/hosted.ts';

const ALL = '/api/v1/pull-requests';
const put = (path: string, body: object) => ({ ...post(path, body), method: 'PUT' });

describe.each(backends)('pull requests of keys on %s', (backend) => {
  let service: Hosted;
  let admin: string;
  let made = 0;
  beforeAll(async () => {
    service = await openHosted(backend);
    ({ key: admin } = await service.newAccount());
  });
  afterAll(() => service.close());

  const newBranch = async (as: string, from = 'main') => {
    const name = `experiment/${++made}`;
    expect((await service.as(as, post('/api/v1/branches', { name, from }))).status).toBe(201);
    const entry = { entity_path: 'a', key: `k-${made}`, value: made, branch: name };
    expect((await service.as(as, post('/api/v1/entries', entry))).status).toBe(201);
    return name;
  };
  const open = async (as: string, source_branch: string, input: object = {}) => {
    const { status, json } = await service.as(as, post(ALL, { title: 'Try it', source_branch, ...input }));
    expect(status).toBe(201);
    return json.id as string;
  };
  const grant = (branch: string, grantee_id: string, permission = 'read') =>
    service.as(admin, post(`/api/v1/branches/${branch}/access`, { grantee_type: 'api_key', grantee_id, permission }));
  const review = (as: string, id: string, given: object = {}) =>
    service.as(as, post(`${ALL}/${id}/reviews`, { decision: 'approved', ...given }));
  const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status;

  it('are shown to those who may read both branches, and to nobody else', async () => {
    const source = await newBranch(admin);
    const id = await open(admin, source);
    const { key, key_id } = await service.newKey(admin);
    const asked = [get(`${ALL}/${id}`), post(`${ALL}/${id}/reviews`, { decision: 'commented' })];
    const changing = ['close', 'reopen', 'merge'].map((what) => post(`${ALL}/${id}/${what}`, {}));
    for (const one of [...asked, ...changing])
      expect(await service.as(key, one)).toMatchObject({ status: 403, json: { code: 'branch_access_denied' } });
    expect((await service.as(key, get(ALL))).text).not.toContain(id);
    await grant(source, key_id);
    expect((await service.as(key, get(ALL))).text).toContain(id);
    expect(await statusOf(service.as(key, get(`${ALL}/${id}`)))).toBe(200);
    expect(await statusOf(review(key, id, { decision: 'commented' }))).toBe(201);
  });

  it('are merged by those who may write to the target', async () => {
    const target = await newBranch(admin);
    const source = await newBranch(admin, target);
    const id = await open(admin, source, { target_branch: target });
    const { key, key_id } = await service.newKey(admin);
    await grant(source, key_id);
    await grant(target, key_id);
    const merge = post(`${ALL}/${id}/merge`, {});
    for (const one of [merge, post(`${ALL}/${id}/close`, {})]) expect(await statusOf(service.as(key, one))).toBe(403);
    for (const [decision, status] of Object.entries({ commented: 201, approved: 403, changes_requested: 403 }))
      expect(await statusOf(review(key, id, { decision })), decision).toBe(status);
    await grant(target, key_id, 'read_write');
    expect(await statusOf(review(key, id))).toBe(201);
    expect(await service.as(key, merge)).toMatchObject({ status: 200, json: { status: 'merged' } });
  });

  it('are closed by those who opened them', async () => {
    const target = await newBranch(admin);
    const { key, key_id } = await service.newKey(admin);
    await grant(target, key_id);
    const source = await newBranch(key, target);
    const id = await open(key, source, { target_branch: target });
    expect(await statusOf(service.as(key, post(`${ALL}/${id}/merge`, {})))).toBe(403);
    expect(await statusOf(service.as(key, post(`${ALL}/${id}/close`, {})))).toBe(200);
  });

  it('are not approved by the key or the person who opened them, under any name', async () => {
    const { json: team } = await service.as(admin, post('/api/v1/admin/teams', { name: 'T', slug: 't' }));
    const at = `/api/v1/admin/teams/${team.team_id}/members`;
    const { json: member } = await service.as(admin, post(at, { email: 'ada@example.com', role: 'admin' }));
    const { key: one } = await service.newKey(admin, { member_id: member.member_id });
    const { key: two } = await service.newKey(admin, { member_id: member.member_id });
    const { key: other, key_id } = await service.newKey(admin);
    const source = await newBranch(one);
    const id = await open(one, source);
    await grant(source, key_id);
    for (const key of [one, two])
      expect(await review(key, id, { agent_id: 'agent/else' })).toMatchObject({
        status: 403,
        json: { code: 'forbidden' },
      });
    expect(await statusOf(review(other, id))).toBe(201);
    // Two reviews under two names are those of one key.
    expect(await statusOf(review(other, id, { agent_id: 'agent/third' }))).toBe(201);
    expect((await service.as(admin, get(`${ALL}/${id}`))).json).toMatchObject({ approvals: 1 });
  });

  it('are approved by persons, in whichever team, as long as they may', async () => {
    const member = async (slug: string, email: string) => {
      const { json: team } = await service.as(admin, post('/api/v1/admin/teams', { name: slug, slug }));
      const at = `/api/v1/admin/teams/${team.team_id}/members`;
      const { json } = await service.as(admin, post(at, { email, role: 'developer' }));
      const { key } = await service.newKey(admin, { member_id: json.member_id });
      return { key, at: `${at}/${json.member_id}` };
    };
    const [eve, sameEve] = [await member('red', 'eve@example.com'), await member('blue', 'eve@example.com')];
    const zoe = await member('green', 'zoe@example.com');
    const source = await newBranch(eve.key);
    const id = await open(eve.key, source);
    const approvals = async () => (await service.as(admin, get(`${ALL}/${id}`))).json.approvals as number;
    const access = `/api/v1/branches/${source}/access`;
    for (const grantee_id of ['eve@example.com', 'zoe@example.com'])
      await service.as(admin, post(access, { grantee_type: 'user', grantee_id, permission: 'read' }));
    expect(await review(sameEve.key, id)).toMatchObject({ status: 403, json: { code: 'forbidden' } });
    expect(await statusOf(review(zoe.key, id))).toBe(201);
    const { key, key_id } = await service.newKey(admin);
    await grant(source, key_id);
    expect(await statusOf(review(key, id))).toBe(201);
    expect(await approvals()).toBe(2);
    const taken = `${access}/api_key/${key_id}`;
    expect(await statusOf(service.as(admin, { ...get(taken), method: 'DELETE' }))).toBeLessThan(300);
    expect(await approvals()).toBe(1);
    await grant(source, key_id);
    expect(await approvals()).toBe(2);
    expect(
      await statusOf(service.as(admin, { ...get(`/api/v1/admin/api-keys/${key_id}`), method: 'DELETE' })),
    ).toBeLessThan(300);
    expect(await approvals()).toBe(1);
    expect(await statusOf(service.as(admin, { ...get(zoe.at), method: 'DELETE' }))).toBeLessThan(300);
    expect(await approvals()).toBe(0);
  });

  it('are approved as a whole by a key that may see the whole', async () => {
    const source = await newBranch(admin);
    const id = await open(admin, source);
    const { key, key_id } = await service.newKey(admin, { scopes: [{ pattern: 'b/**', permission: 'READ_WRITE' }] });
    await grant(source, key_id, 'read_write');
    expect((await service.as(key, get(`${ALL}/${id}`))).json).toMatchObject({ changes: { added: 0, hidden: 1 } });
    expect(await review(key, id)).toMatchObject({ status: 403, json: { code: 'forbidden' } });
    const outside = { entity_path: 'a', key: `k-${made}` };
    expect(await review(key, id, { decision: 'commented', ...outside })).toMatchObject({ status: 403 });
    expect(await service.as(key, post(`${ALL}/${id}/merge`, {}))).toMatchObject({ status: 403 });
  });

  it('get results of checks from keys that may post them', async () => {
    const source = await newBranch(admin);
    const id = await open(admin, source);
    const result = put(`${ALL}/${id}/checks/acceptance`, { status: 'passed' });
    const { key: agent, key_id } = await service.newKey(admin);
    await grant(source, key_id, 'read_write');
    expect(await service.as(agent, result)).toMatchObject({ status: 403, json: { code: 'forbidden' } });
    const ci = await service.newKey(admin, { key_type: 'service' });
    expect(await service.as(ci.key, result)).toMatchObject({ status: 403, json: { code: 'branch_access_denied' } });
    await grant(source, ci.key_id);
    expect(await service.as(ci.key, result)).toMatchObject({ status: 200, json: { status: 'passed' } });
  });
});

const X = { agent_id: 'agent/x' };
const Y = { agent_id: 'agent/y' };

describe.each(backends)('what pull requests hold, on %s', (backend) => {
  let app: TestApp;
  let id: string;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const bytes = async () => Number((await rowsOf(app, 'SELECT storage_bytes FROM accounts'))[0]?.storage_bytes);
  const review = (comment: string, as: object, more: object = {}) =>
    app.call('pull_requests.review', { id, decision: 'commented', comment, ...more }, as);

  it('is given back with the entries and the agents that it is about', async () => {
    const before = await bytes();
    await app.call('branches.create', { name: 'exp' }, Y);
    for (const key of ['erased', 'kept'])
      await app.call('entries.write', { entity_path: key, key, value: 1, branch: 'exp' }, Y);
    const empty = await bytes();
    id = (await app.call('pull_requests.create', { title: 'T', source_branch: 'exp', description: 'D' }, X)).id;
    await review('about one', Y, { entity_path: 'erased', key: 'erased' });
    await review('about another', X, { entity_path: 'kept', key: 'kept' });
    await app.call('pull_requests.check', { id, check: 'c', status: 'passed', summary: 'S' }, X);
    const held = ['T', 'D', 'about one', 'about another', 'c', 'S'].join('').length;
    expect(await bytes()).toBe(empty + held);
    await app.call('entries.erase', { entity_path: 'erased', branch: 'exp' }, Y);
    const { reviews } = await app.call('pull_requests.read', { id }, Y);
    expect(reviews.map(({ comment }) => comment)).toEqual(['about another']);
    await app.call('agents.erase', X);
    const after = await app.call('pull_requests.read', { id }, Y);
    expect(JSON.stringify(after)).not.toContain('agent/x');
    expect(after).toMatchObject({ title: '', description: '', reviews: [{ comment: '' }] });
    await app.call('entries.erase', { entity_path: 'kept', branch: 'exp' }, Y);
    expect(await rowsOf(app, 'SELECT * FROM pull_request_reviews')).toEqual([]);
    expect(await bytes()).toBe(before + 'exp'.length + 'c'.length);
  });
});
