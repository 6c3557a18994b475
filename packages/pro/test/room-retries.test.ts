import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { newAccount } from '../../../tests/contract/table.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const GUEST = '00000000-0000-0000-0000-00000000000b';
const THIRD = '00000000-0000-0000-0000-00000000000c';
const planner = { agent_id: 'agent/planner' };
const guest = { agent_id: 'agent/planner', account_id: GUEST };
const third = { agent_id: 'agent/planner', account_id: THIRD };
/** Each account has keys of its own, and so names of its own for requests. */
const retried = (as: { agent_id: string; account_id?: string }, idempotency_key = 'once') => ({
  ...as,
  holder: as.account_id ?? 'crew',
  idempotency_key,
});

describe.each(backends)('a request of a room that is sent again on %s', (backend) => {
  async function open() {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    await newAccount(app, GUEST);
    await newAccount(app, THIRD);
    const { room_id } = await app.call('rooms.create', { name: 'Release planning', label: 'crew' }, planner);
    const { invitation_id } = await app.call('rooms.invite', { room_id, account_id: GUEST }, planner);
    await caughtUp(app);
    return { app, room_id, invitation_id };
  }
  async function joined() {
    const { app, room_id, invitation_id } = await open();
    await app.call('room_invitations.accept', { invitation_id, label: 'guests' }, guest);
    return { app, room_id };
  }
  const code = async (answer: Promise<unknown>) => (await refusal(answer)).code;
  const eventsOf = async (app: TestApp, as: object) =>
    (await app.call('log.list', { limit: 100 }, as)).events.map(({ event_type }) => event_type);

  it('makes one room, and none of another name', async () => {
    const { app } = await open();
    const make = (name: string) => app.call('rooms.create', { name, label: 'crew' }, retried(planner));
    const first = await make('Incident reviews');
    expect(await make('Incident reviews')).toEqual(first);
    expect(await code(make('Incident review'))).toBe('idempotency_mismatch');
    expect((await app.call('rooms.list', {}, planner)).rooms).toHaveLength(2);
  });

  it('does not answer with a room that was closed meanwhile', async () => {
    const { app } = await open();
    const make = () => app.call('rooms.create', { name: 'Incident reviews', label: 'crew' }, retried(planner));
    const { room_id } = await make();
    await app.call('rooms.close', { room_id }, planner);
    app.clock.advance(25 * 3_600_000);
    expect(await code(make())).toBe('conflict');
  });

  it('accepts an invitation once, with an idempotency key or without', async () => {
    const { app, invitation_id } = await open();
    const accept = (as: object) => app.call('room_invitations.accept', { invitation_id, label: 'guests' }, as);
    const first = await accept(retried(guest));
    const events = await eventsOf(app, guest);
    expect(await accept(retried(guest))).toEqual(first);
    await caughtUp(app);
    expect(await accept(retried(guest))).toEqual(first);
    expect(await accept(guest)).toEqual(first);
    expect(await eventsOf(app, guest)).toEqual(events);
    expect((await app.call('room_invitations.list', {}, guest)).invitations).toEqual([]);
    expect(await code(accept(retried(third)))).toBe('not_found');
  });

  it('lets nobody in again who left after having accepted', async () => {
    const { app, room_id, invitation_id } = await open();
    const accept = (as: object) => app.call('room_invitations.accept', { invitation_id, label: 'guests' }, as);
    await accept(guest);
    await app.call('rooms.remove_account', { room_id, label: 'guests' }, guest);
    expect(await code(accept(guest))).toBe('not_found');
    expect(await code(app.call('rooms.read', { room_id }, guest))).toBe('room_not_found');
  });

  it.each(['account was removed', 'room was closed'])('no longer says that it joined once the %s', async (end) => {
    const { app, room_id, invitation_id } = await open();
    const { token } = await app.call('rooms.invite', { room_id }, planner);
    const accept = () => app.call('room_invitations.accept', { invitation_id }, retried(guest));
    const redeem = () => app.call('room_invitations.redeem', { token: token as string }, retried(third));
    const answers = [await accept(), await redeem()];
    expect([await accept(), await redeem()]).toEqual(answers);
    const labels = answers.map(({ label }) => label);
    if (end === 'room was closed') await app.call('rooms.close', { room_id }, planner);
    else for (const label of labels) await app.call('rooms.remove_account', { room_id, label }, planner);
    for (const again of [accept, redeem]) expect(await code(again())).toBe('room_not_found');
    await caughtUp(app);
    for (const again of [accept, redeem]) expect(await code(again())).toBe('room_not_found');
    for (const as of [guest, third]) expect((await app.call('rooms.list', {}, as)).rooms).toEqual([]);
  });

  it('declines an invitation once', async () => {
    const { app, invitation_id } = await open();
    const decline = (as: object) => app.call('room_invitations.decline', { invitation_id }, as);
    const first = await decline(retried(guest));
    const events = await eventsOf(app, guest);
    expect(await decline(retried(guest))).toEqual(first);
    expect(await decline(guest)).toEqual(first);
    expect(await eventsOf(app, guest)).toEqual(events);
    expect(await code(app.call('room_invitations.accept', { invitation_id }, guest))).toBe('not_found');
  });

  it('does not say of an accepted invitation that it is declined', async () => {
    const { app, invitation_id } = await open();
    await app.call('room_invitations.accept', { invitation_id }, guest);
    expect(await code(app.call('room_invitations.decline', { invitation_id }, guest))).toBe('not_found');
  });

  it('takes an account out of a room once', async () => {
    const { app, room_id } = await joined();
    const leave = (as: object) => app.call('rooms.remove_account', { room_id, label: 'guests' }, as);
    const first = await leave(retried(guest));
    expect(first).toMatchObject({ removed: true });
    expect(await leave(retried(guest))).toEqual(first);
    // Another request is refused as by a room that never was, and so are other keys and other accounts.
    const another = app.call('rooms.remove_account', { room_id, label: 'crew' }, retried(guest));
    expect(await code(another)).toBe('idempotency_mismatch');
    expect(await code(leave(retried(guest, 'new')))).toBe('room_not_found');
    expect(await code(leave(guest))).toBe('room_not_found');
    expect(await code(leave(retried(third)))).toBe('room_not_found');
  });

  it('closes a room once', async () => {
    const { app, room_id } = await joined();
    const close = (as: object) => app.call('rooms.close', { room_id }, as);
    const first = await close(retried(planner));
    expect(await close(retried(planner))).toEqual(first);
    expect(await code(close(retried(planner, 'new')))).toBe('room_not_found');
    expect(await code(close(retried(guest)))).toBe('room_not_found');
  });

  it('shares a path once, also where nothing is at the path any more', async () => {
    const { app, room_id } = await joined();
    await app.call('entries.write', { entity_path: 'plans', key: 'date', value: 'friday' }, planner);
    const share = (as: object) => app.call('rooms.add_topic', { room_id, entity_path: 'plans' }, as);
    const first = await share(retried(planner));
    await app.call('entries.delete', { entity_path: 'plans', key: 'date' }, planner);
    expect(await share(retried(planner))).toEqual(first);
    expect(await code(share(retried(planner, 'new')))).toBe('not_found');
  });
});
