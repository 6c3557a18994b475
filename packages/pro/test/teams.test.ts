import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStream } from '../../../tests/stream/support.ts';
import { backends } from '../../../tests/support/app.ts';
import { get, type Hosted, openHosted, patch, post, remove, write } from '../../../tests/support/hosted.ts';

const TEAMS = '/api/v1/admin/teams';
const KEYS = '/api/v1/admin/api-keys';
const READ_ONLY = [{ pattern: '*', permission: 'READ' }];

describe.each(backends)('teams on %s', (backend) => {
  let service: Hosted;
  let admin: string;
  beforeAll(async () => {
    service = await openHosted(backend);
    ({ key: admin } = await service.newAccount());
  });
  afterAll(() => service.close());

  // Ids sort by time.
  const later = () => service.app.clock.advance(1);
  let made = 0;
  const newTeam = async (input = {}) => {
    made++;
    later();
    const { status, json } = await service.as(admin, post(TEAMS, { name: 'One', slug: `one-${made}`, ...input }));
    expect(status).toBe(201);
    return json as { team_id: string; slug: string; updated_at: string };
  };
  const newMember = async (team_id: string, input = {}) => {
    later();
    const { status, json } = await service.as(
      admin,
      post(`${TEAMS}/${team_id}/members`, { email: 'ada@example.com', ...input }),
    );
    expect(status).toBe(201);
    return json as { member_id: string; email: string; role: string };
  };
  const at = (team_id: string, member_id: string) => `${TEAMS}/${team_id}/members/${member_id}`;
  const keyOf = (member_id: string, input = {}) => {
    later();
    return service.newKey(admin, { member_id, ...input });
  };
  const statusOf = async (key: string) => (await service.as(key, get('/api/v1/entries'))).status;

  it('are created, listed, changed and deleted', async () => {
    const { team_id } = await newTeam({ name: 'Payments', slug: 'payments', description: 'the checkout' });
    const { json } = await service.as(admin, get(`${TEAMS}?slug=payments`));
    expect(json).toMatchObject({
      teams: [{ team_id, name: 'Payments', slug: 'payments', description: 'the checkout', member_count: 0 }],
    });
    const renamed = await service.as(admin, patch(`${TEAMS}/${team_id}`, { name: 'Refunds' }));
    expect(renamed.json).toMatchObject({ name: 'Refunds', slug: 'payments', description: 'the checkout' });
    const gone = await service.as(admin, remove(`${TEAMS}/${team_id}`));
    expect(gone).toMatchObject({ status: 200, json: { team_id, deleted: true } });
    expect((await service.as(admin, remove(`${TEAMS}/${team_id}`))).status).toBe(404);
    expect((await service.as(admin, patch(`${TEAMS}/${team_id}`, { name: 'x' }))).status).toBe(404);
    expect((await service.as(admin, get(`${TEAMS}/${team_id}/members`))).status).toBe(404);
  });

  it('have a slug that no other team of the account has', async () => {
    const { slug } = await newTeam();
    const other = await newTeam();
    const again = await service.as(admin, post(TEAMS, { name: 'Two', slug }));
    expect(again).toMatchObject({ status: 409, json: { code: 'conflict', slug } });
    expect((await service.as(admin, patch(`${TEAMS}/${other.team_id}`, { slug }))).status).toBe(409);
    const { key } = await service.newAccount({ name: 'Elsewhere' });
    expect((await service.as(key, post(TEAMS, { name: 'Two', slug }))).status).toBe(201);
  });

  it('are listed in pages, newest first', async () => {
    const { key } = await service.newAccount({ name: 'Paged' });
    for (const slug of ['a', 'b', 'c']) {
      later();
      await service.as(key, post(TEAMS, { name: slug, slug }));
    }
    const first = await service.as(key, get(`${TEAMS}?limit=2`));
    expect(first.json).toMatchObject({ teams: [{ slug: 'c' }, { slug: 'b' }], has_more: true });
    const second = await service.as(key, get(`${TEAMS}?limit=2&cursor=${first.json.next_cursor}`));
    expect(second.json).toMatchObject({ teams: [{ slug: 'a' }], has_more: false });
  });

  it('are for admin keys that have the whole account', async () => {
    const { key } = await service.newKey(admin);
    const scoped = await service.newKey(admin, {
      key_type: 'admin',
      scopes: [{ pattern: 'a/**', permission: 'READ_WRITE' }],
    });
    for (const one of [key, scoped.key]) expect((await service.as(one, get(TEAMS))).status).toBe(403);
  });

  it('every change is audited and logged, without the names of people', async () => {
    const { key } = await service.newAccount({ name: 'Audited' });
    const { json: team } = await service.as(key, post(TEAMS, { name: 'One', slug: 'one' }));
    const members = `${TEAMS}/${team.team_id}/members`;
    const { json: ada } = await service.as(key, post(members, { email: 'ada@example.com', display_name: 'Ada' }));
    await service.as(key, patch(`${members}/${ada.member_id}`, { role: 'viewer' }));
    await service.as(key, remove(`${members}/${ada.member_id}`));
    await service.as(key, post(`${members}/${ada.member_id}/reinstate`, {}));
    await service.as(key, remove(`${TEAMS}/${team.team_id}`));
    const { json, text } = await service.as(key, get('/api/v1/admin/audit?limit=6'));
    expect((json.entries as { action: string }[]).map(({ action }) => action)).toEqual([
      'teams.delete',
      'members.reinstate',
      'members.remove',
      'members.update',
      'members.add',
      'teams.create',
    ]);
    expect(text).not.toContain('ada@');
    expect((await service.as(key, get('/api/v1/log'))).text).not.toContain('member_');
  });

  describe('members', () => {
    it('have a role, developer unless another is given', async () => {
      const { team_id } = await newTeam();
      const ada = await newMember(team_id, { email: ' Ada@Example.com ', display_name: 'Ada' });
      expect(ada).toMatchObject({ email: 'ada@example.com', role: 'developer', removed_at: null, removed_by: null });
      const changed = await service.as(admin, patch(at(team_id, ada.member_id), { role: 'admin' }));
      expect(changed.json).toMatchObject({ role: 'admin', display_name: 'Ada' });
      expect((await service.as(admin, patch(at(team_id, ada.member_id), { role: 'owner' }))).status).toBe(422);
      const wrong = await service.as(admin, post(`${TEAMS}/${team_id}/members`, { email: 'no address' }));
      expect(wrong.status).toBe(422);
    });

    it('are in a team once, and of their own team only', async () => {
      const { team_id } = await newTeam();
      const other = await newTeam();
      const ada = await newMember(team_id);
      const again = await service.as(admin, post(`${TEAMS}/${team_id}/members`, { email: 'ADA@example.com' }));
      expect(again).toMatchObject({ status: 409, json: { code: 'conflict' } });
      await newMember(other.team_id);
      expect((await service.as(admin, remove(at(other.team_id, ada.member_id)))).status).toBe(404);
    });

    it('are counted and listed without those who were removed, unless asked for', async () => {
      const { team_id, slug } = await newTeam();
      const ada = await newMember(team_id);
      const bob = await newMember(team_id, { email: 'bob@example.com' });
      await service.as(admin, remove(at(team_id, ada.member_id)));
      const all = `${TEAMS}/${team_id}/members`;
      expect((await service.as(admin, get(all))).json).toMatchObject({ members: [{ member_id: bob.member_id }] });
      const { json } = await service.as(admin, get(`${all}?include_removed=true`));
      expect(json).toMatchObject({
        members: [
          { member_id: bob.member_id, removed_at: null },
          { member_id: ada.member_id, removed_at: expect.any(String), removed_by: expect.stringMatching(/^key\//) },
        ],
      });
      expect((await service.as(admin, get(`${TEAMS}?slug=${slug}`))).json).toMatchObject({
        teams: [{ member_count: 1 }],
      });
    });

    it('who were removed are reinstated when they are added again, as the same member', async () => {
      const { team_id } = await newTeam();
      const ada = await newMember(team_id, { display_name: 'Ada' });
      await service.as(admin, remove(at(team_id, ada.member_id)));
      expect((await service.as(admin, patch(at(team_id, ada.member_id), { role: 'viewer' }))).status).toBe(409);
      const again = await newMember(team_id, { role: 'viewer' });
      expect(again).toMatchObject({ member_id: ada.member_id, display_name: 'Ada', role: 'viewer', removed_at: null });
    });
  });

  describe('keys of members', () => {
    it('name their member, and can be listed by it', async () => {
      const { team_id } = await newTeam();
      const { member_id } = await newMember(team_id);
      const { key, key_id } = await keyOf(member_id);
      await service.newKey(admin);
      const { json } = await service.as(admin, get(`${KEYS}?member_id=${member_id}`));
      expect(json).toMatchObject({ keys: [{ key_id, member_id, active: true }], has_more: false });
      expect((await service.as(key, get('/api/v1/me'))).json).toMatchObject({ key: { member_id } });
      const unknown = await service.as(admin, post(KEYS, { name: 'x', member_id: 'nobody' }));
      expect(unknown.status).toBe(404);
    });

    it('stop working when the member is removed, and work again after a reinstatement', async () => {
      const { team_id } = await newTeam();
      const { member_id } = await newMember(team_id);
      const { key, key_id } = await keyOf(member_id);
      const revoked = await keyOf(member_id);
      await service.as(admin, remove(`${KEYS}/${revoked.key_id}`));
      const listener = await openStream(service.server.url, { headers: { 'x-mem-api-key': key } });
      expect(await statusOf(key)).toBe(200);
      await service.as(admin, remove(at(team_id, member_id)));
      await listener.over;
      const refused = await service.as(key, get('/api/v1/entries'));
      expect(refused).toMatchObject({ status: 401, json: { code: 'unauthenticated' } });
      expect((await service.as(admin, get(`${KEYS}?member_id=${member_id}`))).json).toMatchObject({
        keys: [{ active: false }, { key_id, active: false, revoked_at: null }],
      });
      expect((await service.as(admin, post(KEYS, { name: 'x', member_id }))).status).toBe(409);
      expect((await service.as(admin, post(`${KEYS}/${key_id}/rotate`, {}))).status).toBe(409);
      await service.as(admin, post(`${at(team_id, member_id)}/reinstate`, {}));
      expect(await statusOf(key)).toBe(200);
      expect(await statusOf(revoked.key)).toBe(401);
    });

    it('stop working for good when the team is deleted', async () => {
      const { team_id } = await newTeam();
      const { member_id } = await newMember(team_id);
      const { key } = await keyOf(member_id);
      expect(await statusOf(key)).toBe(200);
      await service.as(admin, remove(`${TEAMS}/${team_id}`));
      expect(await statusOf(key)).toBe(401);
    });

    it('stay those of the member when they are rotated', async () => {
      const { team_id } = await newTeam();
      const { member_id } = await newMember(team_id);
      const { key_id } = await keyOf(member_id);
      const { json } = await service.as(admin, post(`${KEYS}/${key_id}/rotate`, {}));
      expect(json).toMatchObject({ member_id });
      await service.as(admin, remove(at(team_id, member_id)));
      expect(await statusOf(json.key as string)).toBe(401);
    });

    it('can be no more than the role of the member', async () => {
      const { team_id } = await newTeam();
      const developer = await newMember(team_id);
      const viewer = await newMember(team_id, { email: 'bob@example.com', role: 'viewer' });
      const beyond = (member_id: string, input: object) =>
        service.as(admin, post(KEYS, { name: 'x', member_id, ...input }));
      expect((await beyond(developer.member_id, { key_type: 'admin' })).status).toBe(403);
      expect((await beyond(viewer.member_id, {})).status).toBe(403);
      expect((await beyond(viewer.member_id, { scopes: READ_ONLY })).status).toBe(201);
    });

    it('follow a change of role at once, and their streams end', async () => {
      const { team_id } = await newTeam();
      const { member_id } = await newMember(team_id, { role: 'admin' });
      const { key } = await keyOf(member_id, { key_type: 'admin' });
      const listener = await openStream(service.server.url, { headers: { 'x-mem-api-key': key } });
      const become = (role: string) => service.as(admin, patch(at(team_id, member_id), { role }));
      expect((await service.as(key, get(KEYS))).status).toBe(200);
      await become('developer');
      await listener.over;
      expect((await service.as(key, get(KEYS))).status).toBe(403);
      expect((await service.as(key, write('roles'))).status).toBe(201);
      await become('viewer');
      expect((await service.as(key, write('roles', 'k', 2))).status).toBe(403);
      expect(await statusOf(key)).toBe(200);
      await become('admin');
      expect((await service.as(key, get(KEYS))).status).toBe(200);
    });

    it('are at most 100 that work', async () => {
      const { team_id } = await newTeam();
      const { member_id } = await newMember(team_id);
      for (let i = 0; i < 100; i++) await keyOf(member_id);
      const more = await service.as(admin, post(KEYS, { name: 'x', member_id }));
      expect(more).toMatchObject({ status: 409, json: { code: 'conflict', member_id } });
    });
  });
});
