import pg from 'pg';

/** What a statement runs under: the account it is about, or the role of housekeeping. */
export type Entered = readonly [setting: 'mem.account_id' | 'role', value: string];

/** Until the end of the transaction and no longer, so that the next user of the connection finds nothing of it. */
export const ENTER = { name: 'mem_enter', text: 'SELECT set_config($1, $2, true)' } as const;

type Wire = {
  bind(bound: { portal: string; statement: string; values: readonly string[] }): void;
  execute(portal: { portal: string }): void;
};
type Answered = (error: Error | undefined, result: pg.QueryResult) => void;
type Asked = { name?: string; text: string; values: unknown[]; callback: Answered };

/** The part of the driver's own query that its types leave out. */
type Prepared = pg.Submittable & {
  prepare(connection: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: unknown): void;
};
const Query = pg.Query as unknown as new (asked: Asked) => Prepared;

/**
 * Two statements that are one transaction and one round trip: no `Sync` stands between them, so PostgreSQL takes the
 * setting and the question as a whole. The connection has `ENTER` prepared.
 */
class EnteredQuery extends Query {
  readonly #entered: Entered;
  #isInside = false;

  constructor(entered: Entered, asked: Asked) {
    super(asked);
    this.#entered = entered;
  }

  override prepare(connection: Wire): void {
    connection.bind({ portal: '', statement: ENTER.name, values: this.#entered });
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

  /** Never as a plain text, which could not be told together with the setting. */
  requiresPreparation(): boolean {
    return true;
  }
}

export function askEntered(
  client: pg.PoolClient,
  entered: Entered,
  asked: Omit<Asked, 'callback'>,
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const callback: Answered = (error, result) => (error ? reject(error) : resolve(result));
    client.query(new EnteredQuery(entered, { ...asked, callback }));
  });
}
