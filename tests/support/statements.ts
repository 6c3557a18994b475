import { coreModules } from '../../packages/server/src/app.ts';
import {
  type AccountReads,
  type CachedFind,
  type Database,
  type Find,
  findOneText,
  type Insert,
  type Query,
  type Row,
  type Sql,
  type SqlValue,
  type Transaction,
  type Update,
} from '../../packages/server/src/db/index.ts';
import { type Module, tablesOf } from '../../packages/server/src/kernel/index.ts';

/** The same store, with a check of every statement before it runs. */
export function watchDatabase(database: Database, see: (statement: Sql) => void): Database {
  const seen = (statement: Sql): Sql => {
    see({ ...statement, text: squeeze(statement.text) });
    return statement;
  };
  const seeFind = (find: Find, key: readonly SqlValue[] = []) => see({ text: squeeze(findOneText(find)), values: key });
  const watchReads = (reads: AccountReads): AccountReads => ({
    read: watchQuery(reads.read),
    scan: watchQuery(reads.scan),
    async find<T = Row>(find: CachedFind, key: readonly SqlValue[]): Promise<Readonly<T> | undefined> {
      seeFind(find, key);
      return reads.find<T>(find, key);
    },
  });
  const watchQuery = (query: Query): Query => ({
    all: async (statement) => query.all(seen(statement)),
    get: async (statement) => query.get(seen(statement)),
    first: async (statement, limit) => query.first(seen(statement), limit),
    async findMany<T = Row>(find: Find, keys: readonly (readonly SqlValue[])[]): Promise<(T | undefined)[]> {
      seeFind(find, keys[0]);
      return query.findMany<T>(find, keys);
    },
  });
  const watchTransaction = (tx: Transaction): Transaction => ({
    ...watchQuery(tx),
    enter: (accountId) => tx.enter(accountId),
    enterAll: (accountIds) => tx.enterAll(accountIds),
    run: async (statement) => tx.run(seen(statement)),
    async insertMany<T = Row>(insert: Insert, rows: readonly Row[]): Promise<T[]> {
      const columns = Object.keys(insert.columns).join(', ');
      see({ text: squeeze(`INSERT INTO ${insert.table} (${columns}) ${insert.suffix ?? ''}`), values: [] });
      return tx.insertMany<T>(insert, rows);
    },
    async updateMany(update: Update, rows: readonly Row[]): Promise<void> {
      const places = (columns: object) => Object.keys(columns).map((column) => `${column} = ?`);
      const sets = places({ ...update.set, ...update.add });
      const text = `UPDATE ${update.table} SET ${sets.join(', ')} WHERE ${places(update.by).join(' AND ')}`;
      see({ text, values: [] });
      return tx.updateMany(update, rows);
    },
    savepoint: (work) => tx.savepoint(work),
  });
  return {
    dialect: database.dialect,
    sharedLanes: database.sharedLanes,
    ...watchReads(database),
    forAccount: (accountId) => watchReads(database.forAccount(accountId)),
    async snapshot(accountId) {
      const snapshot = await database.snapshot(accountId);
      return { ...watchQuery(snapshot), close: () => snapshot.close() };
    },
    transaction: (work, options) => database.transaction((tx) => work(watchTransaction(tx)), options),
    maintenanceTransaction: (work) => database.maintenanceTransaction((tx) => work(watchTransaction(tx))),
    exclusively: (work) => database.exclusively((tx) => work(watchTransaction(tx))),
    alter: (work) => database.alter((tx) => work(watchTransaction(tx))),
    expectSchema: (schema, onOther) => database.expectSchema(schema, onOther),
    maintain: async (statement) => database.maintain(seen(statement)),
    isWritable: () => database.isWritable(),
    get lostConnections() {
      return database.lostConnections;
    },
    announce: (topic, place) => database.announce(topic, place),
    onAnnounce: (listener) => database.onAnnounce(listener),
    ...(database.takeAsFound ? { takeAsFound: database.takeAsFound.bind(database) } : {}),
    ...(database.marks ? { marks: database.marks } : {}),
    ...(database.words ? { words: database.words } : {}),
    close: () => database.close(),
  };
}

