import {
  andAll,
  type Find,
  fragment,
  type Insert,
  type Query,
  type Sql,
  sql,
  type Transaction,
  type Update,
} from '../../db/index.ts';

export type DeliveryRow = {
  account_id: string;
  /** The agent that its entries are written by. */
  sender: string;
  /** Ids of keys with a limited scope are apart from those of others. */
  realm: string;
  /** As it was sent, or its hash where it is long. */
  delivery_id: string;
  /** Its place among those of the account. */
  no: number;
  /** As its sender calls it. */
  type: string;
  entity_path: string | null;
  key: string | null;
  version: number | null;
  status: string;
  occurred_at: number | null;
  received_at: number;
};

export const insertDeliveries: Insert = {
  table: 'deliveries',
  columns: {
    account_id: 'text',
    sender: 'text',
    realm: 'text',
    delivery_id: 'text',
    no: 'int',
    type: 'text',
    entity_path: 'text',
    key: 'text',
    version: 'int',
    status: 'text',
    occurred_at: 'int',
    received_at: 'int',
  },
};

const DELIVERY = Object.keys(insertDeliveries.columns).join(', ');

export const findDeliveries: Find = {
  table: 'deliveries',
  select: DELIVERY,
  by: { account_id: 'text', sender: 'text', realm: 'text', delivery_id: 'text' },
};

/** Where a page of deliveries begins, and how many of them are looked at. */
export type DeliveryRange = {
  account_id: string;
  before: { received_at: number; no: number };
  since: number;
  scan: number;
};

const inRange = ({ account_id, before, since, scan }: DeliveryRange): Sql =>
  sql`SELECT ${fragment(DELIVERY)} FROM deliveries WHERE account_id = ${account_id} AND received_at >= ${since}
      AND (received_at, no) < (${before.received_at}, ${before.no})
      ORDER BY received_at DESC, no DESC LIMIT ${scan}`;

export function listDeliveries(
  query: Query,
  range: DeliveryRange,
  { filters, limit }: { filters: readonly Sql[]; limit: number },
): Promise<DeliveryRow[]> {
  return query.all<DeliveryRow>(
    sql`SELECT ${fragment(DELIVERY)} FROM (${inRange(range)}) AS looked_at WHERE 1 = 1${andAll(filters)}
        ORDER BY received_at DESC, no DESC LIMIT ${limit}`,
  );
}

/** The last of those that are looked at, where there are as many. */
export function endOfDeliveries(
  query: Query,
  range: DeliveryRange,
): Promise<Pick<DeliveryRow, 'received_at' | 'no'> | undefined> {
  return query.get(
    sql`SELECT received_at, no FROM (${inRange(range)}) AS looked_at ORDER BY received_at DESC, no DESC
        LIMIT 1 OFFSET ${range.scan - 1}`,
  );
}

/** Deletes some that came before a time. Returns how many. */
export function deleteOldDeliveries(tx: Transaction, before: number, limit: number): Promise<number> {
  return tx.run(
    sql`DELETE FROM deliveries WHERE account_id IS NOT NULL AND (account_id, sender, realm, delivery_id) IN (
          SELECT account_id, sender, realm, delivery_id FROM deliveries WHERE received_at < ${before}
          ORDER BY received_at LIMIT ${limit})`,
  );
}

export type ThingRow = { account_id: string; entity_path: string; key: string; state: string };

export const upsertThings: Insert = {
  table: 'thing_states',
  columns: { account_id: 'text', entity_path: 'text', key: 'text', state: 'text' },
  suffix: 'ON CONFLICT (account_id, entity_path, key) DO UPDATE SET state = excluded.state',
};

export const findThings: Find = {
  table: 'thing_states',
  select: 'state',
  by: { account_id: 'text', entity_path: 'text', key: 'text' },
};

export type PlaceRow = {
  account_id: string;
  sender: string;
  thing: string;
  entity_path: string;
  key: string;
  /** When it was said that it is there. */
  placed_at: number;
  placed_rank: number;
};

export const upsertPlaces: Insert = {
  table: 'thing_places',
  columns: {
    account_id: 'text',
    sender: 'text',
    thing: 'text',
    entity_path: 'text',
    key: 'text',
    placed_at: 'int',
    placed_rank: 'real',
  },
  suffix: `ON CONFLICT (account_id, sender, thing) DO UPDATE SET entity_path = excluded.entity_path, key = excluded.key,
    placed_at = excluded.placed_at, placed_rank = excluded.placed_rank`,
};

export const findPlaces: Find = {
  table: 'thing_places',
  select: Object.keys(upsertPlaces.columns).join(', '),
  by: { account_id: 'text', sender: 'text', thing: 'text' },
};

