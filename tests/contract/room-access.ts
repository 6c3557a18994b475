import { insertAccount } from '../../packages/server/src/kernel/index.ts';
import { caller, type TestApp } from '../support/app.ts';
import type { ExampleSetup, KnownIds } from './table.ts';

const counted = new WeakMap<TestApp, number>();

/** An agent of a new account: each is in few rooms. */
export async function newStranger(app: TestApp, agent_id = 'agent/seeker') {
  const n = (counted.get(app) ?? 0) + 1;
  counted.set(app, n);
  const account_id = `00000000-0000-4000-8000-5ee${String(n).padStart(9, '0')}`;
  const { database, clock } = app.kernel.services;
  await database.maintenanceTransaction((tx) => insertAccount(tx, account_id, clock.now()));
  return { account_id, agent_id };
}

/** A room that others find; they ask for access to it. */
async function openRoom(app: TestApp, as: ExampleSetup['as'], name: string): Promise<string> {
  const { room_id } = await app.call('rooms.create', { name, label: 'open' }, as);
  await app.call('rooms.update', { room_id, discoverable: true }, as);
  return room_id;
}

const SECOND_ROOM = 'room of requests';

/** A room to ask for access to, and requests of others to answer: each is answered once. */
export async function layAccess(app: TestApp, { as }: Pick<ExampleSetup, 'as'>, known: KnownIds): Promise<void> {
  known['room_directory.request_access'] = { room_id: await openRoom(app, await newStranger(app), 'To be asked') };
  known[SECOND_ROOM] ??= await openRoom(app, caller(as), 'Asked');
  const room_id = known[SECOND_ROOM] as string;
  for (const name of ['rooms.approve_access', 'rooms.decline_access'] as const) {
    const { access_request_id } = await ask(app, await newStranger(app), { room_id });
    known[name] = { room_id, access_request_id };
  }
  const seeker = await newStranger(app);
  await ask(app, seeker, { room_id });
  known['rooms.grant_access'] = { room_id, account_id: seeker.account_id };
}

const ask = (app: TestApp, as: ExampleSetup['as'], input: { room_id: string; message?: string }) =>
  app.call('room_directory.request_access', input, as);

type Requests = Pick<ExampleSetup, 'as'> & { messages: readonly string[]; name?: (i: number) => string };

/** Paths that are shared with the room that is known. */
export async function layTopics(
  app: TestApp,
  { as, titles, path }: Pick<ExampleSetup, 'as'> & { titles: readonly string[]; path: (i: number) => string },
  { room_id }: KnownIds,
): Promise<void> {
  for (const [i, title] of titles.entries()) {
    const entity_path = path(i);
    await app.call('entries.write', { entity_path, key: 'shared', value: title }, as);
    await app.call('rooms.add_topic', { room_id: room_id as string, entity_path, title }, as);
  }
}

/** Requests for access to the room that is known, and of the account itself to others. */
export async function layRequests(
  app: TestApp,
  { as, messages, name = (i) => `Asked ${i}` }: Requests,
  known: KnownIds,
): Promise<void> {
  const { room_id } = known as { room_id: string };
  await app.call('rooms.update', { room_id, discoverable: true }, as);
  for (const [i, message] of messages.entries()) {
    await ask(app, await newStranger(app), { room_id, message });
    await ask(app, as, { room_id: await openRoom(app, await newStranger(app), name(i)), message });
  }
  await app.call('rooms.update', { room_id, discoverable: false }, as);
}
