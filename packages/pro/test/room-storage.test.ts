import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
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
import { readAccount, type UsagePlan } from '../../server/src/kernel/index.ts';
import { accountOfRoom } from '../../server/src/module.ts';

const OWNER = '00000000-0000-0000-0000-00000000000a';
const GUEST = '00000000-0000-0000-0000-00000000000b';
const owner = { agent_id: 'agent/planner', account_id: OWNER };
const guest = { agent_id: 'agent/tester', account_id: GUEST };
const control = { account_id: '', actor: 'control', control: true as const };
const NAME = 'Example';
const DAY_MS = 86_400_000;

const UNLIMITED = { ops_per_month: null };
const ALLOWED = 20_000;
const plans: Record<string, UsagePlan> = {
  large: UNLIMITED,
  bytes: { ...UNLIMITED, storage_bytes: ALLOWED },
  more: { ...UNLIMITED, storage_bytes: 2 * ALLOWED },
  entries: { ...UNLIMITED, storage_entries: 3 },
  open: { ...UNLIMITED, open_streams: 1 },
};
const hosted: TestOptions = { hosted: true, rateLimits: false, rowSecurity: 'on', settings: { plans } };

const BIG = 'b'.repeat(6_000);

/** An account of a plan, another one in all of its rooms, and these. */
async function laidOut(app: TestApp, plan: string, rooms: number): Promise<string[]> {
  await app.call('accounts.create', { account_id: OWNER, name: NAME, plan }, control);
  await app.call('accounts.create', { account_id: GUEST, name: NAME, plan: 'large' }, control);
  const made: string[] = [];
  for (let n = 0; n < rooms; n++) {
    const { room_id } = await app.call('rooms.create', { name: `Room ${n}`, label: 'crew' }, owner);
    const { token } = await app.call('rooms.invite', { room_id }, owner);
    await app.call('room_invitations.redeem', { token: token as string, label: 'guests' }, guest);
    made.push(room_id);
  }
  return made;
}

/** In a room, or outside of all. */
type RoomEntry = readonly [room_id: string | undefined, key: string];

const write = (app: TestApp, [room_id, key]: RoomEntry, { as = owner, value = BIG } = {}) =>
  app.call('entries.write', { entity_path: room_id === undefined ? 'plan' : `@${room_id}/plan`, key, value }, as);

const changePlan = (app: TestApp, plan: string) => app.call('accounts.update', { account_id: OWNER, plan }, control);

async function storedIn(app: TestApp, rooms: readonly string[]) {
  let [storage_bytes, storage_entries] = [0, 0];
  for (const account_id of [OWNER, ...rooms.map(accountOfRoom)]) {
    const row = await readAccount(app.kernel.services.database.forAccount(account_id).read, account_id);
    storage_bytes += row?.storage_bytes ?? 0;
    storage_entries += row?.storage_entries ?? 0;
  }
  return { storage_bytes, storage_entries };
}

/** How much the owner stores, and may store, is no business of its guests. */
async function expectOverLimit(writing: Promise<unknown>, limit: string): Promise<void> {
  const refused = await refusal(writing);
  expect(refused).toMatchObject({ code: 'over_limit', limit });
  for (const member of ['used', 'allowed']) expect(refused).not.toHaveProperty(member);
  expect(String((refused as { detail?: unknown }).detail)).not.toMatch(/\d/);
}

