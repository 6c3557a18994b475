import pg from 'pg';

/** What a statement runs under: its account, or the maintenance role. */
export type TenantSetting = readonly [setting: 'mem.account_id' | 'mem.account_ids' | 'role', value: string];

/** Between the accounts of `mem.account_ids`; no id has a blank. */
export const ACCOUNT_SEPARATOR = ' ';

/** Lasts until the end of the transaction, so that the next user of the connection does not inherit it. */
export const SET_TENANT = { name: 'mem_enter', text: 'SELECT set_config($1, $2, true)' } as const;

type PgWire = {
  bind(bound: { portal: string; statement: string; values: readonly string[] }): void;
  execute(portal: { portal: string }): void;
};
type QueryCallback = (error: Error | undefined, result: pg.QueryResult) => void;
type QueryRequest = { name?: string; text: string; values: unknown[]; callback: QueryCallback };

/** Members of the driver's query that its types leave out. */
type PgQuery = pg.Submittable & {
  prepare(connection: PgWire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: unknown): void;
};
const Query = pg.Query as unknown as new (asked: QueryRequest) => PgQuery;

/**
 * Two statements in one transaction and one round trip: without a `Sync` between them, PostgreSQL treats the setting
 * and the query as one. The connection has `SET_TENANT` prepared.
 */
class TenantQuery extends Query {
  readonly #entered: TenantSetting;
  #isInside = false;

  constructor(entered: TenantSetting, asked: QueryRequest) {
    super(asked);
    this.#entered = entered;
  }

  override prepare(connection: PgWire): void {
    connection.bind({ portal: '', statement: SET_TENANT.name, values: this.#entered });
    connection.execute({ portal: '' });
    super.prepare(connection);
  }

  override handleDataRow(message: unknown): void {
    if (this.#isInside) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: unknown): void {
    if (this.#isInside) super.handleCommandComplete(message, connection);
    else this.#isInside = true;
  }

  /** Never a simple query, which could not be sent together with the setting. */
  requiresPreparation(): boolean {
    return true;
  }
}

export function queryAsTenant(
  client: pg.PoolClient,
  entered: TenantSetting,
  asked: Omit<QueryRequest, 'callback'>,
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const callback: QueryCallback = (error, result) => (error ? reject(error) : resolve(result));
    client.query(new TenantQuery(entered, { ...asked, callback }));
  });
}