const squeezed = new Map<string, string>();
const MAX_SQUEEZED = 10_000;

/** On one line. The same texts come again and again. */
export function squeeze(text: string): string {
  const known = squeezed.get(text);
  if (known !== undefined) return known;
  if (squeezed.size >= MAX_SQUEEZED) squeezed.clear();
  const line = text.replace(/\s+/g, ' ').trim();
  squeezed.set(text, line);
  return line;
}

/** Tables with rows of accounts, and views of them, as modules declare them. */
const declaredTables = (installed: readonly Module[]): string[] => [
  ...tablesOf(installed).map(({ table }) => table),
  ...installed.flatMap(({ wordIndexes = [] }) => wordIndexes.map(({ view }) => view)),
];

type TenantGuard = { reference: RegExp; insert: RegExp };

export function guardOf(installed: readonly Module[]): TenantGuard {
  const names = declaredTables(installed).join('|');
  return {
    reference: new RegExp(`\\b(?:FROM|JOIN|UPDATE) (?:${names})\\b`, 'gi'),
    insert: new RegExp(`^INSERT INTO (?:${names}) \\(([^)]*)\\)`, 'i'),
  };
}

const coreGuard = guardOf(coreModules);
const ONE_ACCOUNT = /\baccount_id = (?:\?|found\.account_id)/gi;

