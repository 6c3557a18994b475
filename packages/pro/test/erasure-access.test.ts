import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends } from '../../../tests/support/app.ts';
import { get, type Hosted, openHosted, post, remove } from '../../../tests/support/hosted.ts';

describe.each(backends)('erasure by keys on %s', (backend) => {
  let service: Hosted;
  let admin: string;
  let agent: { key: string; key_id: string };
  beforeAll(async () => {
    service = await openHosted(backend);
    ({ key: admin } = await service.newAccount());
    agent = await service.newKey(admin);
    for (const name of ['secret', 'read', 'write', 'guarded']) {
      await service.as(admin, post('/api/v1/branches', { name }));
      const permission = name === 'read' ? 'read' : 'read_write';
      const grant = { grantee_type: 'api_key', grantee_id: agent.key_id, permission };
      if (name !== 'secret') await service.as(admin, post(`/api/v1/branches/${name}/access`, grant));
    }
  });
  afterAll(() => service.close());

  const branches = ['main', 'secret', 'read', 'write', 'guarded'];
  const protect = (branch: string) =>
    service.as(admin, { ...post(`/api/v1/branches/${branch}/protection`, {}), method: 'PUT' });
  const unprotect = (branch: string) => service.as(admin, remove(`/api/v1/branches/${branch}/protection`));
  const write = (branch: string, key: string) =>
    service.as(admin, post('/api/v1/entries', { entity_path: 'p', key, value: branch, branch }));
  const erase = (as: string, input: object) => service.as(as, post('/api/v1/erase', { entity_path: 'p', ...input }));
  const left = async (key: string) => {
    const found: string[] = [];
    for (const branch of branches)
      if ((await service.as(admin, get(`/api/v1/entries/p/${key}?branch=${branch}`))).status === 200)
        found.push(branch);
    return found;
  };
  const everywhere = async (key: string) => {
    for (const branch of branches) await write(branch, key);
    await protect('guarded');
  };

  it('reaches from main what the key may write to, and counts nothing else', async () => {
    await everywhere('a');
    const counted = await erase(agent.key, { key: 'a', dry_run: true });
    expect(counted).toMatchObject({ status: 200, json: { erased: { entries: 2, versions: 2 } } });
    expect(await erase(agent.key, { key: 'a' })).toMatchObject({ json: { erased: { entries: 2, versions: 2 } } });
    expect(await left('a')).toEqual(['secret', 'read', 'guarded']);
    await unprotect('guarded');
  });

  it('says nothing of what is only on a branch that the key may not read', async () => {
    await write('secret', 'only');
    expect(await erase(agent.key, { key: 'only', dry_run: true })).toMatchObject({ json: { erased: { entries: 0 } } });
    await erase(agent.key, { key: 'only' });
    expect(await left('only')).toEqual(['secret']);
    expect(await erase(agent.key, { key: 'only', branch: 'secret' })).toMatchObject({ status: 403 });
  });

  it('of a protected branch is for admins', async () => {
    await everywhere('b');
    await protect('main');
    const refused = { status: 409, json: { code: 'branch_protected' } };
    for (const branch of ['main', 'guarded'])
      for (const dry_run of [true, false])
        expect(await erase(agent.key, { key: 'b', branch, dry_run })).toMatchObject(refused);
    expect(await erase(admin, { key: 'b' })).toMatchObject({ status: 200, json: { erased: { entries: 5 } } });
    expect(await left('b')).toEqual([]);
    for (const branch of ['main', 'guarded']) await unprotect(branch);
  });
});
