import { type OperationName, operationNames, operations } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caughtUp } from '../briefing/caught-up.ts';
import { backends, caller, copyPlace, openTestApp, readyPlace, type StorePlace, type TestApp } from '../support/app.ts';
import {
  createExamples,
  definition,
  isOfDirectory,
  type JsonObject,
  type KnownIds,
  markedInput,
  newAccount,
  outcomeOf,
  reading,
} from './table.ts';

const CREW = 'aaaaaaaa-0000-4000-8000-00000000000a';
const GUESTS = 'bbbbbbbb-0000-4000-8000-00000000000b';
const MARK = 'alphamark';
const AGENT = 'agent/of-both';
const NOWHERE = 'nowhere-000000';
const crew = { account_id: CREW, agent_id: AGENT };
const guest = { account_id: GUESTS, agent_id: AGENT };

/** What can be done in a room, by its id or at its paths. */
const inRooms = operationNames.filter((name) => definition(name).in_room !== undefined && !operations[name].stream);
/** It ends what the others need. */
const ENDING: ReadonlySet<string> = new Set(['rooms.close', 'rooms.remove_account', 'rooms.leave']);
const others = reading.filter((name) => definition(name).in_room === undefined && !isOfDirectory(name));

/** How an account can stand to a room that it is not in, in the order in which it comes about. */
const OUTSIDE = ['never in it', 'invited', 'removed', 'in it when it was closed'] as const;

type RoomSide = { app: TestApp; known: KnownIds; room_id: string };

/** The example, with its paths in a room. */
function inputIn(name: OperationName, room_id: string, known: KnownIds): JsonObject {
  const at = (given: unknown, field?: string): unknown => {
    if (Array.isArray(given)) return given.map((one) => at(one));
    if (typeof given === 'object' && given !== null && field !== 'value')
      return Object.fromEntries(Object.entries(given).map(([member, one]) => [member, at(one, member)]));
    return field === 'entity_path' ? `@${room_id}/${given === '*' ? '**' : given}` : given;
  };
  const { room_id: _, ...input } = markedInput(name, MARK, known);
  const isByPath = definition(name).in_room === 'paths';
  const paths = isByPath ? (at({ entity_path: '**', ...input }) as JsonObject) : input;
  const allowed = Object.keys((operations[name].input as unknown as { shape: object }).shape);
  const taken = Object.fromEntries(Object.entries(paths).filter(([field]) => allowed.includes(field)));
  return isByPath ? taken : { ...taken, room_id };
}

