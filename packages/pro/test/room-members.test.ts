import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { newAccount } from '../../../tests/contract/table.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, caller, openTestApp, type TestApp } from '../../../tests/support/app.ts';
import { accountOfRoom, type Glob, parseGlob, sql, unchanged } from '../../server/src/module.ts';
import { deleteMembership } from '../src/rooms/queries.ts';

const GUEST = '00000000-0000-0000-0000-00000000000b';
const THIRD = '00000000-0000-0000-0000-00000000000c';
const MISSING = '00000000-0000-0000-0000-0000000000ff';
const planner = { agent_id: 'agent/planner' };
const guest = { agent_id: 'agent/planner', account_id: GUEST };
const third = { agent_id: 'agent/planner', account_id: THIRD };

describe.each(backends)('several accounts in a room on %s', (backend) => {
  async function open() {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    await newAccount(app, GUEST);
    await newAccount(app, THIRD);
    const { room_id } = await app.call('rooms.create', { name: 'Release planning', label: 'crew' }, planner);
    return { app, room_id };
  }
  const write = (app: TestApp, room_id: string, as: object) =>
    app.call('entries.write', { entity_path: `@${room_id}/plan`, key: 'date', value: 'friday' }, as);
  const code = async (answer: Promise<unknown>) => (await refusal(answer)).code;

  async function invited(app: TestApp, room_id: string) {
    const invitation = await app.call('rooms.invite', { room_id, account_id: GUEST }, planner);
    await caughtUp(app);
    return invitation;
  }

  async function joined() {
    const { app, room_id } = await open();
    const { invitation_id } = await invited(app, room_id);
    await app.call('room_invitations.accept', { invitation_id, label: 'guests' }, guest);
    return { app, room_id };
  }

  it('are invited by their ids, and come in by accepting', async () => {
    const { app, room_id } = await open();
    const { invitation_id, token } = await invited(app, room_id);
    expect(token).toBeNull();
    expect(await app.call('room_invitations.list', {}, guest)).toMatchObject({
      invitations: [{ invitation_id, room_id, room_name: 'Release planning', invited_by: 'crew' }],
    });
    // An invitation gives no access.
    expect(await code(write(app, room_id, guest))).toBe('room_not_found');
    expect(await code(app.call('rooms.read', { room_id }, guest))).toBe('room_not_found');
    expect(await code(app.call('room_invitations.accept', { invitation_id }, third))).toBe('not_found');
    const accepted = await app.call('room_invitations.accept', { invitation_id, label: 'guests' }, guest);
    expect(accepted).toEqual({ room_id, agent: 'agent/planner@guests', label: 'guests', joined: true });
    expect(await app.call('rooms.list', {}, guest)).toMatchObject({ rooms: [{ room_id, role: 'member' }] });
    expect((await app.call('room_invitations.list', {}, guest)).invitations).toEqual([]);
    await write(app, room_id, planner);
    const list = await app.call('entries.list', { entity_path: `@${room_id}/**` }, guest);
    expect(list.entries).toMatchObject([{ provenance: { agent_id: 'agent/planner@crew' } }]);
    await write(app, room_id, guest);
    expect(await app.call('rooms.members', { room_id }, planner)).toMatchObject({
      members: [{ agent: 'agent/planner@crew' }, { agent: 'agent/planner@guests' }],
    });
    expect(await app.call('rooms.read', { room_id }, planner)).toMatchObject({ account_count: 2, agent_count: 2 });
  });

  it('have one open invitation to a room', async () => {
    const { app, room_id } = await open();
    const { invitation_id } = await invited(app, room_id);
    const again = app.call('rooms.invite', { room_id, account_id: GUEST }, planner);
    expect(await refusal(again)).toMatchObject({ code: 'conflict', invitation_id });
    await app.call('rooms.invite', { room_id, account_id: THIRD }, planner);
    await app.call('rooms.withdraw_invitation', { room_id, invitation_id }, planner);
    await app.call('rooms.invite', { room_id, account_id: GUEST }, planner);
  });

  it('are not brought into a room by a key that is limited to other paths', async () => {
    const { app, room_id } = await open();
    const { invitation_id } = await invited(app, room_id);
    const limited = (...paths: string[]) => {
      const scope = [paths.map((path) => parseGlob(path) as Glob)];
      const key = { key_id: 'limited', name: 'limited', type: 'agent' as const, read: scope, write: scope };
      return { ...guest, key };
    };
    const elsewhere = limited('checkout/**');
    const part = limited(`@${room_id}/plan/**`);
    expect((await app.call('room_invitations.list', {}, elsewhere)).invitations).toEqual([]);
    expect((await app.call('room_invitations.list', {}, part)).invitations).toMatchObject([{ invitation_id }]);
    for (const answer of ['room_invitations.accept', 'room_invitations.decline'] as const) {
      expect(await code(app.call(answer, { invitation_id }, elsewhere))).toBe('not_found');
      expect(await code(app.call(answer, { invitation_id }, part))).toBe('forbidden');
    }
    const { token } = await app.call('rooms.invite', { room_id }, planner);
    expect(await code(app.call('room_invitations.redeem', { token: token as string }, elsewhere))).toBe('forbidden');
    expect(await code(app.call('rooms.create', { name: 'Another' }, elsewhere))).toBe('forbidden');
    expect((await app.call('rooms.list', {}, guest)).rooms).toEqual([]);
    const whole = limited(`@${room_id}/**`);
    expect(await app.call('room_invitations.accept', { invitation_id }, whole)).toMatchObject({ joined: true });
  });

  it('cannot take a label that another has, and get a number where they ask for none', async () => {
    const { app, room_id } = await open();
    const { invitation_id } = await invited(app, room_id);
    expect(await code(app.call('room_invitations.accept', { invitation_id, label: 'crew' }, guest))).toBe('conflict');
    expect(await app.call('room_invitations.accept', { invitation_id }, guest)).toMatchObject({ label: 'home' });
    const { token } = await app.call('rooms.invite', { room_id }, planner);
    expect(await app.call('room_invitations.redeem', { token: token as string }, third)).toMatchObject({
      label: 'home-2',
    });
  });

  it('that were removed come back by a new invitation only', async () => {
    const { app, room_id } = await open();
    const { token } = await app.call('rooms.invite', { room_id }, planner);
    const redeem = () => app.call('room_invitations.redeem', { token: token as string, label: 'guests' }, guest);
    await redeem();
    const { invitation_id } = await app.call('rooms.invite', { room_id, account_id: THIRD }, planner);
    await caughtUp(app);
    await app.call('rooms.remove_account', { room_id, label: 'guests' }, planner);
    expect(await code(redeem())).toBe('not_found');
    expect(await code(write(app, room_id, guest))).toBe('room_not_found');
    // That of another account is as it was.
    await app.call('room_invitations.accept', { invitation_id }, third);
    await invited(app, room_id);
    const [again] = (await app.call('room_invitations.list', {}, guest)).invitations;
    await app.call('room_invitations.accept', { invitation_id: again?.invitation_id as string }, guest);
    await write(app, room_id, guest);
  });

  it('are accounts of customers: a room is not invited to another', async () => {
    const { app, room_id } = await open();
    const other = await app.call('rooms.create', { name: 'Another', label: 'crew' }, planner);
    const invite = app.call('rooms.invite', { room_id, account_id: accountOfRoom(other.room_id) }, planner);
    expect(await code(invite)).toBe('invalid_input');
  });

  it('decline without being named in the room', async () => {
    const { app, room_id } = await open();
    const { invitation_id } = await invited(app, room_id);
    await app.call('room_invitations.decline', { invitation_id }, guest);
    const { events } = await app.call('rooms.updates', { room_id }, planner);
    expect(events.at(-1)).toMatchObject({ event_type: 'room_invitation_ended', agent_id: 'system' });
  });

  it('come in by a token, which is good for one of them', async () => {
    const { app, room_id } = await open();
    const { token } = await app.call('rooms.invite', { room_id }, planner);
    const redeem = (as: object) => app.call('room_invitations.redeem', { token: token as string, label: 'guests' }, as);
    const wrong = { token: `${token?.slice(0, -3)}AAA` };
    expect(await code(app.call('room_invitations.redeem', wrong, guest))).toBe('not_found');
    expect(await redeem(guest)).toMatchObject({ room_id, label: 'guests' });
    expect(await redeem(guest)).toMatchObject({ room_id, label: 'guests' });
    expect(await code(redeem(third))).toBe('not_found');
    expect(JSON.stringify(await tokensIn(app, room_id))).not.toContain(token?.split('.')[2]);
  });

  it('are answered alike where the invited account does not exist, declines, or the invitation is over', async () => {
    const { app, room_id } = await open();
    const unknown = await app.call('rooms.invite', { room_id, account_id: MISSING }, planner);
    expect(unknown).toMatchObject({ status: 'pending', account_id: MISSING });
    const { invitation_id } = await invited(app, room_id);
    expect(await app.call('room_invitations.decline', { invitation_id }, guest)).toMatchObject({ declined: true });
    expect(await code(app.call('room_invitations.accept', { invitation_id }, guest))).toBe('not_found');
    const again = await invited(app, room_id);
    await app.call('rooms.withdraw_invitation', { room_id, invitation_id: again.invitation_id }, planner);
    expect(await code(app.call('room_invitations.accept', { invitation_id: again.invitation_id }, guest))).toBe(
      'not_found',
    );
    const { token } = await app.call('rooms.invite', { room_id, expires_in_hours: 1 }, planner);
    app.clock.advance(3_600_001);
    expect(await code(app.call('room_invitations.redeem', { token: token as string }, guest))).toBe('not_found');
    expect((await app.call('rooms.list_invitations', { room_id }, planner)).invitations).toMatchObject([
      { invitation_id: unknown.invitation_id },
    ]);
  });

  it('leave the settings of the room to its owner', async () => {
    const { app, room_id } = await joined();
    expect(await code(app.call('rooms.update', { room_id, name: 'Ours' }, guest))).toBe('forbidden');
    expect(await code(app.call('rooms.invite', { room_id }, guest))).toBe('forbidden');
    expect(await code(app.call('rooms.list_invitations', { room_id }, guest))).toBe('forbidden');
    expect(await code(app.call('rooms.close', { room_id }, guest))).toBe('forbidden');
    expect(await code(app.call('rooms.remove_account', { room_id, label: 'crew' }, guest))).toBe('forbidden');
    expect(await code(app.call('rooms.remove_account', { room_id, label: 'crew' }, planner))).toBe('conflict');
    await app.call('rooms.update', { room_id, name: 'Release 2' }, planner);
    await caughtUp(app);
    expect((await app.call('rooms.list', {}, guest)).rooms).toMatchObject([{ name: 'Release 2' }]);
  });

  it.each(['removed', 'gone by themselves', 'in a room that is closed'])(
    'see nothing once they are %s',
    async (how) => {
      const { app, room_id } = await joined();
      await write(app, room_id, guest);
      const remove = (as: object) => app.call('rooms.remove_account', { room_id, label: 'guests' }, as);
      if (how === 'removed') await remove(planner);
      else if (how === 'gone by themselves') await remove(guest);
      else await app.call('rooms.close', { room_id }, planner);
      expect(await code(write(app, room_id, guest))).toBe('room_not_found');
      expect(await code(app.call('entries.list', { entity_path: `@${room_id}/**` }, guest))).toBe('room_not_found');
      expect(await code(app.call('rooms.read', { room_id }, guest))).toBe('room_not_found');
      expect(await code(app.call('rooms.join', { room_id }, guest))).toBe('room_not_found');
      expect(await code(app.call('rooms.updates', { room_id }, guest))).toBe('room_not_found');
      await caughtUp(app);
      expect((await app.call('rooms.list', {}, guest)).rooms).toEqual([]);
      const { events } = await app.call('log.list', {}, guest);
      expect(events.at(-1)?.event_type).toBe(how === 'in a room that is closed' ? 'room_closed' : 'room_account_left');
      const own = how === 'in a room that is closed' ? [] : [{ room_id }];
      expect((await app.call('rooms.list', {}, planner)).rooms).toMatchObject(own);
    },
  );

  it('come back with another invitation, under their old label', async () => {
    const { app, room_id } = await joined();
    await app.call('rooms.remove_account', { room_id, label: 'guests' }, planner);
    await caughtUp(app);
    const { invitation_id } = await invited(app, room_id);
    expect(await app.call('room_invitations.accept', { invitation_id }, guest)).toMatchObject({ label: 'guests' });
    expect((await app.call('rooms.list', {}, guest)).rooms).toMatchObject([{ room_id, label: 'guests' }]);
  });

  it.each(['leave', 'remove', 'close'])('get the last event of a stream when they %s', async (how) => {
    const { app, room_id } = await joined();
    const stream = await app.kernel.open('rooms.stream', { room_id }, caller(guest));
    const seen: string[] = [];
    const ended = new Promise<string | undefined>((resolve) => {
      stream.start({
        take(events) {
          seen.push(...events.map(({ event_type }) => event_type));
          return undefined;
        },
        end: (fault) => resolve(fault?.code),
      });
    });
    await write(app, room_id, planner);
    if (how === 'leave') await app.call('rooms.leave', { room_id, agent_id: 'agent/planner' }, guest);
    if (how === 'remove') await app.call('rooms.remove_account', { room_id, label: 'guests' }, planner);
    if (how === 'close') await app.call('rooms.close', { room_id }, planner);
    else await write(app, room_id, planner);
    // Its account is still in a room that an agent leaves.
    expect(await ended).toBe(how === 'leave' ? 'forbidden' : 'room_not_found');
    const last = { leave: 'room_agent_left', remove: 'room_account_left', close: 'room_closed' }[how];
    expect(seen).toEqual(['write', last]);
  });

  it('of an account that is in the room do not use up a token', async () => {
    const { app, room_id } = await joined();
    const { token } = await app.call('rooms.invite', { room_id }, planner);
    const redeem = (as: object) => app.call('room_invitations.redeem', { token: token as string }, as);
    for (const as of [planner, guest, { ...guest, agent_id: 'agent/new' }])
      expect(await code(redeem(as))).toBe('conflict');
    await newAccount(app, THIRD);
    const came = await redeem({ account_id: THIRD, agent_id: 'agent/new' });
    expect(came).toMatchObject({ room_id, joined: true });
    expect(await redeem({ account_id: THIRD, agent_id: 'agent/new' })).toEqual(came);
  });

  it('talk to each other', async () => {
    const { app, room_id } = await joined();
    const question = await app.call(
      'rooms.discuss',
      { room_id, content: 'Friday?', message_type: 'question', addressed_to: 'agent/planner@guests' },
      planner,
    );
    expect(question).toMatchObject({ agent: 'agent/planner@crew', message_type: 'question', reply_to: null });
    const { message_id: reply_to } = question;
    const answer = { room_id, content: 'Monday.', message_type: 'answer' as const, reply_to };
    await app.call('rooms.discuss', answer, guest);
    await app.call('rooms.discuss', { room_id, content: 'To all' }, guest);
    const list = async (input: object, as: object) =>
      (await app.call('rooms.discussions', { room_id, ...input }, as)).messages.map(({ content }) => content);
    expect(await list({}, planner)).toEqual(['To all', 'Monday.', 'Friday?']);
    expect(await list({ mentions_only: true }, planner)).toEqual(['Monday.']);
    expect(await list({ mentions_only: true }, guest)).toEqual(['Friday?']);
    const page = await app.call('rooms.discussions', { room_id, limit: 2 }, planner);
    expect(await list({ limit: 2, cursor: page.next_cursor as string }, planner)).toEqual(['Friday?']);
    expect(await code(app.call('rooms.discuss', { ...answer, reply_to: '99999' }, guest))).toBe('not_found');
    expect(await code(app.call('rooms.discussions', { room_id }, third))).toBe('room_not_found');
    const lost = app.call('rooms.discuss', { room_id, content: 'Hello?', addressed_to: 'agent/planner' }, planner);
    await expect(lost).rejects.toThrow('agent/planner has joined the room, which calls agents <agent_id>@<label>');
    const { events } = await app.call('rooms.updates', { room_id }, guest);
    expect(events.map(({ event_type }) => event_type)).toEqual([
      ...['room_created', 'room_agent_joined', 'room_invited', 'room_account_joined', 'room_agent_joined'],
      ...['room_message', 'room_message', 'room_message'],
    ]);
    // Accounts are known to each other by their labels.
    expect(JSON.stringify(events)).not.toContain(GUEST);
  });

  it('are listed and logged also where the service stopped before that', async () => {
    const { app, room_id } = await joined();
    await caughtUp(app);
    // As if it had stopped between the room and the account: neither has the other's step.
    const home = { ...caller(guest), account_id: GUEST };
    await app.kernel.work(home, 'test', async (work) => {
      await deleteMembership(work.tx, GUEST, room_id);
      return unchanged({});
    });
    await app.kernel.services.database.maintenanceTransaction((tx) =>
      tx.run(sql`UPDATE consumer_cursors SET seq = 0 WHERE account_id = ${accountOfRoom(room_id)}`),
    );
    expect((await app.call('rooms.list', {}, guest)).rooms).toEqual([]);
    await caughtUp(app);
    expect((await app.call('rooms.list', {}, guest)).rooms).toMatchObject([{ room_id, label: 'guests' }]);
  });
});

const tokensIn = async (app: TestApp, room_id: string) => {
  const account_id = accountOfRoom(room_id);
  const { read } = app.kernel.services.database.forAccount(account_id);
  return read.all(sql`SELECT * FROM room_invitations WHERE account_id = ${account_id}`);
};
