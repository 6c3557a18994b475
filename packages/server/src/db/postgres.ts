import type pg from 'pg';
import {
  type AccountReads,
  type AnnouncementListener,
  type Database,
  type OwnMigrations,
  type Query,
  type Snapshot,
  StorageError,
  type Transaction,
} from './database.ts';
import { type ConnectionPlan, openSession, type PostgresClient } from './postgres-client.ts';
import { dialect } from './postgres-dialect.ts';
import { atAddress, isNotAllowed, isReadOnly, translate } from './postgres-errors.ts';
import { queryLed } from './postgres-led.ts';
import type { PostgresAnnouncements } from './postgres-listen.ts';
import { asQuery, type BoundStatement, findOne } from './postgres-many.ts';
import { plain, withMigrationLock } from './postgres-migration-lock.ts';
import { SettingsTable } from './postgres-settings.ts';
import { takeSnapshot } from './postgres-snapshot.ts';
import { execute, isConnectionLost, PostgresTransaction, runTransaction } from './postgres-transaction.ts';
import type { CachedFind } from './row-cache.ts';
import { findGuard, guardRows, MIGRATING, type Roles } from './row-security.ts';
import type { RowSecurity } from './row-security-types.ts';
import { SchemaGuard } from './schema-guard.ts';
import type { Row, Sql, SqlValue } from './sql.ts';

const UNLIMITED_MS = 2 ** 31 - 1;

/** The others are for reads and for writes of one account. */
const CONNECTIONS_PER_SHARED_LANE = 4;

/** Connections are renewed at most so often. */
const RENEW_MS = 1_000;
const READ_ONLY = `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS is_read_only`;
const CURRENT_SCHEMA = 'SELECT CAST(current_schema() AS text) AS name';
const CURRENT_ROLE = 'SELECT CAST(current_user AS text) AS name';
const ROLE_CHECKS = 4;

type PostgresParts = {
  pool: pg.Pool;
  poolSize: number;
  /** How connections for requests are opened. */
  plan: ConnectionPlan;
  /** The same for connections that keep a session: LISTEN, migrations, maintenance, snapshots. */
  sessions: ConnectionPlan;
  announcements: PostgresAnnouncements;
  rowSecurity: RowSecurity | undefined;
  /** How many connections broke so far. */
  lost: { connections: number };
  /** No pooler is between: reads of an unguarded store need no settings of their own. */
  isDirect: boolean;
  /** Nothing is written: a standby can neither take it nor LISTEN. */
  readOnly: boolean;
};

export class PostgresDatabase implements Database {
  readonly dialect = dialect;
  readonly sharedLanes: number;
  readonly read: Query;
  readonly scan: Query;
  readonly #pool: pg.Pool;
  readonly #plan: ConnectionPlan;
  readonly #sessions: ConnectionPlan;
  readonly #announcements: PostgresAnnouncements;
  readonly #rowSecurity: RowSecurity | undefined;
  readonly #isDirect: boolean;
  readonly #isReadOnly: boolean;
  readonly #lost: { connections: number };
  #settings: SettingsTable;
  /** Set after the migrations, when row-level security is on. */
  #roles: Roles | undefined;
  #renewedAt = 0;
  /** Where the tables are. */
  #schema: string | undefined;
  #expected: SchemaGuard | undefined;