/** Statements over all accounts, and why each may be. */
const OVER_ALL_ACCOUNTS: readonly (readonly [start: string, reason: string])[] = [
  ['CREATE ', 'makes the schema'],
  [
    'UPDATE edges SET evidence_count = evidence_count - (SELECT n FROM told_edges',
    'a migration, each account for itself',
  ],
  ['DELETE FROM edges WHERE relation IN', 'a migration, each account for itself'],
  ['ALTER TABLE ', 'changes the schema'],
  ['DO $$ BEGIN IF EXISTS (SELECT 1 FROM entries) THEN RETURN', 'counts rows it made in an empty table'],
  ['UPDATE evidence SET (before_seq, before_no) =', 'a migration, each account for itself'],
  ['UPDATE entries SET (line_seq, line_no) =', 'a migration, each account for itself'],
  [
    'INSERT INTO standings (account_id, entry_id, confidence, standing, standing_no, recall_count, line_seq, line_no) SELECT',
    'a migration, each account for itself',
  ],
  ['UPDATE entries SET standing = NULL WHERE standing IS NOT NULL', 'a migration, each account for itself'],
  ['UPDATE standings SET evidence_rank = CAST(CASE', 'a migration, each account for itself'],
  ['UPDATE sessions SET recorded = 1 WHERE attributes <>', 'a migration, each account for itself'],
  ['UPDATE accounts SET storage_bytes = (SELECT', 'a migration, each account for itself'],
  ['UPDATE accounts SET storage_bytes = storage_bytes + (SELECT', 'a migration, each account for itself'],
  [
    'INSERT INTO agents (account_id, agent_id, visible_to, first_at, last_at) SELECT',
    'a migration, each account for itself',
  ],
  [
    'INSERT INTO edges (account_id, branch, source_type, source, visible_to, relation, target_type, target, confidence, evidence_count, first_seen, last_seen) SELECT',
    'a migration, each account for itself',
  ],
  ['SELECT api_keys.account_id,', 'finds out whose key was presented'],
  [
    'UPDATE api_keys SET secret = NULL, secret_before = NULL, secret_before_ends_at = NULL WHERE account_id IS NOT NULL',
    'keys of all accounts expire alike',
  ],
  [
    'UPDATE api_keys SET secret_before = NULL, secret_before_ends_at = NULL WHERE account_id IS NOT NULL',
    'secrets of all accounts are replaced alike',
  ],
  ['SELECT api_keys.key_hash,', 'finds out whether keys are good that streams are open for'],
  [
    'SELECT account_id, name, plan, status, created_at FROM accounts WHERE account_id > ?',
    'lists the accounts for whoever runs the service',
  ],
  [
    'INSERT INTO session_reads (account_id, agent_id, session, no, attempt, reads) SELECT',
    'a migration, each account for itself',
  ],
  [
    'INSERT INTO consumer_cursors (account_id, consumer, seq) SELECT',
    'a consumer that is new begins at the end of every log',
  ],
  [
    'SELECT max(account_id) AS account_id FROM (SELECT account_id FROM accounts WHERE account_id > ?',
    'a walk over all accounts, a page at a time',
  ],
  ['SELECT behind.account_id, behind.head, behind.seq,', 'the same walk finds the logs that consumers are behind'],
  [
    'SELECT DISTINCT account_id, consumer FROM consumer_dead_letters WHERE account_id IS NOT NULL AND retry = 1',
    'the same walk finds the dead letters that are to be tried again',
  ],
  [
    'SELECT consumer, count(*) AS n FROM consumer_dead_letters WHERE account_id IS NOT NULL GROUP BY',
    'counts what consumers gave up on, for the metrics',
  ],
  [
    'SELECT account_id, number, seq, seq_stamp, audit_no, audit_hash, item_no, last_at, deleted_at, plan, storage_bytes, storage_entries, open_sessions, reader_notes, forked_seq, main_protected FROM accounts WHERE account_id IN (SELECT value',
    'locks the accounts that share a transaction',
  ],
  [
    'SELECT account_id FROM accounts WHERE account_id IN (SELECT value',
    'tells those that are locked from those that ended',
  ],
  [
    'SELECT account_id, storage_bytes, storage_entries FROM accounts WHERE account_id IN (SELECT value',
    'adds up what the rooms of an account store',
  ],
  ['SELECT account_id FROM room_accounts WHERE of_account = ?', 'finds the rooms that an account is in, or made'],
  [
    'SELECT account_id FROM room_access_requests WHERE of_account = ?',
    'finds the rooms that an account asked for access',
  ],
  ['SELECT account_id FROM rooms WHERE delete_at IS NOT NULL', 'one sweep finds the rooms that are to be deleted'],
  ['UPDATE rooms SET delete_at = closed_at +', 'a migration, each account for itself'],
  ['VACUUM ', 'gives freed space back; reads no row'],
  ['SELECT sum(max(0, live.seq - ', 'how far the index of words is behind, for whoever runs the service'],
  ['INSERT INTO accounts (account_id, number,', 'numbers are unique over all accounts'],
  [
    'DELETE FROM stored_answers WHERE account_id IS NOT NULL AND created_at <',
    'answers of all accounts grow old alike',
  ],
  ['DELETE FROM answer_names WHERE account_id IS NOT NULL AND created_at <', 'and what they name with them'],
  ['DELETE FROM rate_cells WHERE account_id IS NOT NULL AND cell <', 'minutes of all accounts pass alike'],
  ['UPDATE event_counts SET failures = past.n FROM', 'a migration, each account for itself'],
  ['DELETE FROM event_counts WHERE account_id IS NOT NULL AND unit =', 'minutes of all accounts are forgotten alike'],
  ['DELETE FROM otel_spans WHERE account_id IS NOT NULL AND at <', 'spans of all accounts grow old alike'],
  ['DELETE FROM otel_traces WHERE account_id IS NOT NULL AND at <', 'traces of all accounts grow old alike'],
  [
    'SELECT account_id, number, name, seq, item_no, exported_seq, exported_item_no, deleted_at, purged_at FROM accounts WHERE deleted_at IS NOT NULL',
    'one sweep finds the accounts that were deleted',
  ],
  [
    'SELECT account_id, kind, days, updated_at, done_seq FROM retention WHERE days IS NOT NULL',
    'one sweep finds the accounts that keep something for a while',
  ],
  [
    'SELECT account_id, golden_id, replayed_at FROM golden_queries WHERE replayed_at <',
    'one sweep finds the questions that are to be asked again',
  ],
  ['SELECT account_id FROM fitted_weights WHERE name =', 'one sweep finds the accounts whose weights are to be fitted'],
  ['SELECT account_id, branch, entity_path, key FROM entries WHERE ttl_at IS NOT NULL', 'one sweep finds what expired'],
  [
    'SELECT account_id, embedder, model, cut_to FROM vector_models WHERE used_at <',
    'one sweep finds the vectors of models that nobody uses',
  ],
  [
    'DELETE FROM deliveries WHERE account_id IS NOT NULL AND (account_id, sender, realm, delivery_id) IN',
    'deliveries of all accounts grow old alike',
  ],
  [
    'SELECT account_id, letter_id FROM ( SELECT account_id, letter_id, row_number() OVER (PARTITION BY account_id',
    'one sweep finds the events that are to be tried again',
  ],
  ['SELECT next_attempt_at FROM dead_letters WHERE connector =', 'finds when that sweep is due'],
  [
    "SELECT account_id, negotiation_id FROM negotiations WHERE status = 'open' AND deadline_at",
    'one sweep ends those whose time is over',
  ],
  ["SELECT deadline_at FROM negotiations WHERE status = 'open' AND deadline_at", 'finds when that sweep is due'],
  [
    'SELECT account_id, room_id, name, description, topics, account_count, agent_count FROM room_cards WHERE room_id',
    'shows the rooms of all accounts that are meant to be found',
  ],
  ['SELECT room_id FROM room_words WHERE (word, room_id) >', 'finds them by a word'],
  ['UPDATE traces SET has_error = 1 WHERE EXISTS', 'a migration marks the traces of all accounts'],
  ['UPDATE incidents SET group_id = incident_id', 'a migration, each account for itself'],
  ['UPDATE room_documents SET added_by = agent_id', 'a migration, each row for itself'],
  ['SELECT account_id, agent_id, session FROM sessions WHERE last_at <', 'one sweep finds what nobody went on with'],
];

