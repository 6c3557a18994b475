import type { RowSecurityRules } from './db/index.ts';
import { type Module, ofEndedAccount, sharedTablesOf, tablesOf } from './kernel/index.ts';

/**
 * Under row-level security an account reaches its own rows alone. These are the exceptions, as the tables declare them:
 * what is less than that, and what is done over all accounts, by the columns it takes.
 */
export function doorsOf(modules: readonly Module[]): RowSecurityRules {
  const declared = tablesOf(modules).flatMap(({ table, rights }) => (rights ? [{ table, ...rights }] : []));
  return {
    own: Object.fromEntries(declared.flatMap(({ table, own }) => (own ? [[table, own]] : []))),
    maintenance: Object.fromEntries(
      declared.flatMap(({ table, maintenance }) => (maintenance ? [[table, maintenance]] : [])),
    ),
    shared: Object.fromEntries(sharedTablesOf(modules).map(({ table, rights }) => [table, rights])),
    ended: declared.flatMap(({ table, ended_accounts_only }) => (ended_accounts_only ? [table] : [])),
    isEnded: ofEndedAccount,
    words: Object.fromEntries(
      modules.flatMap(({ wordIndexes = [] }) => wordIndexes.map(({ of, view, columns }) => [of, { view, columns }])),
    ),
  };
}
