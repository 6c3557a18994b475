import { describe, expect, it, onTestFinished } from 'vitest';
import { backends } from '../../../tests/support/app.ts';
import { get, openHosted, post, remove } from '../../../tests/support/hosted.ts';

describe.each(backends)('keys for rooms on %s', (backend) => {
  async function open() {
    const service = await openHosted(backend);
    onTestFinished(() => service.close());
    const { key: admin } = await service.newAccount({});
    const { room_id } = (await service.as(admin, post('/api/v1/rooms', { name: 'Release planning' }))).json;
    const makeKey = (by: string, ...patterns: string[]) => {
      const scopes = patterns.map((pattern) => ({ pattern, permission: 'READ_WRITE' }));
      return service.as(by, post('/api/v1/admin/api-keys', { name: 'limited', key_type: 'admin', scopes }));
    };
    const limited = async (...patterns: string[]): Promise<string> =>
      String((await makeKey(admin, ...patterns)).json.key);
    const write = (entity_path: string) => post('/api/v1/entries', { entity_path, key: 'date', value: 'monday' });
    return { service, admin, room_id, makeKey, limited, write };
  }

  it('that are limited to a part of a room reach its entries there', async () => {
    const { service, room_id, limited, write } = await open();
    const key = await limited(`@${room_id}/plan/**`, 'checkout/**');
    expect((await service.as(key, write(`@${room_id}/plan/release`))).status).toBe(201);
    expect((await service.as(key, get(`/api/v1/entries/@${room_id}/plan/release/date`))).json.value).toBe('monday');
    expect((await service.as(key, write('checkout/payments'))).status).toBe(201);
    expect((await service.as(key, write(`@${room_id}/talks`))).status).toBe(403);
    expect((await service.as(key, get(`/api/v1/rooms/${room_id}`))).status).toBe(403);
  });

  it('that are limited to a room do all that there is in it', async () => {
    const { service, room_id, limited } = await open();
    const key = await limited(`@${room_id}/**`);
    expect((await service.as(key, get(`/api/v1/rooms/${room_id}`))).json).toMatchObject({ room_id });
    expect((await service.as(key, get('/api/v1/rooms'))).json.rooms).toMatchObject([{ room_id }]);
    expect((await service.as(key, post('/api/v1/rooms', { name: 'Another' }))).status).toBe(403);
    expect((await service.as(key, remove(`/api/v1/rooms/${room_id}`))).json).toMatchObject({ closed: true });
  });

  it('are granted by those that reach as far', async () => {
    const { room_id, makeKey, limited } = await open();
    const key = await limited(`@${room_id}/plan/**`);
    expect((await makeKey(key, `@${room_id}/plan/release/**`)).status).toBe(201);
    expect((await makeKey(key, `@${room_id}/**`)).json).toMatchObject({ code: 'forbidden' });
    expect((await makeKey(key, 'checkout/**')).json).toMatchObject({ code: 'forbidden' });
  });
});