describe.each(backends)('what an account stores in its rooms on %s', (backend) => {
  async function open(plan: string, rooms: number) {
    const app = await openTestApp(backend, hosted);
    onTestFinished(() => app.close());
    return { app, rooms: await laidOut(app, plan, rooms) };
  }

  it('is bounded by its plan over all of them and itself, whoever writes', async () => {
    const { app, rooms } = await open('bytes', 3);
    const [one, two, three] = rooms as [string, string, string];
    await write(app, [undefined, 'own']);
    await write(app, [one, 'a']);
    await write(app, [two, 'a'], { as: guest });
    const { storage_bytes: used } = await storedIn(app, rooms);
    expect(used).toBeGreaterThan(18_000);
    const { last_seq } = await app.call('rooms.read', { room_id: three }, owner);
    for (const as of [owner, guest]) await expectOverLimit(write(app, [three, 'a'], { as }), 'storage_bytes');
    const content = 'c'.repeat(4_000);
    await Promise.all(
      [
        app.call('rooms.discuss', { room_id: three, content }, guest),
        app.call('rooms.discuss', { room_id: one, content }, owner),
        app.call('room_documents.add', { room_id: two, name: 'plan.md', content }, guest),
      ].map((writing) => expectOverLimit(writing, 'storage_bytes')),
    );
    // Nothing came of it.
    expect((await storedIn(app, rooms)).storage_bytes).toBe(used);
    expect((await app.call('entries.list', { entity_path: `@${three}/**` }, owner)).entries).toEqual([]);
    expect((await app.call('rooms.read', { room_id: three }, owner)).last_seq).toBe(last_seq);
    // What is small enough has room, also in the rooms of others.
    await write(app, [three, 'a'], { value: 'small' });
    const { room_id } = await app.call('rooms.create', { name: 'Of the guests' }, guest);
    await write(app, [room_id, 'a'], { as: guest });
  });

  it('is bounded for writes at the same time', async () => {
    const { app, rooms } = await open('bytes', 8);
    const value = 'c'.repeat(3_000);
    const written = await Promise.allSettled(
      rooms.flatMap((room_id) => ['a', 'b'].map((key) => write(app, [room_id, key], { value, as: guest }))),
    );
    const refused = written.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(new Set(refused)).toEqual(new Set(['over_limit']));
    // What surrounds a value may pass it once.
    expect((await storedIn(app, rooms)).storage_bytes).toBeLessThan(ALLOWED + 500);
    expect(refused.length).toBeGreaterThanOrEqual(10);
  });

  it('has as many entries as its plan allows; those that are deleted make room in every room', async () => {
    const { app, rooms } = await open('entries', 2);
    const [one, two] = rooms as [string, string];
    await write(app, [undefined, 'own']);
    await write(app, [one, 'a']);
    await write(app, [two, 'a']);
    await expectOverLimit(write(app, [two, 'b']), 'storage_entries');
    await write(app, [two, 'a'], { value: 'another version' });
    await app.call('entries.delete', { entity_path: `@${one}/plan`, key: 'a' }, guest);
    await write(app, [two, 'b']);
    await expectOverLimit(write(app, [one, 'a']), 'storage_entries');
    await app.call('entries.delete', { entity_path: 'plan', key: 'own' }, owner);
    await write(app, [one, 'a']);
    expect((await storedIn(app, rooms)).storage_entries).toBe(3);
  });

  it('can be deleted, left and closed when nothing more can be written', async () => {
    const { app, rooms } = await open('bytes', 2);
    const [one, two] = rooms as [string, string];
    for (const key of ['a', 'b', 'c']) await write(app, [one, key]);
    await changePlan(app, 'entries');
    await changePlan(app, 'bytes');
    expect(await refusal(write(app, [two, 'a']))).toMatchObject({ code: 'over_limit' });
    await app.call('entries.delete', { entity_path: `@${one}/plan`, key: 'a' }, guest);
    await app.call('rooms.leave', { room_id: one, agent_id: guest.agent_id }, guest);
    await app.call('rooms.remove_account', { room_id: two, label: 'guests' }, guest);
    await app.call('rooms.close', { room_id: one }, owner);
    await app.call('rooms.close', { room_id: two }, owner);
  });

  it('counts in rooms that are closed until they are deleted', async () => {
    const { app, rooms } = await open('bytes', 2);
    const [one, two] = rooms as [string, string];
    for (const key of ['a', 'b', 'c']) await write(app, [one, key]);
    await app.call('rooms.close', { room_id: one }, owner);
    app.clock.advance(5_000);
    expect(await refusal(write(app, [two, 'a']))).toMatchObject({ code: 'over_limit' });
    await caughtUp(app);
    app.clock.advance(30 * DAY_MS);
    await app.jobs.sweep();
    await app.jobs.sweep();
    app.clock.advance(5_000);
    await write(app, [two, 'a']);
  });

  it('follows a change of the plan at once', async () => {
    const { app, rooms } = await open('bytes', 2);
    const [one, two] = rooms as [string, string];
    for (const key of ['a', 'b', 'c']) await write(app, [one, key]);
    const more = () => write(app, [two, 'a'], { as: guest });
    expect(await refusal(more())).toMatchObject({ code: 'over_limit' });
    await changePlan(app, 'more');
    await more();
    await changePlan(app, 'bytes');
    await expectOverLimit(write(app, [two, 'b'], { value: 'small' }), 'storage_bytes');
    await changePlan(app, 'large');
    await write(app, [two, 'b']);
  });

  it('follows the plan with the streams that each room may have', async () => {
    const { app, rooms } = await open('large', 1);
    const stream = () => app.kernel.open('rooms.stream', { room_id: rooms[0] }, caller(guest));
    const first = await stream();
    await changePlan(app, 'open');
    expect(await refusal(stream())).toMatchObject({ code: 'too_many_open' });
    first.close();
    (await stream()).close();
  });

  it('is counted by all servers, within five seconds', async () => {
    const place = await readyPlace(backend, { rowSecurity: 'on' });
    onTestFinished(() => place.remove());
    const first = await openTestApp(backend, { ...hosted, place });
    onTestFinished(() => first.close());
    const second = await openTestApp(backend, { ...hosted, place, clock: first.clock });
    onTestFinished(() => second.close());
    const [one, two] = (await laidOut(first, 'bytes', 2)) as [string, string];
    await write(first, [one, 'a']);
    await write(second, [two, 'a']);
    await write(second, [undefined, 'own']);
    first.clock.advance(5_000);
    for (const app of [first, second])
      expect(await refusal(write(app, [one, 'b']))).toMatchObject({ code: 'over_limit' });
    await changePlan(first, 'more');
    first.clock.advance(5_000);
    await write(second, [one, 'b']);
  });

  it('takes no statement for most writes, and none where there are no plans', async () => {
    const asked: string[] = [];
    const wrapDatabase: TestOptions['wrapDatabase'] = (database) =>
      watchDatabase(database, ({ text }) => {
        if (/^SELECT account_id, storage_bytes, .* FROM accounts|^SELECT (account_id|of_account) FROM room_/.test(text))
          asked.push(text);
      });
    const app = await openTestApp(backend, { ...hosted, wrapDatabase });
    onTestFinished(() => app.close());
    const [room_id] = await laidOut(app, 'more', 1);
    await write(app, [room_id, 'a'], { value: 'small' });
    asked.length = 0;
    for (let n = 0; n < 20; n++) await write(app, [room_id, `k${n}`], { value: 'small', as: n % 2 ? guest : owner });
    expect(asked).toEqual([]);
    const own = await openTestApp(backend, { wrapDatabase });
    onTestFinished(() => own.close());
    const { room_id: unbounded } = await own.call('rooms.create', { name: 'Release planning' });
    asked.length = 0;
    await write(own, [unbounded, 'a'], { as: caller() as never });
    expect(asked).toEqual([]);
  });
});