describe.each(backends)('rooms from both sides on %s', (backend) => {
  const stores: { app: TestApp; place: StorePlace }[] = [];
  const sides = {} as Record<(typeof OUTSIDE)[number] | 'in it', RoomSide>;

  /** A room with something of everything in it. */
  async function fill(place: StorePlace): Promise<Omit<RoomSide, 'app'>> {
    const app = await openTestApp(backend, { place });
    for (const account of [CREW, GUESTS]) await newAccount(app, account);
    const known = await createExamples(app, { mark: MARK, as: crew });
    const { room_id } = known as { room_id: string };
    const write = { entity_path: `@${room_id}/plan/about`, key: 'k', value: `about ${MARK}` };
    await app.call('rooms.join', { room_id }, crew);
    await app.call('entries.write', write, crew);
    await app.call('rooms.discuss', { room_id, content: `about ${MARK}` }, crew);
    await app.close();
    return { known, room_id };
  }
  /** The same room in a store for each way to stand to it. */
  async function openSides(): Promise<void> {
    const place = await readyPlace(backend);
    const filled = await fill(place);
    for (const name of [...OUTSIDE, 'in it'] as const) {
      const copy = await copyPlace(place);
      const app = await openTestApp(backend, { place: copy });
      stores.push({ app, place: copy });
      sides[name] = { ...filled, app };
    }
    await place.remove();
  }
  async function invite({ app, room_id }: RoomSide): Promise<string> {
    const { invitation_id } = await app.call('rooms.invite', { room_id, account_id: GUESTS }, crew);
    await caughtUp(app);
    return invitation_id;
  }
  async function enter(side: RoomSide): Promise<void> {
    const invitation_id = await invite(side);
    await side.app.call('room_invitations.accept', { invitation_id, label: 'guests' }, guest);
  }

  beforeAll(async () => {
    await openSides();
    await invite(sides.invited);
    for (const name of ['removed', 'in it when it was closed', 'in it'] as const) await enter(sides[name]);
    const { app, room_id } = sides.removed;
    await app.call('rooms.remove_account', { room_id, label: 'guests' }, crew);
    const closed = sides['in it when it was closed'];
    await closed.app.call('rooms.close', { room_id: closed.room_id }, crew);
    for (const one of Object.values(sides)) await caughtUp(one.app);
  }, 240_000);
  afterAll(() =>
    Promise.all(
      stores.map(async ({ app, place }) => {
        await app.close();
        await place.remove();
      }),
    ),
  );

  describe.each(OUTSIDE)('for an account that was %s', (how) => {
    it.each(inRooms)('%s answers as if there never was such a room', async (name) => {
      const { app, known, room_id } = sides[how];
      const ask = (room: string) => outcomeOf(app, name, { input: inputIn(name, room, known), as: guest });
      const [there, nowhere] = [await ask(room_id), await ask(NOWHERE)];
      expect(there).toMatchObject({ refused: { code: 'room_not_found' } });
      expect(JSON.parse(JSON.stringify(there).replaceAll(room_id, NOWHERE))).toEqual(nowhere);
    });

    it.each(others)('%s shows nothing that is in it', async (name) => {
      const { app, known } = sides[how];
      const seen = JSON.stringify(await outcomeOf(app, name, { input: markedInput(name, MARK, known), as: guest }));
      expect(seen).not.toContain(`about ${MARK}`);
      expect(seen).not.toContain('@crew');
    });

    it('its streams cannot be opened, and what is written there is on none of its own', async () => {
      const { app, room_id } = sides[how];
      const opened = app.kernel.open('rooms.stream', { room_id }, caller(guest));
      await expect(opened).rejects.toMatchObject({ code: 'room_not_found' });
      const seen: string[] = [];
      const own = await app.kernel.open('log.stream', {}, caller(guest));
      own.start({ take: (events) => void seen.push(...events.map((event) => JSON.stringify(event))), end: () => {} });
      if (how !== 'in it when it was closed')
        await app.call('entries.write', { entity_path: `@${room_id}/plan`, key: 'told', value: 1 }, crew);
      await app.call('entries.write', { entity_path: 'own', key: 'k', value: 1 }, guest);
      await expect.poll(() => seen.join()).toContain('"own"');
      expect(seen.join()).not.toContain('told');
      own.close();
    });

    it('its exports and counts are the same, whatever is written there', async () => {
      const { app, room_id } = sides[how];
      const look = async () => {
        const lines: string[] = [];
        for await (const line of await app.kernel.list('transfer.export', {}, caller(guest))) lines.push(line);
        const { audit_no: _, ...stats } = (await app.call('stats.read', {}, guest)) as JsonObject;
        return { stats, lines: lines.filter((line) => !/"record":"(header|audit|end)"/.test(line)) };
      };
      const before = await look();
      expect(before.lines.join()).not.toContain(`about ${MARK}`);
      if (how !== 'in it when it was closed')
        for (const key of ['one', 'two'])
          await app.call('entries.write', { entity_path: `@${room_id}/more`, key, value: 1 }, crew);
      expect(await look()).toEqual(before);
    });
  });

  it.each(inRooms.filter((name) => !ENDING.has(name)))('%s works for an account that accepted', async (name) => {
    const { app, known, room_id } = sides['in it'];
    const seen = await outcomeOf(app, name, { input: inputIn(name, room_id, known), as: guest });
    expect(seen).not.toHaveProperty('refused.code', 'room_not_found');
  });

  it.each(inRooms)('%s needs an agent that has joined, and has not left, unless it is for all', async (name) => {
    const { app, known, room_id } = sides['in it'];
    const left = { ...guest, agent_id: 'agent/left' };
    await app.call('rooms.join', { room_id }, left);
    await app.call('rooms.leave', { room_id, agent_id: 'agent/left' }, left);
    if (definition(name).in_room === 'account') return;
    const seen = await outcomeOf(app, name, { input: inputIn(name, room_id, known), as: left });
    expect(seen).toMatchObject({ refused: { code: 'forbidden', needs: 'join' } });
  });
});
