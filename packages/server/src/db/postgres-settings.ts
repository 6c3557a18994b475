import pg from 'pg';
import type { ServerSetting } from './postgres-address.ts';
import { setLocally } from './postgres-client.ts';
import type { Roles } from './row-security-roles.ts';
import { newestMigration, type SchemaGuard } from './schema-guard.ts';

/** Between the accounts of `mem.account_ids`; no id has a blank. */
export const ACCOUNT_SEPARATOR = ' ';

const ENTERED = {
  withAccount: `set_config('mem.account_id', ?, true)`,
  withAccounts: `set_config('mem.account_ids', ?, true)`,
};
export type EnteredBy = keyof typeof ENTERED;

/** The same within a transaction. */
export const SET_ENTERED: Record<EnteredBy, string> = {
  withAccount: `SELECT ${ENTERED.withAccount}`,
  withAccounts: `SELECT ${ENTERED.withAccounts}`,
};

/**
 * What a transaction runs under, as statements. Everything is set for one transaction and never for a session: a pooled
 * connection has nothing to leak.
 */
export type TransactionSettings = {
  /** Undefined where there is nothing to set. */
  plain: string | undefined;
  /** The same with one account, or with several; undefined where none is set. */
  withAccount: string | undefined;
  withAccounts: string | undefined;
  /** Set where these statements also select the number of migrations. */
  guard?: SchemaGuard | undefined;
};

type RunsAs = 'account' | 'maintenance';

export type SettingsSource = {
  /** Set where row-level security is on. */
  roles: Roles | undefined;
  /** What connections through a pooler do not have. */
  settings: readonly ServerSetting[];
  /** Set once the migrations are done. */
  expected?: ExpectedSchema;
};

/** What writes expect of the migrations, and the schema that the tables are in. */
export type ExpectedSchema = { guard: SchemaGuard; schema: string };

const select = (parts: readonly string[]): string | undefined =>
  parts.length === 0 ? undefined : `SELECT ${parts.join(', ')}`;

/**
 * By the name of its schema, because the search path may be set in the same statement. PostgreSQL locks the table before it looks
 * into it, and migrations lock it first of all: what is read here is true until the transaction ends.
 */
const numberOf = ({ guard, schema }: ExpectedSchema): string =>
  `(${newestMigration(guard.expected, `${pg.escapeIdentifier(schema)}.schema_migrations`)}) AS schema`;

type SettingsPlan = SettingsSource & { writes: boolean };

function settingsFor(runsAs: RunsAs, { roles, settings, expected, writes }: SettingsPlan): TransactionSettings {
  // The search path may contain `$user`.
  const own: ServerSetting[] = roles
    ? [
        ['search_path', pg.escapeIdentifier(roles.schema)],
        ['role', runsAs === 'account' ? roles.app : roles.maintenance],
      ]
    : [];
  const parts = [...setLocally([...settings, ...own]), ...(writes && expected ? [numberOf(expected)] : [])];
  const entered = (by: EnteredBy) => (roles && runsAs === 'account' ? select([...parts, ENTERED[by]]) : undefined);
  return {
    plain: select(parts),
    withAccount: entered('withAccount'),
    withAccounts: entered('withAccounts'),
    guard: writes ? expected?.guard : undefined,
  };
}

type SettingsByRunner = Record<RunsAs, TransactionSettings>;

/** Statements by who runs them and whether their connection has a pooler. */
export class SettingsTable {
  readonly #source: SettingsSource;
  readonly #reads: { direct: SettingsByRunner; pooled: SettingsByRunner };
  readonly #writes: { direct: SettingsByRunner; pooled: SettingsByRunner };

  constructor(source: SettingsSource) {
    this.#source = source;
    const both = (plan: SettingsPlan) => ({
      account: settingsFor('account', plan),
      maintenance: settingsFor('maintenance', plan),
    });
    const direct = { ...source, settings: [] };
    this.#reads = { direct: both({ ...direct, writes: false }), pooled: both({ ...source, writes: false }) };
    this.#writes = { direct: both({ ...direct, writes: true }), pooled: both({ ...source, writes: true }) };
  }

  of(runsAs: RunsAs, isDirect: boolean): TransactionSettings {
    return (isDirect ? this.#reads.direct : this.#reads.pooled)[runsAs];
  }

  /** For a transaction that writes: it also checks the number of migrations, where one is expected. */
  forWrites(runsAs: RunsAs, isDirect: boolean): TransactionSettings {
    return (isDirect ? this.#writes.direct : this.#writes.pooled)[runsAs];
  }

  /** The same, for a process that expects a number of migrations. */
  expecting(expected: ExpectedSchema): SettingsTable {
    return new SettingsTable({ ...this.#source, expected });
  }
}