/** What is wrong with a statement on tables that hold several accounts' rows, or undefined. */
export function tenantProblem(text: string, { reference, insert }: TenantGuard = coreGuard): string | undefined {
  if (OVER_ALL_ACCOUNTS.some(([start]) => text.startsWith(start))) return undefined;
  const columns = insert.exec(text)?.[1];
  if (columns !== undefined && !columns.split(', ').includes('account_id'))
    return `inserts without account_id: ${text}`;
  const references = text.match(reference)?.length ?? 0;
  const named = text.match(ONE_ACCOUNT)?.length ?? 0;
  return named < references ? `names account_id ${named} times for ${references} tables: ${text}` : undefined;
}

const guards = new WeakMap<readonly Module[], TenantGuard & { harmless: Set<string> }>();

function guardFor(modules: readonly Module[]) {
  const known = guards.get(modules) ?? { ...guardOf([...coreModules, ...modules]), harmless: new Set<string>() };
  guards.set(modules, known);
  return known;
}

/** Every test of the project runs behind this. Statements of the test itself are not checked. */
export function refuseForeign(modules: readonly Module[]): (statement: Sql) => void {
  const guard = guardFor(modules);
  const { harmless } = guard;
  return ({ text }) => {
    if (harmless.has(text)) return;
    const problem = tenantProblem(text, guard);
    if (!problem) harmless.add(text);
    if (problem && !isAskedByTest()) throw new Error(`a statement ${problem}`);
  };
}

/** Files only: to find their lines, each frame would be looked up in the map of its source. */
function isAskedByTest(): boolean {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, frames) => frames.map((frame) => frame.getFileName() ?? '');
  const files = new Error().stack as unknown as string[];
  Error.prepareStackTrace = prepareStackTrace;
  const caller = files.find((file) => !file.includes('/tests/support/statements.ts'));
  return caller?.includes('/tests/') ?? false;
}
