/** The words of a table as a view. Under row-level security, PostgreSQL would not use the index on these columns. */
export type WordsView = { view: string; columns: readonly string[] };

/** Exceptions by table. By default an account may read and write its own rows, and no others. */
export type RowSecurityRules = {
  /** The rights of an account on its own rows, where they are not all rights. */
  own: Readonly<Record<string, readonly string[]>>;
  /** The rights of maintenance over all accounts. */
  maintenance: Readonly<Record<string, readonly string[]>>;
  /** Tables in which maintenance may only use rows of accounts that have ended. */
  ended: readonly string[];
  /** Returns an SQL condition on rows of a table: their account has ended. */
  isEnded: (table: string) => string;
  words: Readonly<Record<string, WordsView>>;
  /** The rights of maintenance on tables without rows of accounts. */
  shared: Readonly<Record<string, readonly string[]>>;
};

export type RowSecurity = {
  /** `as found`: a store that has it keeps it. */
  mode: 'on' | 'off' | 'as found';
  /** The role that requests run under; the two other roles are named after it. */
  role?: string | undefined;
  rules: RowSecurityRules;
};

/** Drops a view of words as its owner, which may be the role of the words or the login. */
export const dropView = (view: string): string => `DO $$ BEGIN
  EXECUTE format('SET LOCAL ROLE %I', (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = to_regclass('${view}')));
  DROP VIEW ${view};
  SET LOCAL ROLE NONE;
END $$;`;

/** Without row-level security it shows the words of all accounts. */
export const createView = (table: string, { view, columns }: WordsView): string =>
  `CREATE VIEW ${view} AS SELECT ${columns.join(', ')} FROM ${table}`;
