import pg from 'pg';
import type { ServerSetting } from './postgres-address.ts';
import { setLocally } from './postgres-client.ts';
import type { Roles } from './row-security-roles.ts';

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
};

type RunsAs = 'account' | 'maintenance';

export type SettingsSource = {
  /** Set where row-level security is on. */
  roles: Roles | undefined;
  /** What connections through a pooler do not have. */
  settings: readonly ServerSetting[];
};

const select = (parts: readonly string[]): string | undefined =>
  parts.length === 0 ? undefined : `SELECT ${parts.join(', ')}`;

function settingsFor(runsAs: RunsAs, { roles, settings }: SettingsSource): TransactionSettings {
  // The search path may contain `$user`.
  const own: ServerSetting[] = roles
    ? [
        ['search_path', pg.escapeIdentifier(roles.schema)],
        ['role', runsAs === 'account' ? roles.app : roles.maintenance],
      ]
    : [];
  const parts = setLocally([...settings, ...own]);
  const entered = (by: EnteredBy) => (roles && runsAs === 'account' ? select([...parts, ENTERED[by]]) : undefined);
  return { plain: select(parts), withAccount: entered('withAccount'), withAccounts: entered('withAccounts') };
}

/** Statements by who runs them and whether their connection has a pooler. */
export class SettingsTable {
  readonly #direct: Record<RunsAs, TransactionSettings>;
  readonly #pooled: Record<RunsAs, TransactionSettings>;

  constructor({ roles, settings }: SettingsSource) {
    const both = (source: SettingsSource) => ({
      account: settingsFor('account', source),
      maintenance: settingsFor('maintenance', source),
    });
    this.#direct = both({ roles, settings: [] });
    this.#pooled = both({ roles, settings });
  }

  of(runsAs: RunsAs, isDirect: boolean): TransactionSettings {
    return (isDirect ? this.#direct : this.#pooled)[runsAs];
  }
}
