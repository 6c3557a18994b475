import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { dump } from '../../../tests/contract/dump.ts';
import { refusal } from '../../../tests/entries/support.ts';
import {
  backends,
  caller,
  openTestApp,
  readyPlace,
  type TestApp,
  type TestOptions,
} from '../../../tests/support/app.ts';
import { watchDatabase } from '../../../tests/support/statements.ts';
import { sql } from '../../server/src/db/index.ts';
import { endAccount, setPurged } from '../../server/src/kernel/index.ts';
import { accountOfRoom, changed, hashedBy, type Work } from '../../server/src/module.ts';
import { MAX_KEPT_ROOMS } from '../src/rooms/limits.ts';
import { deleteMembership, upsertRoomAccount } from '../src/rooms/queries.ts';

const OWNER = '00000000-0000-0000-0000-00000000000a';
const GUEST = '00000000-0000-0000-0000-00000000000b';
const owner = { agent_id: 'agent/planner', account_id: OWNER };
const guest = { agent_id: 'agent/tester', account_id: GUEST };
const control = { account_id: '', actor: 'control', control: true as const };
const NAME = 'Example';
const DAY_MS = 86_400_000;

const hosted: TestOptions = { hosted: true, rateLimits: false, rowSecurity: 'on' };

const code = async (answer: Promise<unknown>) => (await refusal(answer)).code;

const write = (app: TestApp, room_id: string, as: object) =>
  app.call('entries.write', { entity_path: `@${room_id}/plan`, key: 'date', value: 'friday' }, as);

const deleteAccount = (app: TestApp, account_id: string) =>
  app.call('accounts.delete', { account_id, force: true, name: NAME }, control);

const roomsOf = async (app: TestApp, as: object) =>
  (await app.call('rooms.list', {}, as)).rooms.map(({ room_id }) => room_id);

/** What is left of a room, but the row that says that its id was used. */
async function leftOf(app: TestApp, room_id: string): Promise<string[]> {
  const rows = await dump(app, accountOfRoom(room_id));
  return Object.keys(rows).filter((table) => table !== 'accounts' && rows[table]?.length !== 0);
}

/** As long as rooms that were closed with their owner's account are kept. */
async function graceOver(app: TestApp): Promise<void> {
  app.clock.advance(61_000);
  await app.jobs.sweep();
  await app.jobs.sweep();
}

async function makeRoom(app: TestApp, name = 'Release planning'): Promise<string> {
  const { room_id } = await app.call('rooms.create', { name, label: 'crew' }, owner);
  await letGuestIn(app, room_id);
  return room_id;
}

async function letGuestIn(app: TestApp, room_id: string): Promise<void> {
  const { token } = await app.call('rooms.invite', { room_id }, owner);
  await app.call('room_invitations.redeem', { token: token as string, label: 'guests' }, guest);
}

/**
 * Deletes the guest's account as if its rooms were looked for before it did something in one, and what follows the log of the
 * room came after both.
 */
async function deletedBeforeFollowed(app: TestApp, room_id: string, act: () => Promise<unknown>): Promise<void> {
  const claim = (claimed_by: string, claimed_until: number) =>
    app.kernel.services.database.transaction(async (tx) => {
      tx.enter(accountOfRoom(room_id));
      await tx.run(sql`UPDATE consumer_cursors SET claimed_by = ${claimed_by}, claimed_until = ${claimed_until}
        WHERE account_id = ${accountOfRoom(room_id)} AND consumer = 'rooms.report_to_accounts'`);
    });
  await caughtUp(app);
  await claim('another server', app.clock.now() + 60_000);
  await act();
  await app.kernel.services.database.transaction(async (tx) => {
    tx.enter(GUEST);
    await endAccount(tx, GUEST, app.clock.now());
    await setPurged(tx, GUEST, app.clock.now());
  });
  await claim('', 0);
  await caughtUp(app);
}

async function openAccounts(app: TestApp): Promise<void> {
  for (const account_id of [OWNER, GUEST]) await app.call('accounts.create', { account_id, name: NAME }, control);
}

