import type { Services } from '@mem-service/server/module';
import { type AskedStanding, listStandings, type RoomStanding } from './queries.ts';

type ServiceDatabase = Services['database'];
export type Standings = { of(asked: AskedStanding): RoomStanding | undefined };

/** No statement asks for more of them. */
const MOST_TOGETHER = 500;

const nameOf = ({ of_account, agent_id }: AskedStanding): string => `${of_account}\n${agent_id}`;

/** How some accounts and agents stand in a room, each of them looked up once. */
export async function findStandings(
  reads: Omit<Parameters<typeof listStandings>[0], 'asked'>,
  all: readonly AskedStanding[],
): Promise<Standings> {
  const asked = [...new Map(all.map((one) => [nameOf(one), one])).values()];
  const found = await listStandings({ ...reads, asked });
  const known = new Map(found.map((one) => [nameOf(one), one]));
  return { of: (one) => known.get(nameOf(one)) };
}

type Together = { asked: AskedStanding[]; found: Promise<Standings> };

/** What is asked for in this turn of the event loop, by room. */
const waiting = new WeakMap<ServiceDatabase, Map<string, Together>>();

/** Many requests arrive in one turn, and a statement takes several times as long as one of its rows: it asks for all of them. */
export async function findStanding(
  database: ServiceDatabase,
  account_id: string,
  asked: AskedStanding,
): Promise<RoomStanding | undefined> {
  const rooms = waiting.get(database) ?? new Map<string, Together>();
  waiting.set(database, rooms);
  const before = rooms.get(account_id);
  const together = before && before.asked.length < MOST_TOGETHER ? before : askAfterTurn(database, account_id, rooms);
  rooms.set(account_id, together);
  together.asked.push(asked);
  return (await together.found).of(asked);
}

function askAfterTurn(database: ServiceDatabase, account_id: string, rooms: Map<string, Together>): Together {
  const asked: AskedStanding[] = [];
  const found = new Promise(setImmediate).then(() => {
    if (rooms.get(account_id)?.asked === asked) rooms.delete(account_id);
    const { dialect } = database;
    return findStandings({ query: database.forAccount(account_id).read, dialect, account_id }, asked);
  });
  return { asked, found };
}
