import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../packages/server/src/db/index.ts';
import { backends } from '../support/app.ts';
import { get, type Hosted, openHosted, remove, write } from '../support/hosted.ts';

const AUDIT = '/api/v1/admin/audit';
type AuditLine = Record<string, unknown> & { no: number; action: string; resource: string; after_hash: string };

describe.each(backends)('the audit trail on %s', (backend) => {
  let service: Hosted;
  beforeAll(async () => {
    service = await openHosted(backend, { http: { trustedProxies: ['127.0.0.1'] } });
  });
  afterAll(() => service.close());

  const lines = async (key: string, query = '') => {
    const { json } = await service.as(key, get(`${AUDIT}${query}`));
    return json.entries as AuditLine[];
  };
  const verify = async (key: string) => (await service.as(key, get(`${AUDIT}/verify`))).json;
  const tamper = (statement: ReturnType<typeof sql>) =>
    service.app.kernel.services.database.alter((tx) => tx.run(statement));

  it('records who changed what, from where, and by which key', async () => {
    const { key: admin } = await service.newAccount();
    const { key, key_id } = await service.newKey(admin, { name: 'deploy bot' });
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-mem-user': 'ada@example.com', 'x-mem-agent-id': 'agent/a' };
    const first = await service.as(key, { ...write('svc/pay', 'retry', 1), headers });
    await service.as(key, { ...write('svc/pay', 'retry', 2), headers });
    const [second, before] = await lines(admin, '?action=entries.write');
    expect(second).toMatchObject({
      key_id,
      actor: `key/${key_id}`,
      key_name: 'deploy bot',
      user: 'ada@example.com',
      agent_id: 'agent/a',
      resource: 'svc/pay/retry',
      ip_address: '203.0.113.7',
      before_hash: first.json.content_hash,
    });
    expect(before).toMatchObject({ before_hash: null, after_hash: first.json.content_hash });
    expect(second?.request_id).not.toBe(before?.request_id);
  });

  it('has a line for every look at what only admins see, and for none that was refused', async () => {
    const { key: admin } = await service.newAccount();
    const { key } = await service.newKey(admin);
    await service.as(admin, get('/api/v1/admin/api-keys'));
    await service.as(key, get(AUDIT));
    expect((await lines(admin)).map(({ action }) => action)).toEqual(['keys.list', 'keys.create', 'accounts.create']);
    expect((await lines(admin))[0]).toMatchObject({ action: 'audit.list' });
  });

  it('comes in pages and can be filtered', async () => {
    const { key: admin, key_id } = await service.newAccount();
    for (let i = 0; i < 5; i++) await service.as(admin, write('a/b', `k${i}`));
    const first = await service.as(admin, get(`${AUDIT}?action=entries.write&limit=2`));
    const cursor = first.json.next_cursor as string;
    const second = await service.as(admin, get(`${AUDIT}?action=entries.write&limit=3&cursor=${cursor}`));
    const names = [...(first.json.entries as AuditLine[]), ...(second.json.entries as AuditLine[])].map(
      ({ resource }) => resource,
    );
    expect(names).toEqual(['a/b/k4', 'a/b/k3', 'a/b/k2', 'a/b/k1', 'a/b/k0']);
    expect(await lines(admin, '?resource=a/b/k2')).toHaveLength(1);
    expect(await lines(admin, `?actor=key/${key_id}&action=entries.write`)).toHaveLength(5);
    expect(await lines(admin, '?until=2020-01-01T00:00:00Z')).toEqual([]);
  });

  it('verifies while it is unmodified, also after an erasure', async () => {
    const { key: admin } = await service.newAccount();
    await service.as(admin, write('gone/soon', 'k', 'secret'));
    await service.as(admin, write('kept', 'k'));
    const erased = await service.as(admin, {
      method: 'POST',
      path: '/api/v1/erase',
      body: JSON.stringify({ entity_path: 'gone/soon' }),
    });
    expect(erased.status).toBeLessThan(300);
    expect(JSON.stringify(await lines(admin))).not.toContain('gone/soon/k');
    expect(await verify(admin)).toMatchObject({ problems: [], has_more: false });
  });

  it.each([
    ['changed', sql`UPDATE audit SET actor = 'key/other' WHERE account_id = ${'?'} AND no = 3`, [3, 'changed']],
    ['missing', sql`DELETE FROM audit WHERE account_id = ${'?'} AND no = 3`, [3, 'missing']],
    [
      'subject_changed',
      sql`UPDATE audit SET resource = 'x' WHERE account_id = ${'?'} AND no = 3`,
      [3, 'subject_changed'],
    ],
    ['unchained', sql`UPDATE audit SET hash = NULL WHERE account_id = ${'?'} AND no = 3`, [3, 'unchained']],
  ] as const)('a line that is %s is found', async (_, statement, [no, reason]) => {
    const { key: admin, account_id } = await service.newAccount();
    for (let i = 0; i < 5; i++) await service.as(admin, write('a/b', `k${i}`));
    await tamper({ ...statement, values: [account_id] });
    expect((await verify(admin)).problems).toContainEqual({ no, reason });
  });

  it('an end that was cut off is found', async () => {
    const { key: admin, account_id } = await service.newAccount();
    for (let i = 0; i < 5; i++) await service.as(admin, write('a/b', `k${i}`));
    await tamper(sql`DELETE FROM audit WHERE account_id = ${account_id} AND no >= 5`);
    expect((await verify(admin)).problems).toContainEqual({ no: 6, reason: 'end_missing' });
  });

  it('of one account is nothing to another', async () => {
    const one = await service.newAccount();
    const other = await service.newAccount();
    await service.as(one.key, write('only/of-one', 'k'));
    await service.as(one.key, remove('/api/v1/entries/only/of-one/k'));
    expect(JSON.stringify(await lines(other.key))).not.toContain('only/of-one');
  });
});
