import type { RowSecurityRules } from './db/index.ts';
import { type Module, ofEndedAccount, sharedTablesOf, tablesOf } from './kernel/index.ts';

/**
 * Collects the exceptions that tables declare to the default of row-level security, by which an account has all rights
 * on its own rows and none on others: fewer rights on its own rows, and the columns that maintenance may use across
 * accounts.
 */
export function rowSecurityRules(modules: readonly Module[]): RowSecurityRules {
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
