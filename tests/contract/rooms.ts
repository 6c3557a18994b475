import type { OperationName } from '@mem-service/contract';
import { upsertReceived } from '../../packages/pro/src/rooms/invitation-queries.ts';
import { unchanged } from '../../packages/server/src/kernel/index.ts';
import { caller, type TestApp } from '../support/app.ts';
import { layAccess, layRequests, layTopics, newStranger } from './room-access.ts';
import type { ExampleSetup, KnownIds } from './table.ts';

/** A room of another account, with an invitation for the caller's, or with a token. */
async function layInvitation(app: TestApp, as: ExampleSetup['as'], name: string) {
  const host = await newStranger(app, 'agent/host');
  const { room_id } = await app.call('rooms.create', { name, label: 'host', description: 'for the release' }, host);
  await app.call('rooms.update', { room_id, discoverable: true }, host);
  const invite = (input: object) => app.call('rooms.invite', { room_id, ...input }, host);
  const by = caller(as);
  const { account_id } = by;
  const { invitation_id, created_at, expires_at } = await invite({ account_id });
  const received = { account_id, invitation_id, room_id, room_name: name, invited_by: 'host' };
  const times = { created_at: Date.parse(created_at), expires_at: Date.parse(expires_at) };
  // As the consumer of the room's log does.
  await app.kernel.work({ ...by, idempotency_key: undefined }, 'rooms.follow', async (work) => {
    work.send(work.tx.insertMany(upsertReceived, [{ ...received, ...times, answered_at: null }]));
    return unchanged({});
  });
  return { room_id, invitation_id, token: (await invite({})).token };
}

type LaidRoom = Pick<ExampleSetup, 'as'> & { name: (i: number) => string; known: KnownIds };

async function enterRoom(app: TestApp, as: ExampleSetup['as'], name: string): Promise<string> {
  const { invitation_id, room_id } = await layInvitation(app, as, name);
  await app.call('room_invitations.accept', { invitation_id, label: 'guests' }, as);
  return room_id;
}

/** For each operation that ends something what it ends, which is there for it alone. */
const ENDED: Partial<Record<OperationName, (app: TestApp, room: LaidRoom) => Promise<void>>> = {
  'room_invitations.accept': async (app, { as, name, known }) => {
    const { invitation_id, room_id } = await layInvitation(app, as, name(0));
    known['room_invitations.accept'] = { invitation_id };
    known['room_directory.read'] = { room_id };
  },
  'room_invitations.decline': async (app, { as, name, known }) => {
    known['room_invitations.decline'] = { invitation_id: (await layInvitation(app, as, name(1))).invitation_id };
  },
  'room_invitations.redeem': async (app, { as, name, known }) => {
    known['room_invitations.redeem'] = { token: (await layInvitation(app, as, name(2))).token };
  },
  'rooms.remove_account': async (app, { as, name, known }) => {
    known['rooms.remove_account'] = { room_id: await enterRoom(app, as, name(3)), label: 'guests' };
  },
  'rooms.leave': async (app, { as, name, known }) => {
    known['rooms.leave'] = { room_id: await enterRoom(app, as, name(4)), agent_id: caller(as).agent_id };
  },
  'rooms.join': async (app, { as, name, known }) => {
    const room_id = await enterRoom(app, as, name(5));
    await app.call('rooms.leave', { room_id, agent_id: caller(as).agent_id }, as);
    known['rooms.join'] = { room_id };
  },
  'rooms.close': async (app, { as, name, known }) => {
    known['rooms.close'] = { room_id: (await app.call('rooms.create', { name: name(6) }, as)).room_id };
  },
};
const hosted = () => 'Hosted';

/** Invitations to answer, and rooms to join, to leave and to close: each of these ends something for the others. */
export async function layInvitations(
  app: TestApp,
  { as, name = hosted }: Pick<ExampleSetup, 'as'> & { name?: (i: number) => string },
  known: KnownIds,
): Promise<void> {
  for (const lay of Object.values(ENDED)) await lay(app, { as, name, known });
  await layAccess(app, { as }, known);
}

/** The same for one operation. */
export async function layInvitationsAfter(
  app: TestApp,
  { as, ended }: Pick<ExampleSetup, 'as'> & { ended: OperationName },
  known: KnownIds,
): Promise<void> {
  await ENDED[ended]?.(app, { as, name: hosted, known });
  if (/_access$/.test(ended)) await layAccess(app, { as }, known);
}

/** Messages and invitations, more than a page of one has room for. */
export async function layMoreInRoom(app: TestApp, { as, mark }: Pick<ExampleSetup, 'as' | 'mark'>, known: KnownIds) {
  const { room_id } = known as { room_id: string };
  for (const n of [1, 2]) {
    await app.call('rooms.discuss', { room_id, content: `about ${mark} ${n}` }, as);
    await app.call('rooms.invite', { room_id }, as);
  }
  const texts = [1, 2].map((n) => `about ${mark} ${n}`);
  await layRequests(app, { as, messages: texts }, known);
  await layTopics(app, { as, titles: texts, path: (i) => `shared/${mark}/${i}` }, known);
}

type LongRooms = Pick<ExampleSetup, 'as'> & { count: number; text: (length: number, i: number) => string };

/** Members, messages and invitations with the longest names and texts. */
export async function layLongRooms(app: TestApp, known: KnownIds, { as, count, text }: LongRooms): Promise<void> {
  const { room_id } = known as { room_id: string };
  for (let i = 0; i < count; i++) {
    const member = { ...as, agent_id: text(200, i) };
    await app.call('rooms.join', { room_id }, member);
    await app.call('rooms.discuss', { room_id, content: text(1000, i) }, as);
    await app.call('rooms.invite', { room_id }, member);
  }
  const messages = Array.from({ length: count }, (_, i) => text(1000, i));
  await layRequests(app, { as, messages, name: (i) => text(128, i) }, known);
  const titles = messages.map((_, i) => text(128, i));
  await layTopics(app, { as, titles, path: (i) => text(200, i) }, known);
  for (let i = 0; i < 2 * count; i++) await layInvitation(app, as, text(128, i));
}