describe.each(backends)('rooms of an account that is deleted on %s', (backend) => {
  async function open() {
    const app = await openTestApp(backend, hosted);
    onTestFinished(() => app.close());
    await openAccounts(app);
    const room_id = await makeRoom(app);
    await caughtUp(app);
    return { app, room_id };
  }

  it('are closed for all, and their rows deleted', async () => {
    const { app, room_id } = await open();
    await write(app, room_id, guest);
    await app.call('room_documents.add', { room_id, name: 'plan.md', content: 'Ship on Monday.' }, guest);
    await app.call('rooms.update', { room_id, discoverable: true }, owner);
    expect((await app.call('room_directory.list', {}, guest)).rooms).toMatchObject([{ room_id }]);
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
    await caughtUp(app);
    await deleteAccount(app, OWNER);
    await caughtUp(app);
    expect(await ended).toBe('room_not_found');
    expect(seen.at(-1)).toBe('room_closed');
    expect(await code(write(app, room_id, guest))).toBe('room_not_found');
    expect((await app.call('room_directory.list', {}, guest)).rooms).toEqual([]);
    expect(await roomsOf(app, guest)).toEqual([]);
    expect(await leftOf(app, room_id)).toContain('entries');
    await graceOver(app);
    expect(await leftOf(app, room_id)).toEqual([]);
    expect(await code(write(app, room_id, guest))).toBe('room_not_found');
    await write(app, await makeGuestRoom(app), guest);
  });

  const makeGuestRoom = async (app: TestApp) => (await app.call('rooms.create', { name: 'Another' }, guest)).room_id;

  it('of others go on without it', async () => {
    const { app, room_id } = await open();
    const participants = ['agent/planner@crew', 'agent/tester@guests'];
    const talk = { room_id, title: 'When to release', participants };
    const { negotiation_id } = await app.call('negotiations.create', talk, owner);
    const proposal = { room_id, negotiation_id, action: 'propose' as const, proposal: { release: 'friday' } };
    await app.call('negotiations.propose', proposal, owner);
    await deleteAccount(app, GUEST);
    await caughtUp(app);
    await caughtUp(app);
    expect(await app.call('rooms.read', { room_id }, owner)).toMatchObject({
      ...{ account_count: 1, agent_count: 1 },
      accounts: [{ label: 'crew' }],
    });
    expect((await app.call('rooms.members', { room_id }, owner)).members).toMatchObject([
      { agent: 'agent/planner@crew' },
    ]);
    expect((await app.call('negotiations.read', { room_id, negotiation_id }, owner)).waiting_for).toEqual([]);
    await write(app, room_id, owner);
    await graceOver(app);
    await write(app, room_id, owner);
  });

  it('are deleted also where they were closed before', async () => {
    const { app, room_id } = await open();
    await app.call('rooms.close', { room_id }, owner);
    await caughtUp(app);
    await deleteAccount(app, OWNER);
    await caughtUp(app);
    await graceOver(app);
    expect(await leftOf(app, room_id)).toEqual([]);
  });

  it('are no longer among the invitations of others', async () => {
    const { app } = await open();
    const { room_id } = await app.call('rooms.create', { name: 'Another', label: 'crew' }, owner);
    await app.call('rooms.invite', { room_id, account_id: GUEST }, owner);
    await caughtUp(app);
    expect((await app.call('room_invitations.list', {}, guest)).invitations).toMatchObject([{ room_id }]);
    await deleteAccount(app, OWNER);
    await caughtUp(app);
    await graceOver(app);
    expect((await app.call('room_invitations.list', {}, guest)).invitations).toEqual([]);
  });

  it('answer as if they had never been to those that answered an invitation', async () => {
    const { app } = await open();
    const { room_id } = await app.call('rooms.create', { name: 'Another', label: 'crew' }, owner);
    const { invitation_id } = await app.call('rooms.invite', { room_id, account_id: GUEST }, owner);
    await caughtUp(app);
    const once = { ...guest, holder: GUEST, idempotency_key: 'once' };
    await app.call('room_invitations.accept', { invitation_id, label: 'guests' }, once);
    await deleteAccount(app, OWNER);
    await caughtUp(app);
    await graceOver(app);
    for (const answer of ['room_invitations.accept', 'room_invitations.decline'] as const) {
      const gone = await refusal(app.call(answer, { invitation_id }, guest));
      expect(gone).toMatchObject({ code: 'room_not_found', room_id });
      expect(JSON.stringify(gone)).not.toContain(accountOfRoom(room_id));
    }
    const again = app.call('room_invitations.accept', { invitation_id, label: 'guests' }, once);
    expect(await code(again)).toBe('room_not_found');
  });

  it('are found where its own list does not have them yet', async () => {
    const { app, room_id } = await open();
    const unlist = (account_id: string) =>
      app.kernel.work(caller({ account_id }), 'test', async ({ tx }: Work) => {
        await deleteMembership(tx, account_id, room_id);
        return changed({}, { resource: room_id, ...hashedBy({}) });
      });
    await unlist(OWNER);
    await deleteAccount(app, OWNER);
    await caughtUp(app);
    expect(await code(write(app, room_id, guest))).toBe('room_not_found');
  });

  it('show no request for access that it sent', async () => {
    const { app } = await open();
    const made: string[] = [];
    for (const name of ['One', 'Two']) {
      const { room_id } = await app.call('rooms.create', { name }, owner);
      await app.call('rooms.update', { room_id, discoverable: true }, owner);
      await app.call('room_directory.request_access', { room_id, message: 'We test it.' }, guest);
      made.push(room_id);
    }
    const listed = async () => {
      const lists = made.map((room_id) => app.call('rooms.list_access_requests', { room_id }, owner));
      return (await Promise.all(lists)).map(({ access_requests }) => access_requests.length);
    };
    expect(await listed()).toEqual([1, 1]);
    await deleteAccount(app, GUEST);
    await caughtUp(app);
    expect(await listed()).toEqual([0, 0]);
    for (const room_id of made)
      expect((await dump(app, accountOfRoom(room_id))).room_access_requests ?? []).toEqual([]);
  });

  it('show no request for access either that came in while it was deleted', async () => {
    const { app } = await open();
    const { room_id } = await app.call('rooms.create', { name: 'Another' }, owner);
    await app.call('rooms.update', { room_id, discoverable: true }, owner);
    await deletedBeforeFollowed(app, room_id, () =>
      app.call('room_directory.request_access', { room_id, message: 'We test it.' }, guest),
    );
    expect((await app.call('rooms.list_access_requests', { room_id }, owner)).access_requests).toEqual([]);
  });

  it('are ended by what follows their log where it came in while it was deleted', async () => {
    const { app, room_id } = await open();
    const { room_id: other } = await app.call('rooms.create', { name: 'Another', label: 'crew' }, owner);
    await deletedBeforeFollowed(app, other, () => letGuestIn(app, other));
    expect((await app.call('rooms.read', { room_id: other }, owner)).accounts).toMatchObject([{ label: 'crew' }]);
    expect((await app.call('rooms.read', { room_id }, owner)).accounts).toHaveLength(2);
  });
});