  constructor({ pool, poolSize, plan, sessions, announcements, ...parts }: PostgresParts) {
    this.sharedLanes = Math.max(1, Math.floor(poolSize / CONNECTIONS_PER_SHARED_LANE));
    this.#pool = pool;
    this.#plan = plan;
    this.#sessions = sessions;
    this.#announcements = announcements;
    this.#rowSecurity = parts.rowSecurity;
    this.#isDirect = parts.isDirect;
    this.#isReadOnly = parts.readOnly;
    this.#lost = parts.lost;
    this.#settings = new SettingsTable({ roles: undefined, settings: plan.address.settings });
    this.read = asQuery((statement) => this.#ask(statement));
    this.scan = this.read;
  }

  forAccount(accountId: string): AccountReads {
    if (!this.#roles) return this;
    const read = asQuery((statement) => this.#ask(statement, accountId));
    return { read, scan: read, find: (find, key) => findOne(read, find, key) };
  }

  find<T = Row>(find: CachedFind, key: readonly SqlValue[]): Promise<T | undefined> {
    return findOne(this.read, find, key);
  }

  /** A read of an account, or over all accounts: one statement, led by what it runs under. */
  async #ask(statement: BoundStatement, accountId?: string): Promise<pg.QueryResult> {
    if (this.#isDirect && !this.#roles && this.#plan.generation === 0) return execute(this.#pool, statement);
    const client = await this.#connect();
    try {
      const result = await this.#askOn(client, statement, accountId);
      client.release();
      return result;
    } catch (error) {
      const failure = translate(error);
      this.#release(client, isConnectionLost(failure));
      throw failure;
    }
  }

  #askOn(client: PostgresClient, statement: BoundStatement, accountId: string | undefined): Promise<pg.QueryResult> {
    const { plain, withAccount } = this.#settings.of(
      accountId === undefined ? 'maintenance' : 'account',
      client.isDirect,
    );
    const isEntered = accountId !== undefined && withAccount !== undefined;
    const text = isEntered ? withAccount : plain;
    if (text === undefined) return execute(client, statement);
    const asked = { text: statement.text, values: statement.values as unknown[] };
    return queryLed(client, { text, values: isEntered ? [accountId] : [] }, asked);
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transact(work, { runsAs: 'account' });
  }

  maintenanceTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transact(work, { runsAs: 'maintenance' });
  }

  /** Uses a connection outside the pool: its reader may be slow, and must not keep others from theirs. */
  async snapshot(accountId: string): Promise<Snapshot> {
    const client = await openSession(this.#sessions);
    return takeSnapshot(client, {
      accountId,
      settings: this.#settings.of('account', !this.#sessions.lendsTransactions),
    });
  }

  async #transact<T>(
    work: (tx: Transaction) => Promise<T>,
    { runsAs, isUnchecked, ...options }: { runsAs: 'account' | 'maintenance'; isUnchecked?: true; timeoutMs?: number },
  ): Promise<T> {
    this.#refuseWrites();
    const client = await this.#connect();
    const settings = this.#settings[isUnchecked ? 'of' : 'forWrites'](runsAs, client.isDirect);
    const tx = new PostgresTransaction(client, { ...options, settings });
    const ended = await runTransaction(tx, () => work(tx));
    // A connection that may still be in a transaction is closed, which also ends the transaction on the server.
    this.#release(client, !ended.usable);
    if (!('error' in ended)) return ended.result;
    if (isReadOnly(ended.error)) this.#renew();
    throw ended.error;
  }

  #refuseWrites(): void {
    if (this.#isReadOnly) throw new StorageError('read_only', new Error('a write was attempted'));
  }

  async #connect(): Promise<PostgresClient & pg.PoolClient> {
    for (;;) {
      try {
        const client = (await this.#pool.connect()) as PostgresClient & pg.PoolClient;
        if (client.generation === this.#plan.generation) return client;
        client.release(true);
      } catch (error) {
        throw translate(error);
      }
    }
  }

  get lostConnections(): number {
    return this.#lost.connections;
  }

  #release(client: pg.PoolClient, isBroken: boolean): void {
    if (isBroken) this.#lost.connections++;
    client.release(isBroken);
  }

  /** The server has become a standby. Others of its connections still answer, from a past that ends here. */
  #renew(): void {
    if (performance.now() - this.#renewedAt < RENEW_MS) return;
    this.#renewedAt = performance.now();
    this.#lost.connections++;
    this.#plan.generation++;
    this.#plan.finder?.invalidate();
    this.#sessions.finder?.invalidate();
  }

