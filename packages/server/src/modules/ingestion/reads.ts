import { globsOf, type Output } from '@mem-service/contract';
import type { LoadedConnector } from '../../connectors/types.ts';
import { sql } from '../../db/index.ts';
import {
  anyGlobCondition,
  cursorsOf,
  cutPage,
  fromIso,
  type Handlers,
  type ReadContext,
  readScope,
  reads,
  scopeConditions,
  scopedGlobs,
  toIso,
  toIsoOrNull,
  withinPage,
} from '../../kernel/index.ts';
import { connectorOf, connectorsOf } from './connectors.ts';
import { externalAgent, webhookAgent } from './names.ts';
import * as queries from './queries.ts';
import { toTimes } from './store.ts';

type ReceivedEvent = Output<'events.list'>['events'][number];

const toEvent = (row: queries.DeliveryRow): ReceivedEvent => ({
  id: row.delivery_id,
  event_type: row.type,
  agent_id: row.sender,
  entity_path: row.entity_path,
  key: row.key,
  version: row.version,
  status: row.status as ReceivedEvent['status'],
  ...toTimes(row),
});

const textsOf = ({ delivery_id, type, sender, entity_path, key }: queries.DeliveryRow) => [
  ...[delivery_id, type, sender],
  ...[entity_path, key],
];

const eventCursors = cursorsOf('events.list', ['number', 'number']);
const END = Number.MAX_SAFE_INTEGER;

const listEvents = reads<'events.list'>(async ({ scan: query, caller, services }, input) => {
  const { limit, cursor, event_type, source, key, since, until } = input;
  const [at, no] = cursor === undefined ? [END, END] : eventCursors.from(cursor);
  const end = until === undefined ? END : fromIso(until);
  const before = at < end ? { received_at: at, no } : { received_at: end, no: 0 };
  const range = {
    account_id: caller.account_id,
    before,
    since: since === undefined ? 0 : fromIso(since),
    scan: services.limits.max_scanned_entries,
  };
  const globs = globsOf(input);
  const scope = readScope(caller);
  const filters = [
    ...(event_type === undefined ? [] : [sql`type = ${event_type}`]),
    ...(source === undefined ? [] : [sql`sender IN (${externalAgent(source)}, ${webhookAgent(source)})`]),
    ...(key === undefined ? [] : [sql`key = ${key}`]),
    ...(scope === undefined && globs === undefined ? [] : [anyGlobCondition(scopedGlobs(scope, globs))]),
  ];
  const rows = await queries.listDeliveries(query, range, { filters, limit: limit + 1 });
  const { items, ...page } = cutPage(withinPage(services, rows, textsOf), limit, (row) =>
    eventCursors.to([row.received_at, row.no]),
  );
  const events = items.map(toEvent);
  if (page.has_more || filters.length === 0) return { events, ...page };
  const last = await queries.endOfDeliveries(query, range);
  return last
    ? { events, next_cursor: eventCursors.to([last.received_at, last.no]), has_more: true }
    : { events, ...page };
});

const letterCursors = cursorsOf('dead_letters.list', ['number']);

const listLetters = reads<'dead_letters.list'>(async ({ read, caller, services }, { connector, limit, cursor }) => {
  const before = cursor === undefined ? END : letterCursors.from(cursor)[0];
  const filters = [
    ...scopeConditions(readScope(caller)),
    ...(connector === undefined ? [] : [sql`connector = ${connector}`]),
  ];
  const { account_id } = caller;
  const rows = await queries.listLetters(read, { account_id, before, limit: limit + 1, filters });
  const { items, ...page } = cutPage(withinPage(services, rows, textsOfLetter), limit, (row) =>
    letterCursors.to([row.no]),
  );
  return { dead_letters: items.map(toLetter), ...page };
});

const textsOfLetter = ({ delivery_id, type, reason, entity_path, key }: queries.ListedLetter) => [
  ...[delivery_id, type, reason],
  ...[entity_path, key],
];

const toLetter = (row: queries.ListedLetter) => ({
  letter_id: row.letter_id,
  connector: row.connector,
  id: row.delivery_id,
  event_type: row.type,
  reason: row.reason,
  attempts: row.attempts,
  next_attempt_at: toIsoOrNull(row.next_attempt_at),
  entity_path: row.entity_path,
  key: row.key,
  received_at: toIso(row.received_at),
});

type ConnectorCounts = Pick<queries.CountsRow, 'received' | 'duplicates' | 'failures'> & Partial<queries.CountsRow>;
type AccountCounts = { rows: ReadonlyMap<string, ConnectorCounts>; letters: ReadonlyMap<string, number> };

/** Counts are of the whole account: a key that reaches only a part of it sees none. */
async function countsOf({ read, caller }: ReadContext): Promise<AccountCounts | undefined> {
  if (readScope(caller) !== undefined) return undefined;
  const { account_id } = caller;
  const [rows, letters] = await Promise.all([
    queries.listCounts(read, account_id),
    queries.countLetters(read, account_id),
  ]);
  return {
    rows: new Map(rows.map((row) => [row.connector, row])),
    letters: new Map(letters.map(({ connector, n }) => [connector, n])),
  };
}

const NONE: ConnectorCounts = { received: 0, duplicates: 0, failures: 0 };

function toRow(
  { manifest, source, secrets, unsigned, missing_variables }: LoadedConnector,
  all: AccountCounts | undefined,
) {
  const { name, version, description } = manifest;
  const counted = all && (all.rows.get(name) ?? NONE);
  const { received = 0, duplicates = 0, failures = 0, last_event_type, last_event_at } = counted ?? {};
  return {
    connector: name,
    version,
    description,
    origin: source,
    secret_set: secrets.length > 0,
    unsigned,
    missing_variables: [...missing_variables],
    totals: all ? { received, duplicates, failures, dead_letters: all.letters.get(name) ?? 0 } : null,
    last_event: last_event_at == null ? null : { event_type: last_event_type ?? '', received_at: toIso(last_event_at) },
  };
}

const list = reads<'connectors.list'>(async (context) => {
  const counts = await countsOf(context);
  const all = [...connectorsOf(context.services).values()].toSorted((a, b) =>
    a.manifest.name < b.manifest.name ? -1 : 1,
  );
  return { connectors: all.map((one) => toRow(one, counts)) };
});

const read = reads<'connectors.read'>(async (context, { connector }) => {
  const loaded = connectorOf(context.services, connector);
  const counts = await countsOf(context);
  const { manifest, records_outcomes } = loaded;
  const { last_failure_at } = counts?.rows.get(connector) ?? {};
  // Made from a payload, it is kept nowhere but in its letter, which is erased with it.
  const reason =
    last_failure_at == null ? '' : await queries.newestReason(context.read, context.caller.account_id, connector);
  return {
    ...toRow(loaded, counts),
    author: manifest.author ?? null,
    license: manifest.license ?? null,
    default_entity_path: manifest.default_entity_path,
    event_types: [...manifest.event_types],
    max_payload_bytes: manifest.webhook.max_payload_bytes,
    signature_header: manifest.webhook.signature_header,
    signature_algorithm: manifest.webhook.signature_algorithm,
    records_outcomes,
    last_failure: last_failure_at == null ? null : { reason: reason ?? '', failed_at: toIso(last_failure_at) },
    retry_attempts: manifest.config.retry_attempts,
    retry_delay_seconds: manifest.config.retry_delay_seconds,
  };
});

export const readHandlers: Handlers = {
  'events.list': listEvents,
  'dead_letters.list': listLetters,
  'connectors.list': list,
  'connectors.read': read,
};
