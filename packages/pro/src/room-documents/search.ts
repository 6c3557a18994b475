import {
  accountOfRoom,
  countTerms,
  inTurns,
  invalidInput,
  parseQuery,
  type ReadContext,
  rankTexts,
  readAccount,
  reads,
  syntaxOf,
  type Term,
  wordsOfValuesInSteps,
} from '@mem-service/server/module';
import { joinedRooms, requireJoined } from '../rooms/index.ts';
import { MAX_COMPARED, MAX_SEARCHED_ROOMS } from './limits.ts';
import * as queries from './queries.ts';

type AskedPassages = { terms: readonly Term[]; document_id: string | undefined; limit: number };
type FoundInRoom = { room_id: string; passages: queries.FoundPassage[]; complete: boolean };

/** Passages with every word come first; where they are too few, those with any of the words follow. */
async function findInRoom({ services }: ReadContext, room_id: string, asked: AskedPassages): Promise<FoundInRoom> {
  const { terms, document_id, limit } = asked;
  const account_id = accountOfRoom(room_id);
  // The beginnings of words may be many.
  const { read, scan } = services.database.forAccount(account_id);
  const { dialect } = services.database;
  const account = await readAccount(read, account_id);
  if (!account) return { room_id, passages: [], complete: true };
  const of = document_id === undefined ? undefined : await queries.getReadablePassages(read, account_id, document_id);
  if (document_id !== undefined && !of) return { room_id, passages: [], complete: true };
  const syntax = syntaxOf(dialect.engine);
  const parts = terms.map((term) => syntax.term(term, account.number));
  const find = (expression: string) =>
    queries.listMatching(scan, dialect, {
      account: { account_id, number: account.number },
      ...{ expression, of, limit: MAX_COMPARED },
    });
  const every = await find(syntax.every(parts));
  const any = every.length >= limit || parts.length === 1 ? [] : await find(syntax.any(parts));
  const seqs = dialect.numbers([...new Set([...every, ...any])]);
  const passages = await queries.findPassages(scan, account_id, seqs);
  return { room_id, passages, complete: Math.max(every.length, any.length) < MAX_COMPARED };
}

type RoomsToSearch = { rooms: readonly string[]; more: boolean };

async function roomsToSearch(context: ReadContext, room_id: string | undefined, agent: string): Promise<RoomsToSearch> {
  if (room_id === undefined) return joinedRooms(context, agent, MAX_SEARCHED_ROOMS);
  await requireJoined(context, agent, room_id);
  return { rooms: [room_id], more: false };
}

export const search = reads<'room_documents.search'>(async (context, input) => {
  const { q, room_id, document_id, limit, agent_id = context.caller.agent_id } = input;
  if (document_id !== undefined && room_id === undefined)
    throw invalidInput([{ path: 'room_id', message: 'is needed with document_id' }]);
  const terms = parseQuery(q);
  const { rooms, more } = await roomsToSearch(context, room_id, agent_id);
  if (terms.length === 0) return { passages: [], complete: true };
  const found: FoundInRoom[] = [];
  for (const room of rooms) found.push(await findInRoom(context, room, { terms, document_id, limit }));
  const passages = found.flatMap(({ room_id: room, passages: some }) => some.map((one) => ({ room_id: room, ...one })));
  const counted = [];
  for (const { text } of passages) counted.push(countTerms(await inTurns(wordsOfValuesInSteps([text])), terms));
  const scores = rankTexts(counted);
  const ranked = passages
    .map(({ seq, ...passage }, at) => ({ seq, passage, score: scores[at] ?? 0 }))
    .sort((one, other) => other.score - one.score || other.seq - one.seq);
  return {
    passages: ranked.slice(0, limit).map(({ passage, score }) => ({ ...passage, score })),
    complete: !more && found.every(({ complete }) => complete),
  };
});