  async isWritable(): Promise<boolean> {
    const { rows } = await this.#ask(plain(READ_ONLY));
    if (this.#isReadOnly) return false;
    if (!rows[0].is_read_only) return true;
    this.#renew();
    return false;
  }

  exclusively<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    // A transaction that has read the number of migrations holds up one that migrates: it must not wait for its lock then.
    const options = { runsAs: 'maintenance', isUnchecked: true, timeoutMs: UNLIMITED_MS } as const;
    const checked = async (tx: Transaction) => {
      const guard = this.#expected;
      if (guard) guard.check((await tx.get<{ schema: number }>(plain(guard.text)))?.schema);
      return work(tx);
    };
    return this.#transact((tx) => withMigrationLock(tx, () => checked(tx)), options);
  }

  expectSchema(own: OwnMigrations, onOther: (error: StorageError) => void): void {
    this.#expected = new SchemaGuard(own, onOther);
    if (this.#schema !== undefined)
      this.#settings = this.#settings.expecting({ guard: this.#expected, schema: this.#schema });
  }

  /** Uses a connection outside the pool: pooled connections no longer have the rights to change the schema. */
  async alter<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#refuseWrites();
    return this.#asOwner(async (client) => {
      const tx = new PostgresTransaction(client, { timeoutMs: UNLIMITED_MS });
      const ended = await runTransaction(tx, () =>
        withMigrationLock(tx, async () => {
          await tx.run(plain(MIGRATING));
          this.#schema = (await tx.get<{ name: string }>(plain(CURRENT_SCHEMA)))?.name;
          return { done: await work(tx), roles: await this.#guard(client) };
        }),
      );
      if ('error' in ended) throw isNotAllowed(ended.error) ? new StorageError('refused', ended.error) : ended.error;
      await this.#serveAs(ended.result.roles);
      return ended.result.done;
    });
  }

  takeAsFound<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#asOwner(async (client) => {
      const found = await work(asQuery((statement) => execute(client, statement)));
      await this.#serveAs(this.#rowSecurity && (await findGuard(client, this.#rowSecurity)));
      return found;
    });
  }

  /** Requests run under these roles from now on. What the database makes of it is looked up, not assumed. */
  async #serveAs(roles: Roles | undefined): Promise<void> {
    this.#roles = roles;
    this.#settings = new SettingsTable({ roles, settings: this.#plan.address.settings });
    if (!roles) return;
    const asked = Array.from({ length: ROLE_CHECKS }, () => this.#ask(plain(CURRENT_ROLE), ''));
    const found = (await Promise.all(asked)).map(({ rows }) => rows[0].name);
    const other = found.find((name) => name !== roles.app);
    if (other !== undefined)
      throw new StorageError('refused', new Error(`requests run as ${other} and not as ${roles.app}: see mem doctor`));
  }

  async #guard(client: pg.Client): Promise<Roles | undefined> {
    try {
      return this.#rowSecurity && (await guardRows(client, this.#rowSecurity));
    } catch (error) {
      throw translate(error);
    }
  }

  async maintain(statement: Sql): Promise<void> {
    this.#refuseWrites();
    return this.#asOwner(async (client) => {
      await execute(client, { text: 'SET statement_timeout = 0', values: [] });
      await execute(client, { ...statement, query_timeout: UNLIMITED_MS });
    });
  }

  async #asOwner<T>(work: (client: PostgresClient) => Promise<T>): Promise<T> {
    const client = await openSession(this.#sessions);
    try {
      return await work(client);
    } catch (error) {
      throw error instanceof StorageError ? atAddress(error, this.#sessions.where) : error;
    } finally {
      await client.end().catch(() => {});
    }
  }

  announce(topic: string, place: number): void {
    if (!this.#isReadOnly) this.#announcements.announce(topic, place);
  }

  onAnnounce(listener: AnnouncementListener): () => void {
    return this.#isReadOnly ? () => {} : this.#announcements.onAnnounce(listener);
  }

  async close(): Promise<void> {
    await this.#announcements.close();
    await this.#pool.end();
  }
}