describe.each(backends)('rooms that were closed on %s', (backend) => {
  it('are deleted after thirty days', async () => {
    const app = await openTestApp(backend, hosted);
    onTestFinished(() => app.close());
    await openAccounts(app);
    const room_id = await makeRoom(app);
    await write(app, room_id, guest);
    await app.call('rooms.close', { room_id }, owner);
    await caughtUp(app);
    app.clock.advance(30 * DAY_MS - 60_000);
    await app.jobs.sweep();
    await app.jobs.sweep();
    expect(await leftOf(app, room_id)).toContain('entries');
    await graceOver(app);
    expect(await leftOf(app, room_id)).toEqual([]);
    await write(app, await makeRoom(app), guest);
  });

  it('are no way to store ever more: those that were closed count until they are deleted', async () => {
    const app = await openTestApp(backend, hosted);
    onTestFinished(() => app.close());
    await openAccounts(app);
    await makeRoom(app);
    const row = { of_account: OWNER, label: 'crew', role: 'owner', agent_count: 0, joined_at: 0, ended_at: null };
    const kept = Array.from({ length: MAX_KEPT_ROOMS - 1 }, (_, n) => ({ account_id: `room:kept-${n}`, ...row }));
    const { database } = app.kernel.services;
    for (const one of kept)
      await database.transaction(async (tx) => {
        tx.enter(one.account_id);
        await tx.insertMany(upsertRoomAccount, [one]);
      });
    const make = (as: object) => app.call('rooms.create', { name: 'Another' }, as);
    expect(await code(make(owner))).toBe('conflict');
    expect(await make(guest)).toMatchObject({ name: 'Another' });
  });
});

describe.each(backends)('the end of rooms that is cut short on %s', (backend) => {
  it('is completed by the next process', async () => {
    const place = await readyPlace(backend, { rowSecurity: 'on' });
    onTestFinished(() => place.remove());
    let left = 1000;
    const wrapDatabase: TestOptions['wrapDatabase'] = (database) =>
      watchDatabase(database, ({ text }) => {
        if (/^INSERT INTO rooms /.test(text) && left-- <= 0) throw new Error('cut');
      });
    const first = await openTestApp(backend, { ...hosted, place, wrapDatabase });
    await openAccounts(first);
    const rooms = [await makeRoom(first, 'One'), await makeRoom(first, 'Two'), await makeRoom(first, 'Three')];
    await caughtUp(first);
    left = 1;
    await deleteAccount(first, OWNER);
    await first.jobs.sweep();
    const open = async (app: TestApp) =>
      (
        await Promise.all(
          rooms.map((room_id) =>
            write(app, room_id, guest).then(
              () => room_id,
              () => '',
            ),
          ),
        )
      ).filter(Boolean);
    expect(await open(first)).toHaveLength(2);
    // What is left to do is known from rows that must stay until then.
    expect((await dump(first, OWNER)).room_memberships).not.toEqual([]);
    await first.close();
    const second = await openTestApp(backend, { ...hosted, place, clock: first.clock });
    onTestFinished(() => second.close());
    await second.jobs.sweep();
    await caughtUp(second);
    expect(await open(second)).toEqual([]);
    expect(await roomsOf(second, guest)).toEqual([]);
    await graceOver(second);
    for (const room_id of rooms) expect(await leftOf(second, room_id)).toEqual([]);
  });
});
