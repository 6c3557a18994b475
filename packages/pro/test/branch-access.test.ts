import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../tests/faults/support/mem-process.ts';
import { openStream } from '../../../tests/stream/support.ts';
import { backends, readyPlace } from '../../../tests/support/app.ts';
import { get, type Hosted, openHosted, patch, post, remove } from '../../../tests/support/hosted.ts';

const TEAMS = '/api/v1/admin/teams';
const KEYS = '/api/v1/admin/api-keys';
const DENIED = { status: 403, json: { code: 'branch_access_denied' } };

describe.each(backends)('access to branches on %s', (backend) => {
  let service: Hosted;
  let admin: string;
  beforeAll(async () => {
    service = await openHosted(backend);
    ({ key: admin } = await service.newAccount());
  });
  afterAll(() => service.close());

  let made = 0;
  const newBranch = async (as = admin, input = {}) => {
    made++;
    const name = `experiment/${made}`;
    const { status } = await service.as(as, post('/api/v1/branches', { name, ...input }));
    expect(status).toBe(201);
    return name;
  };
  const write = (branch: string, key = 'k') =>
    post('/api/v1/entries', { entity_path: 'a', key, value: ++made, branch });
  const list = (branch: string) => get(`/api/v1/entries?branch=${branch}`);
  const at = (branch: string) => `/api/v1/branches/${branch}/access`;
  const grant = (branch: string, grantee: object, as = admin) => service.as(as, post(at(branch), grantee));
  const toKey = (grantee_id: string, permission?: string) => ({ grantee_type: 'api_key', grantee_id, permission });
  const statuses = async (key: string, branch: string) => [
    (await service.as(key, list(branch))).status,
    (await service.as(key, write(branch))).status,
  ];
  const newMember = async (input = {}) => {
    made++;
    const { json: team } = await service.as(admin, post(TEAMS, { name: 'T', slug: `t-${made}` }));
    const email = `ada-${made}@example.com`;
    const { json } = await service.as(admin, post(`${TEAMS}/${team.team_id}/members`, { email, ...input }));
    const { team_id, member_id } = json as { team_id: string; member_id: string };
    const { key, key_id } = await service.newKey(admin, { member_id });
    return { team_id, slug: `t-${made}`, member_id, email, key, key_id };
  };

  it('is denied to a key without a grant, and main is open', async () => {
    const branch = await newBranch();
    const { key } = await service.newKey(admin);
    expect(await service.as(key, list(branch))).toMatchObject({
      ...DENIED,
      json: { ...DENIED.json, branch, permission: 'read' },
    });
    expect(await service.as(key, write(branch))).toMatchObject(DENIED);
    expect(await service.as(key, get(`/api/v1/branches/${branch}`))).toMatchObject(DENIED);
    expect(await service.as(key, post('/api/v1/branches', { name: 'mine', from: branch }))).toMatchObject(DENIED);
    for (const named of [`name=${branch}`, `name=main&against=${branch}`])
      expect(await service.as(key, get(`/api/v1/merge-base?${named}`))).toMatchObject(DENIED);
    expect(await statuses(key, 'main')).toEqual([200, 201]);
    expect((await service.as(key, list('nowhere'))).status).toBe(404);
  });

  it('to a past state or a tag is that to its branch', async () => {
    const branch = await newBranch();
    await service.as(admin, write(branch));
    const { key, key_id } = await service.newKey(admin);
    const { json } = await service.as(admin, get('/api/v1/log?limit=1000'));
    const past = `${branch}@${json.last_seq}`;
    expect(await service.as(key, list(past))).toMatchObject(DENIED);
    const tag = `of-${made}`;
    await service.as(admin, post('/api/v1/tags', { name: tag, ref: branch }));
    expect(await service.as(key, list(`tags/${tag}`))).toMatchObject(DENIED);
    expect(await service.as(key, remove(`/api/v1/tags/${tag}`))).toMatchObject(DENIED);
    expect((await service.as(key, get('/api/v1/tags'))).text).not.toContain(tag);
    await grant(branch, toKey(key_id));
    expect((await service.as(key, list(past))).status).toBe(200);
    expect((await service.as(key, list(`tags/${tag}`))).status).toBe(200);
    expect((await service.as(key, get('/api/v1/tags'))).text).toContain(tag);
    expect((await service.as(key, list(`main@${json.last_seq}`))).status).toBe(200);
  });

  it('is denied to a past state before anything is said about it', async () => {
    const branch = await newBranch();
    const { key } = await service.newKey(admin);
    const denied = { ...DENIED, json: { ...DENIED.json, branch } };
    for (const place of ['0', '999999', '1999-01-01T00:00:00Z'])
      expect(await service.as(key, list(`${branch}@${place}`)), place).toMatchObject(denied);
    expect((await service.as(key, list('nowhere@0'))).status).toBe(404);
  });

  it('that is missing is not told with the name of a branch that the caller did not name', async () => {
    const [source, target] = [await newBranch(), await newBranch()];
    const { key } = await service.newKey(admin);
    const mine = await newBranch(key);
    await service.as(admin, write(source, 'merged'));
    await service.as(admin, post('/api/v1/tags', { name: `t-${made}`, ref: source }));
    const merge = { target, merge_id: `m-${made}`, keep_open: true };
    expect((await service.as(admin, post(`/api/v1/branches/${source}/merge`, merge))).status).toBe(200);
    const { json } = await service.as(
      admin,
      post('/api/v1/pull-requests', { title: 't', source_branch: source, target_branch: target }),
    );
    await service.as(admin, post('/api/v1/branches', { name: `${source}-child`, from: mine }));
    const asked = [
      list(`tags/t-${made}`),
      remove(`/api/v1/tags/t-${made}`),
      post('/api/v1/rollback', { tag: `t-${made}`, dry_run: true }),
      get(`/api/v1/merges/m-${made}`),
      get(`/api/v1/merges/m-${made}/conflicts`),
      get(`/api/v1/pull-requests/${json.id}`),
      post(`/api/v1/branches/${mine}/merge`, { merge_id: `m-${made}`, dry_run: true }),
      remove(`/api/v1/branches/${mine}`),
    ];
    for (const request of asked) {
      const { status, text } = await service.as(key, request);
      expect([403, 409], request.path).toContain(status);
      expect(text.replaceAll(request.path, '')).not.toMatch(new RegExp(`${source}|${target}`));
    }
  });

  it('of read is for reading, of read_write for writing, and granting again overwrites', async () => {
    const branch = await newBranch();
    const { key, key_id } = await service.newKey(admin);
    const first = await grant(branch, toKey(key_id));
    expect(first).toMatchObject({
      status: 201,
      json: { branch, ...toKey(key_id, 'read'), granted_by: expect.stringMatching(/^key\//) },
    });
    expect(await statuses(key, branch)).toEqual([200, 403]);
    await grant(branch, toKey(key_id, 'read_write'));
    expect(await statuses(key, branch)).toEqual([200, 201]);
    await grant(branch, toKey(key_id, 'read'));
    expect(await statuses(key, branch)).toEqual([200, 403]);
    expect((await service.as(key, get(at(branch)))).json).toMatchObject({ grants: [toKey(key_id, 'read')] });
    const revoked = await service.as(admin, remove(`${at(branch)}/api_key/${key_id}`));
    expect(revoked).toMatchObject({ status: 200, json: toKey(key_id, 'read') });
    expect(await statuses(key, branch)).toEqual([403, 403]);
    expect((await service.as(admin, remove(`${at(branch)}/api_key/${key_id}`))).status).toBe(404);
  });

  it('is had by the creator, who may grant, and by the keys that replace its own', async () => {
    const creator = await service.newKey(admin);
    const other = await service.newKey(admin);
    const branch = await newBranch(creator.key);
    expect(await statuses(creator.key, branch)).toEqual([200, 201]);
    const { json } = await service.as(admin, post(`${KEYS}/${creator.key_id}/rotate`, { overlap_seconds: 0 }));
    const renewed = json.key as string;
    expect(await statuses(renewed, branch)).toEqual([200, 201]);
    expect((await grant(branch, toKey(other.key_id, 'read_write'), renewed)).status).toBe(201);
    const third = await service.newKey(admin);
    expect(await grant(branch, toKey(third.key_id), other.key)).toMatchObject(DENIED);
    expect(await service.as(other.key, remove(`${at(branch)}/api_key/${other.key_id}`))).toMatchObject(DENIED);
  });

  it('of a member who created a branch is had with every key of that member', async () => {
    const ada = await newMember();
    const branch = await newBranch(ada.key);
    const second = await service.newKey(admin, { member_id: ada.member_id });
    expect(await statuses(second.key, branch)).toEqual([200, 201]);
  });

  it('that was granted to a key is had by the one that replaces it', async () => {
    const branch = await newBranch();
    const { key_id } = await service.newKey(admin);
    await grant(branch, toKey(key_id));
    const { json } = await service.as(admin, post(`${KEYS}/${key_id}/rotate`, {}));
    expect(await statuses(json.key as string, branch)).toEqual([200, 403]);
    await service.as(admin, remove(`${at(branch)}/api_key/${json.key_id}`));
    expect(await statuses(json.key as string, branch)).toEqual([403, 403]);
  });

  it('of a user is had by the keys of the member, and of a team by those of all its members', async () => {
    const [ada, bob] = [await newMember(), await newMember()];
    const branch = await newBranch();
    await grant(branch, { grantee_type: 'user', grantee_id: ada.email.toUpperCase() });
    expect([await statuses(ada.key, branch), await statuses(bob.key, branch)]).toEqual([
      [200, 403],
      [403, 403],
    ]);
    const team = await grant(branch, { grantee_type: 'team', grantee_id: bob.slug, permission: 'read_write' });
    expect(team.json).toMatchObject({ grantee_type: 'team', grantee_id: bob.team_id });
    expect(await statuses(bob.key, branch)).toEqual([200, 201]);
    await service.as(admin, remove(`${at(branch)}/user/${ada.email}`));
    expect(await statuses(ada.key, branch)).toEqual([403, 403]);
    await service.as(admin, remove(`${TEAMS}/${bob.team_id}`));
    expect((await service.as(admin, get(at(branch)))).json).toMatchObject({ grants: [] });
  });

  it('is what the strongest grant gives, within the role of the member', async () => {
    const ada = await newMember();
    const branch = await newBranch();
    await grant(branch, { grantee_type: 'user', grantee_id: ada.email, permission: 'read_write' });
    await grant(branch, { grantee_type: 'team', grantee_id: ada.team_id, permission: 'read' });
    expect(await statuses(ada.key, branch)).toEqual([200, 201]);
    await service.as(admin, patch(`${TEAMS}/${ada.team_id}/members/${ada.member_id}`, { role: 'viewer' }));
    expect(await statuses(ada.key, branch)).toEqual([200, 403]);
  });

  it('can be granted to nobody unknown, and not to main', async () => {
    const branch = await newBranch();
    for (const grantee_type of ['api_key', 'team', 'user'])
      expect((await grant(branch, { grantee_type, grantee_id: 'nobody' })).status).toBe(404);
    const { key_id } = await service.newKey(admin);
    expect((await grant('main', toKey(key_id))).status).toBe(409);
    expect((await grant('nowhere', toKey(key_id))).json).toMatchObject({ code: 'branch_not_found' });
    expect((await grant(branch, { ...toKey(key_id), permission: 'write' })).status).toBe(422);
    const elsewhere = await service.newAccount({ name: 'Elsewhere' });
    expect((await grant(branch, toKey(elsewhere.key_id))).status).toBe(404);
  });

  it('is shown on the timeline of the branch, without addresses', async () => {
    const ada = await newMember();
    const branch = await newBranch();
    await grant(branch, { grantee_type: 'user', grantee_id: ada.email });
    await service.as(admin, remove(`${at(branch)}/user/${ada.email}`));
    const { json, text } = await service.as(admin, get('/api/v1/log?limit=1000'));
    const events = (json.events as { branch: string; event_type: string }[]).filter((event) => event.branch === branch);
    expect(events.map(({ event_type }) => event_type)).toEqual(['branch_created', 'access_granted', 'access_revoked']);
    expect(events[1]).toMatchObject({
      details: { grantee_type: 'user', grantee_id: ada.member_id, permission: 'read' },
    });
    expect(text).not.toContain(ada.email);
    expect((await service.as(admin, get('/api/v1/admin/audit'))).text).not.toContain(ada.email);
  });

  it('that is revoked ends open streams there, and no others', async () => {
    const branch = await newBranch();
    const [one, two] = [await service.newKey(admin), await service.newKey(admin)];
    const follow = (key: string) =>
      openStream(service.server.url, { query: `branch=${branch}`, headers: { 'x-mem-api-key': key } });
    expect((await follow(one.key)).status).toBe(403);
    for (const { key_id } of [one, two]) await grant(branch, toKey(key_id));
    const [first, second] = [await follow(one.key), await follow(two.key)];
    await service.as(admin, write(branch, 'before'));
    await first.has(1);
    await Promise.all([
      service.as(admin, remove(`${at(branch)}/api_key/${one.key_id}`)),
      service.as(admin, write(branch, 'after')),
    ]);
    await first.over;
    await second.has(3);
    // Either of the two may have been first; nothing follows the end of the access but the word that it ended.
    const keys = first.events.map(({ data }) => data.key);
    expect(keys.slice(keys.indexOf(null))).toEqual([null, undefined]);
    expect(first.raw()).toContain('branch_access_denied');
    expect(second.isOver()).toBe(false);
    await service.as(admin, write(branch, 'later'));
    await second.has(4);
  });
});

describe('access to branches on two servers', () => {
  it('is granted and revoked on one of them for both', async () => {
    const place = await readyPlace('postgres', { rowSecurity: 'on' });
    const [one, two] = [
      await openHosted('postgres', { app: { place } }),
      await openHosted('postgres', { app: { place } }),
    ];
    const { key: admin } = await one.newAccount();
    const { key, key_id } = await one.newKey(admin);
    const name = 'experiment/two-servers';
    const access = `/api/v1/branches/${name}/access`;
    await one.as(admin, post('/api/v1/branches', { name }));
    const statusOn = async ({ as }: Hosted) => (await as(key, get(`/api/v1/entries?branch=${name}`))).status;
    const isListedOn = async ({ as }: Hosted) => (await as(key, get('/api/v1/branches'))).text.includes(name);
    expect([await statusOn(one), await statusOn(two), await isListedOn(two)]).toEqual([403, 403, false]);
    await one.as(admin, post(access, { grantee_type: 'api_key', grantee_id: key_id }));
    expect([await statusOn(one), await isListedOn(two)]).toEqual([200, true]);
    await until(async () => (await statusOn(two)) === 200);
    await one.as(admin, remove(`${access}/api_key/${key_id}`));
    expect([await statusOn(one), await isListedOn(two)]).toEqual([403, false]);
    await until(async () => (await statusOn(two)) === 403);
    await one.close();
    await two.close();
    await place.remove();
  });
});
