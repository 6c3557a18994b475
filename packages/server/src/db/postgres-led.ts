import pg from 'pg';
import type { PostgresClient } from './postgres-client.ts';
import { type PreparedText, prepare, withoutName } from './postgres-prepare.ts';

/** A statement of our own, in the form that PostgreSQL takes. */
export type LeadStatement = { text: string; values: readonly string[] };

type PgWire = {
  parse(statement: { name: string; text: string }): void;
  bind(bound: { portal: string; statement: string; values: readonly string[] }): void;
  execute(portal: { portal: string }): void;
  sync(): void;
};
type QueryCallback = (error: Error | undefined, result: pg.QueryResult) => void;
type QueryRequest = { text: string; values: unknown[] };
type SentQuery = QueryRequest & { name?: string; callback: QueryCallback };

/** Members of the driver's query that its types leave out. */
type PgQuery = pg.Submittable & {
  prepare(connection: PgWire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: unknown): void;
};
const Query = pg.Query as unknown as new (asked: SentQuery) => PgQuery;

/**
 * Two statements in one transaction and one round trip: without a `Sync` between them, PostgreSQL treats them as one, and
 * runs the second only after the first. A pooler gives both to the same server.
 */
class LedQuery extends Query {
  readonly #lead: { name: string; text: string; values: readonly string[] };
  #isLed = false;

  constructor(lead: { name: string; text: string; values: readonly string[] }, asked: SentQuery) {
    super(asked);
    this.#lead = lead;
  }

  override prepare(connection: PgWire): void {
    const { name, text, values } = this.#lead;
    if (name === '') connection.parse({ name, text });
    connection.bind({ portal: '', statement: name, values });
    connection.execute({ portal: '' });
    super.prepare(connection);
  }

  override handleDataRow(message: unknown): void {
    if (this.#isLed) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: unknown): void {
    if (this.#isLed) super.handleCommandComplete(message, connection);
    else this.#isLed = true;
  }

  /** Never a simple query, which could not be sent together with another. */
  requiresPreparation(): boolean {
    return true;
  }
}

/** Has the server parse a statement under its name, without running it. */
class ParseQuery extends Query {
  readonly #statement: { name: string; text: string };

  constructor(statement: { name: string; text: string }) {
    // Failures show in the statements that use the name.
    super({ ...statement, values: [], callback: () => {} });
    this.#statement = statement;
  }

  override prepare(connection: PgWire): void {
    connection.parse(this.#statement);
    connection.sync();
  }

  requiresPreparation(): boolean {
    return true;
  }
}

/** The driver's own record: a pooler ends a connection that parses a name twice. */
type ParsedNames = { connection: Record<'parsedStatements' | 'submittedNamedStatements', Record<string, string>> };

function nameOnce(client: PostgresClient, statement: PreparedText): string {
  const { name = '', text } = statement;
  const { parsedStatements: parsed, submittedNamedStatements: sent } = (client as unknown as ParsedNames).connection;
  if (name === '' || parsed[name] !== undefined || sent[name] !== undefined) return name;
  sent[name] = text;
  client.query(new ParseQuery({ name, text }));
  return name;
}

export function queryLed(client: PostgresClient, lead: LeadStatement, asked: QueryRequest): Promise<pg.QueryResult> {
  const led = client.namesStatements ? prepare(lead.text) : withoutName(lead.text);
  const name = nameOnce(client, led);
  const { values } = asked;
  const statement = client.namesStatements ? prepare(asked.text) : withoutName(asked.text);
  return new Promise((resolve, reject) => {
    const callback: QueryCallback = (error, result) => (error ? reject(error) : resolve(result));
    client.query(new LedQuery({ values: lead.values, name, text: led.text }, { ...statement, values, callback }));
  });
}
