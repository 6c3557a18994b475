import {
  accountOfRoom,
  cursorsOf,
  cutPage,
  Fault,
  type FirstRows,
  type Handlers,
  inTurns,
  type Output,
  pageBytes,
  type Query,
  type ReadContext,
  reads,
  withinPage,
  wordsOfValuesInSteps,
} from '@mem-service/server/module';
import * as queries from './directory-queries.ts';
import { MAX_ASKED_WORDS, MAX_LOOKED_AT_ROOMS } from './limits.ts';
import { listMemberRooms } from './queries.ts';
import { maySee } from './scope.ts';

const cursors = cursorsOf('room_directory', ['string']);

/** The same answer for a room that nobody may find and for one that never was. */
export const notFound = (room_id: string): Fault =>
  new Fault('room_not_found', `there is no room ${JSON.stringify(room_id)} in the directory`, { room_id });

type FoundRooms = {
  rooms: string[];
  /** The last that was looked at, if others follow. */
  horizon: string | undefined;
};

/**
 * Looks at the rooms with the rarest of the words. Where even that one is common, only the first of them are looked at, and the next
 * page goes on there.
 */
async function findRooms(query: Query, words: readonly string[], after: string): Promise<FoundRooms> {
  const page = { after, limit: MAX_LOOKED_AT_ROOMS };
  const lists = await Promise.all(words.map((word) => queries.listRoomsWith(query, word, page)));
  const shortest = lists.reduce((one, other) => (other.length < one.length ? other : one));
  const horizon = shortest.length === MAX_LOOKED_AT_ROOMS ? shortest.at(-1) : undefined;
  let rooms = shortest;
  for (const [i, word] of words.entries())
    if (lists[i] !== shortest && rooms.length > 0) rooms = await queries.keepRoomsWith(query, word, rooms);
  return { rooms, horizon };
}

/** One page of cards; with words that many rooms have it may be short and still have one behind it. */
function cutFound(
  found: FirstRows<queries.CardRow>,
  { limit, horizon }: { limit: number; horizon: string | undefined },
) {
  const page = cutPage(found, limit, ({ room_id }) => cursors.to([room_id]));
  return page.has_more || horizon === undefined
    ? page
    : { ...page, has_more: true, next_cursor: cursors.to([horizon]) };
}

const list = reads<'room_directory.list'>(async (context, { q, limit, cursor }) => {
  const { services, dialect } = context;
  const [after] = cursor === undefined ? [''] : cursors.from(cursor);
  const { read: query } = services.database;
  const bytes = pageBytes(services);
  const words = q === undefined ? [] : await askedWords(q);
  if (q !== undefined && words.length === 0) return { rooms: [], next_cursor: null, has_more: false };
  const { rooms, horizon } =
    words.length === 0 ? { rooms: undefined, horizon: undefined } : await findRooms(query, words, after);
  const cards = rooms
    ? await queries.listNamedCards(query, dialect.texts(rooms.slice(0, limit + 1)), bytes)
    : await queries.listCards(query, { after, limit: limit + 1, bytes });
  const found = withinPage(services, cards, ({ name, description, topics }) => [name, description, topics]);
  const { items, ...page } = cutFound(found, { limit, horizon });
  return { rooms: await toFound(context, items), ...page };
});

async function askedWords(q: string): Promise<string[]> {
  const words = new Set(await inTurns(wordsOfValuesInSteps([q])));
  return [...words].slice(0, MAX_ASKED_WORDS);
}

async function toFound({ read, caller, dialect }: ReadContext, cards: readonly queries.CardRow[]) {
  const named = dialect.texts(cards.map(({ room_id }) => room_id));
  const own = new Set(await listMemberRooms(read, caller.account_id, named));
  return cards.map(
    ({ account_id: _, topics, ...card }): Output<'room_directory.read'> => ({
      ...card,
      topics: JSON.parse(topics) as string[],
      member: own.has(card.room_id) && maySee(caller, card.room_id),
    }),
  );
}

const readOne = reads<'room_directory.read'>(async (context, { room_id }) => {
  const account_id = accountOfRoom(room_id);
  const card = await queries.getCard(context.services.database.forAccount(account_id).read, account_id);
  if (!card) throw notFound(room_id);
  const [room] = await toFound(context, [card]);
  return room as Output<'room_directory.read'>;
});

export const directoryHandlers: Handlers = { 'room_directory.list': list, 'room_directory.read': readOne };
