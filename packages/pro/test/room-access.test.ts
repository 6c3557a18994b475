import { type Glob, parseGlob } from '@mem-service/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { newStranger } from '../../../tests/contract/room-access.ts';
import { newAccount } from '../../../tests/contract/table.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, caller, openTestApp, type TestApp } from '../../../tests/support/app.ts';
import { sql, unchanged } from '../../server/src/module.ts';

const GUEST = '00000000-0000-0000-0000-00000000000b';
const DAY_MS = 86_400_000;
const owner = { agent_id: 'agent/planner' };
const guest = { agent_id: 'agent/tester', account_id: GUEST };

describe.each(backends)('requests for access to rooms on %s', (backend) => {
  async function open() {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    await newAccount(app, GUEST);
    const { room_id } = await app.call('rooms.create', { name: 'Release planning', label: 'crew' }, owner);
    await app.call('rooms.update', { room_id, discoverable: true }, owner);
    return { app, room_id };
  }
  const ask = (app: TestApp, room_id: string, as: object = guest) =>
    app.call('room_directory.request_access', { room_id, message: 'We test it.', label: 'guests' }, as);
  const answer = (app: TestApp, how: 'approve' | 'decline', { room_id, access_request_id }: Record<string, unknown>) =>
    app.call(`rooms.${how}_access`, { room_id, access_request_id } as never, owner);
  const listed = async (app: TestApp, room_id: string) =>
    (await app.call('rooms.list_access_requests', { room_id }, owner)).access_requests;
  const sent = async (app: TestApp) => {
    await caughtUp(app);
    return (await app.call('room_access_requests.list', {}, guest)).access_requests;
  };
  const write = (app: TestApp, room_id: string, as: object) =>
    app.call('entries.write', { entity_path: `@${room_id}/plan`, key: 'date', value: 'friday' }, as);
  const code = async (answer: Promise<unknown>) => (await refusal(answer)).code;

  it('bring an account in when the owner approves, at once', async () => {
    const { app, room_id } = await open();
    const asked = await ask(app, room_id);
    const { access_request_id } = asked;
    expect(asked).toMatchObject({ room_id, room_name: 'Release planning', status: 'pending', message: 'We test it.' });
    // To ask gives no access, and asking again is the same request.
    expect(await code(write(app, room_id, guest))).toBe('room_not_found');
    expect(await code(app.call('rooms.read', { room_id }, guest))).toBe('room_not_found');
    expect(await ask(app, room_id, { ...guest, agent_id: 'agent/other' })).toEqual(asked);
    expect(await sent(app)).toEqual([asked]);
    const { agent, ...request } = (await listed(app, room_id))[0] as Record<string, unknown>;
    expect([agent, request.access_request_id]).toEqual(['agent/tester@guests', access_request_id]);
    expect(JSON.stringify(request)).not.toContain(GUEST);
    expect(await answer(app, 'approve', asked)).toMatchObject({ status: 'approved', agent: 'agent/tester@guests' });
    await write(app, room_id, guest);
    const read = await app.call('entries.read', { entity_path: `@${room_id}/plan`, key: 'date' }, guest);
    expect(read.provenance.agent_id).toBe('agent/tester@guests');
    expect(await sent(app)).toEqual([{ ...asked, status: 'approved' }]);
    expect(await app.call('rooms.list', {}, guest)).toMatchObject({ rooms: [{ room_id, label: 'guests' }] });
    expect(await listed(app, room_id)).toEqual([]);
    // It is approved once, and nobody asks for what he has.
    expect(await answer(app, 'approve', asked)).toMatchObject({ status: 'approved' });
    expect(await code(answer(app, 'decline', asked))).toBe('not_found');
    expect(await code(ask(app, room_id))).toBe('conflict');
  });

  it('are neither made nor seen by a key that is limited to other paths', async () => {
    const { app, room_id } = await open();
    const limited = (path: string) => {
      const scope = [[parseGlob(path) as Glob]];
      const key = { key_id: 'limited', name: 'limited', type: 'agent' as const, read: scope, write: scope };
      return { ...guest, key };
    };
    const elsewhere = limited('checkout/**');
    expect(await code(ask(app, room_id, elsewhere))).toBe('forbidden');
    expect(await sent(app)).toEqual([]);
    expect(await ask(app, room_id, limited(`@${room_id}/**`))).toMatchObject({ status: 'pending' });
    await caughtUp(app);
    const seen = await app.call('room_access_requests.list', {}, elsewhere);
    expect(seen.access_requests).toEqual([]);
  });

  it('are on both logs, and name on that of the room nobody who is not in it', async () => {
    const { app, room_id } = await open();
    const first = await ask(app, room_id);
    await caughtUp(app);
    const inRoom = async () => (await app.call('rooms.updates', { room_id }, owner)).events;
    expect((await inRoom()).at(-1)).toMatchObject({ event_type: 'room_access_requested', agent_id: 'system' });
    expect(JSON.stringify(await inRoom())).not.toMatch(/tester|guests|We test/);
    await answer(app, 'decline', first);
    await caughtUp(app);
    const { events } = await app.call('log.list', {}, guest);
    expect(events.map(({ event_type }) => event_type)).toEqual(['room_access_requested', 'room_access_answered']);
    expect(events[0]).toMatchObject({ agent_id: 'agent/tester' });
    expect(JSON.stringify(events)).not.toMatch(/crew|planner@/);
  });

  it('that are declined are not made again for a month, and an invitation is still good', async () => {
    const { app, room_id } = await open();
    const asked = await ask(app, room_id);
    expect(await answer(app, 'decline', asked)).toMatchObject({ status: 'declined' });
    expect(await sent(app)).toEqual([{ ...asked, status: 'declined' }]);
    expect(await ask(app, room_id)).toEqual({ ...asked, status: 'declined' });
    expect(await listed(app, room_id)).toEqual([]);
    expect(await code(answer(app, 'approve', asked))).toBe('not_found');
    const { admitted, invitation_id } = await app.call('rooms.grant_access', { room_id, account_id: GUEST }, owner);
    expect(admitted).toBe(false);
    expect(await code(write(app, room_id, guest))).toBe('room_not_found');
    await caughtUp(app);
    await app.call('room_invitations.accept', { invitation_id: invitation_id as string }, guest);
    await write(app, room_id, guest);
    await app.call('rooms.remove_account', { room_id, label: 'home' }, owner);
    app.clock.advance(31 * DAY_MS);
    const again = await ask(app, room_id);
    expect(again.access_request_id).not.toBe(asked.access_request_id);
    expect(await sent(app)).toEqual([again]);
  });

  it('that nobody answers expire', async () => {
    const { app, room_id } = await open();
    const asked = await ask(app, room_id);
    app.clock.advance(31 * DAY_MS);
    expect(await listed(app, room_id)).toEqual([]);
    expect(await sent(app)).toEqual([]);
    expect(await code(answer(app, 'approve', asked))).toBe('not_found');
  });

  it('are answered by a grant to the account, and by an invitation that it accepts', async () => {
    const { app, room_id } = await open();
    const asked = await ask(app, room_id);
    const grant = () => app.call('rooms.grant_access', { room_id, account_id: GUEST }, owner);
    expect(await grant()).toEqual({ room_id, admitted: true, invitation_id: null });
    await write(app, room_id, guest);
    expect(await sent(app)).toEqual([{ ...asked, status: 'approved' }]);
    expect(await code(grant())).toBe('conflict');
    await app.call('rooms.remove_account', { room_id, label: 'guests' }, owner);
    // Who was let in once, and removed, asks again; nothing of before lets it in.
    expect(await code(write(app, room_id, guest))).toBe('room_not_found');
    const second = await ask(app, room_id);
    expect(second.status).toBe('pending');
    const { token } = await app.call('rooms.invite', { room_id }, owner);
    await app.call('room_invitations.redeem', { token: token as string }, guest);
    expect(await listed(app, room_id)).toEqual([]);
    expect((await sent(app)).map(({ status }) => status)).toEqual(['approved', 'approved']);
  });

  it('are for rooms that can be found: any other is answered as one that never was', async () => {
    const { app, room_id } = await open();
    const asked = await ask(app, room_id);
    await app.call('rooms.update', { room_id, discoverable: false }, owner);
    const missing = await refusal(ask(app, 'never-there-aaaaaa'));
    const hidden = await refusal(ask(app, room_id));
    expect(hidden.code).toBe('room_not_found');
    expect(JSON.stringify(hidden).replaceAll(room_id, 'never-there-aaaaaa')).toBe(JSON.stringify(missing));
    // What was asked before can still be answered.
    expect(await answer(app, 'approve', asked)).toMatchObject({ status: 'approved' });
  });

  it('end with the room', async () => {
    const { app, room_id } = await open();
    const asked = await ask(app, room_id);
    await app.call('rooms.close', { room_id }, owner);
    expect(await code(answer(app, 'approve', asked))).toBe('room_not_found');
    expect(await sent(app)).toEqual([{ ...asked, status: 'declined' }]);
    expect(await code(ask(app, room_id))).toBe('room_not_found');
  });

  it('are seen and answered by the owner alone', async () => {
    const { app, room_id } = await open();
    const asked = await ask(app, room_id);
    const other = await newStranger(app);
    const { token } = await app.call('rooms.invite', { room_id }, owner);
    await app.call('room_invitations.redeem', { token: token as string, label: 'member' }, other);
    const { access_request_id } = asked;
    for (const [as, refused] of [
      [other, 'forbidden'],
      [guest, 'room_not_found'],
    ] as const) {
      expect(await code(app.call('rooms.list_access_requests', { room_id }, as))).toBe(refused);
      expect(await code(app.call('rooms.approve_access', { room_id, access_request_id }, as))).toBe(refused);
      expect(await code(app.call('rooms.decline_access', { room_id, access_request_id }, as))).toBe(refused);
      expect(await code(app.call('rooms.grant_access', { room_id, account_id: GUEST }, as))).toBe(refused);
    }
    expect((await app.call('room_access_requests.list', {}, other)).access_requests).toEqual([]);
  });

  it('are bounded, by account and by room', async () => {
    const { app, room_id } = await open();
    const made = Array.from({ length: 21 }, async (_, i) => {
      const room = await app.call('rooms.create', { name: `Room ${i}`, label: 'crew' }, owner);
      await app.call('rooms.update', { room_id: room.room_id, discoverable: true }, owner);
      return room.room_id;
    });
    const [last, ...rooms] = await Promise.all(made);
    for (const one of rooms) await ask(app, one);
    expect(await refusal(ask(app, last as string))).toMatchObject({ code: 'conflict', max_requests: 20 });
    for (let i = 0; i < 100; i++) await ask(app, room_id, await newStranger(app));
    const one = await refusal(ask(app, room_id, await newStranger(app)));
    expect(one).toMatchObject({ code: 'conflict', max_requests: 100 });
    expect((await listed(app, room_id)).length).toBe(100);
  });

  it('are in the own list of the account also where the service stopped before that', async () => {
    const { app, room_id } = await open();
    const asked = await ask(app, room_id);
    await app.kernel.work(caller(guest), 'rooms.follow', async (work) => {
      await work.tx.run(sql`DELETE FROM sent_access_requests WHERE account_id = ${GUEST}`);
      return unchanged({});
    });
    await answer(app, 'decline', asked);
    expect(await sent(app)).toEqual([{ ...asked, status: 'declined' }]);
  });

  it('of an account that is gone are not approved', async () => {
    const { app, room_id } = await open();
    const { account_id } = await app.call(
      'accounts.create',
      { name: 'Leaving', plan: 'enterprise' },
      { control: true },
    );
    const asked = await ask(app, room_id, { account_id, agent_id: 'agent/leaving' });
    await app.call('accounts.delete', { account_id, force: true, name: 'Leaving' }, { control: true });
    expect(await code(answer(app, 'approve', asked))).toBe('not_found');
    const { accounts } = await app.call('rooms.read', { room_id }, owner);
    expect(accounts).toHaveLength(1);
  });
});
