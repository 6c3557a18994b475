import { addressOfDsn } from '@mem-service/mcp/location';
import pg from 'pg';
import { type PostgresAddress, type PostgresHost, readAddress, type ServerSetting } from './postgres-address.ts';
import { atAddress } from './postgres-errors.ts';
import { HostFinder } from './postgres-hosts.ts';

const BIGINT_OID = 20;
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === BIGINT_OID ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

const CONNECTION = {
  types: types as pg.CustomTypesConfig,
  connectionTimeoutMillis: 5_000,
  query_timeout: 25_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  application_name: 'mem',
  ...{ pipeline: true },
};

/** A host that does not answer at once is not the one to use. */
const HOST_TIMEOUTS = { connectionTimeoutMillis: 2_000, query_timeout: 2_000 };

/** What the connections of an address have in common. */
export type ConnectionPlan = {
  address: PostgresAddress;
  finder: HostFinder | undefined;
  /** Named statements can be used on connections through a pooler. */
  keepsNames: boolean;
  /** A pooler of transactions is at the address: what is set for a session would reach other clients. */
  lendsTransactions: boolean;
  /** Connections of an earlier generation may lead to a server that takes no writes any more. */
  generation: number;
  /** What failures name: the variable of the address, where it is not that of the store. */
  where?: string;
};

/** For the address past a pooler. */
export function planDirect(directDsn: string): ConnectionPlan {
  const where = `MEM_POSTGRES_DIRECT_DSN ${addressOfDsn(directDsn)}`;
  try {
    return { ...planConnections(readAddress(directDsn)), where };
  } catch (error) {
    throw atAddress(error, where);
  }
}

export function planConnections(address: PostgresAddress): ConnectionPlan {
  const { hosts, target, connectionString } = address;
  const newClient = (host: PostgresHost) =>
    pointTo(new pg.Client({ ...CONNECTION, ...HOST_TIMEOUTS, connectionString }), host);
  const isChosen = hosts.length > 1 || target !== 'any';
  const finder = isChosen ? new HostFinder(address, newClient) : undefined;
  return { address, finder, keepsNames: false, lendsTransactions: false, generation: 0 };
}

/** The driver reads the host when it connects. */
function pointTo<T extends pg.Client>(client: T, { host, port }: PostgresHost): T {
  return Object.assign(client, { host, port });
}

const setText = ([name, value]: ServerSetting, lasts: 'session' | 'transaction'): string =>
  `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, ${lasts === 'transaction'})`;

/** Until the end of the transaction, so that the next user of the connection does not inherit them. */
export const setLocally = (settings: readonly ServerSetting[]): string[] =>
  settings.map((setting) => setText(setting, 'transaction'));

/**
 * A connection whose other end has the number that PostgreSQL gave at the start belongs to no pooler, and keeps its
 * settings. Through a pooler nothing is set: what is set for a session reaches other clients of it.
 */
const greetingOf = (settings: readonly ServerSetting[]): string =>
  `SELECT pg_backend_pid() = $1 AS is_direct${settings
    .map((setting) => `, CASE WHEN pg_backend_pid() = $1 THEN ${setText(setting, 'session')} END`)
    .join('')}`;

type ConnectCallback = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/** A connection of the pool. It is ready when `connect` ends. */
export class PostgresClient extends pg.Client {
  readonly #plan: ConnectionPlan;
  /** There is no pooler between. */
  isDirect = false;
  /** The server parses a named statement once per connection. */
  namesStatements = false;
  generation: number;

  constructor(config: pg.ClientConfig & { plan: ConnectionPlan }) {
    super(config);
    this.#plan = config.plan;
    this.generation = config.plan.generation;
    // A broken connection is reported by the statements; without a listener, the error would end the process.
    this.on('error', () => {});
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.Client> | undefined {
    const connected = this.#connect();
    if (!callback) return connected.then(() => this);
    const answer = callback as (error: Error | null, client?: pg.Client) => void;
    connected.then(() => answer(null, this), answer);
    return undefined;
  }

  /** Closes it without waiting for anything. */
  abandon(): void {
    void this.end().catch(() => {});
    (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }

  async #connect(): Promise<void> {
    const { address, finder, keepsNames } = this.#plan;
    if (finder) pointTo(this, await finder.find());
    await super.connect();
    const { processID } = this as unknown as { processID: number };
    const { rows } = await this.query(greetingOf(address.settings), [processID]);
    this.isDirect = rows[0].is_direct;
    this.namesStatements = this.isDirect || keepsNames;
  }
}

export function newPool(plan: ConnectionPlan, max: number): pg.Pool {
  const { connectionString } = plan.address;
  const config = { ...CONNECTION, connectionString, max, plan };
  return new pg.Pool({ ...config, Client: PostgresClient as unknown as new () => pg.ClientBase });
}

export const newClient = (plan: ConnectionPlan): PostgresClient =>
  new PostgresClient({ ...CONNECTION, connectionString: plan.address.connectionString, plan });

/** A connection with an owner, which is closed after its work: settings of the session are its own. */
export async function openSession(plan: ConnectionPlan): Promise<PostgresClient> {
  const client = newClient(plan);
  try {
    await client.connect();
    if (!client.isDirect && !plan.lendsTransactions) {
      const texts = plan.address.settings.map((setting) => setText(setting, 'session'));
      await client.query(`SELECT ${texts.join(', ')}`);
    }
    return client;
  } catch (error) {
    void client.end().catch(() => {});
    throw atAddress(error, plan.where);
  }
}