export function deleteThing(
  tx: Transaction,
  { account_id, entity_path, key }: Omit<ThingRow, 'state'>,
): Promise<number> {
  return tx.run(
    sql`DELETE FROM thing_states WHERE account_id = ${account_id} AND entity_path = ${entity_path} AND key = ${key}`,
  );
}

export type CountsRow = {
  account_id: string;
  connector: string;
  received: number;
  duplicates: number;
  failures: number;
  last_event_type: string | null;
  last_event_at: number | null;
  last_failure_at: number | null;
};

export const addCounts: Insert = {
  table: 'connector_counts',
  columns: {
    account_id: 'text',
    connector: 'text',
    received: 'int',
    duplicates: 'int',
    failures: 'int',
    last_event_type: 'text',
    last_event_at: 'int',
    last_failure_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, connector) DO UPDATE SET
    received = connector_counts.received + excluded.received,
    duplicates = connector_counts.duplicates + excluded.duplicates,
    failures = connector_counts.failures + excluded.failures,
    last_event_type = coalesce(excluded.last_event_type, connector_counts.last_event_type),
    last_event_at = coalesce(excluded.last_event_at, connector_counts.last_event_at),
    last_failure_at = coalesce(excluded.last_failure_at, connector_counts.last_failure_at)`,
};

export function listCounts(query: Query, accountId: string): Promise<CountsRow[]> {
  return query.all<CountsRow>(
    sql`SELECT ${fragment(Object.keys(addCounts.columns).join(', '))} FROM connector_counts WHERE account_id = ${accountId}`,
  );
}

export type LetterRow = {
  account_id: string;
  letter_id: string;
  no: number;
  connector: string;
  sender: string;
  delivery_id: string;
  /** As its sender calls it. */
  type: string;
  headers: string;
  payload: string;
  reason: string;
  attempts: number;
  /** Null where it is not tried again by itself. */
  next_attempt_at: number | null;
  entity_path: string | null;
  key: string | null;
  received_at: number;
  /** Where the key of its sender may write, as JSON; null for everywhere. */
  write_scope: string | null;
};

export const insertLetters: Insert = {
  table: 'dead_letters',
  columns: {
    account_id: 'text',
    letter_id: 'text',
    no: 'int',
    connector: 'text',
    sender: 'text',
    delivery_id: 'text',
    type: 'text',
    headers: 'text',
    payload: 'text',
    reason: 'text',
    attempts: 'int',
    next_attempt_at: 'int',
    entity_path: 'text',
    key: 'text',
    received_at: 'int',
    write_scope: 'text',
  },
};

const LETTER = fragment(Object.keys(insertLetters.columns).join(', '));
const LISTED = fragment(
  Object.keys(insertLetters.columns)
    .filter((name) => name !== 'payload' && name !== 'headers')
    .join(', '),
);

export type ListedLetter = Omit<LetterRow, 'payload' | 'headers'>;

export function getLetter(query: Query, accountId: string, letterId: string): Promise<LetterRow | undefined> {
  return query.get<LetterRow>(
    sql`SELECT ${LETTER} FROM dead_letters WHERE account_id = ${accountId} AND letter_id = ${letterId}`,
  );
}

export type LetterPage = { account_id: string; before: number; limit: number; filters: readonly Sql[] };

export function listLetters(query: Query, { account_id, before, limit, filters }: LetterPage): Promise<ListedLetter[]> {
  return query.all<ListedLetter>(
    sql`SELECT ${LISTED} FROM dead_letters WHERE account_id = ${account_id} AND no < ${before}${andAll(filters)}
        ORDER BY no DESC LIMIT ${limit}`,
  );
}

/** Why the newest of a connector failed. */
export async function newestReason(query: Query, accountId: string, connector: string): Promise<string | undefined> {
  const row = await query.get<{ reason: string }>(
    sql`SELECT reason FROM dead_letters WHERE account_id = ${accountId} AND connector = ${connector}
        ORDER BY no DESC LIMIT 1`,
  );
  return row?.reason;
}

export function countLetters(query: Query, accountId: string): Promise<{ connector: string; n: number }[]> {
  return query.all(
    sql`SELECT connector, count(*) AS n FROM dead_letters WHERE account_id = ${accountId} GROUP BY connector`,
  );
}

export function deleteLetter(tx: Transaction, accountId: string, letterId: string): Promise<number> {
  return tx.run(sql`DELETE FROM dead_letters WHERE account_id = ${accountId} AND letter_id = ${letterId}`);
}

export const updateLetters: Update = {
  table: 'dead_letters',
  set: { reason: 'text', attempts: 'int', next_attempt_at: 'int' },
  by: { account_id: 'text', letter_id: 'text' },
};

export const updateDeliveries: Update = {
  table: 'deliveries',
  set: { entity_path: 'text', key: 'text', version: 'int', status: 'text', occurred_at: 'int' },
  by: { account_id: 'text', sender: 'text', realm: 'text', delivery_id: 'text' },
};
