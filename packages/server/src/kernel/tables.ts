import type { Insert, Row, Sql } from '../db/index.ts';
import { type ColumnCheck, type ColumnRules, columnChecks } from './column-checks.ts';
import type { AgentErasureCounts, ErasedAgent } from './erasers.ts';
import type { Work } from './work.ts';

/**
 * What the erasure of an agent does to a column with its name. `by its owner`: the `erasesAgent` of the module that
 * declares the table handles it.
 */
export type AgentColumn =
  | { kept: string }
  | { erased: 'delete the row'; counted_as?: keyof AgentErasureCounts }
  | { erased: 'by its owner'; counted_as?: keyof AgentErasureCounts }
  | {
      erased: 'rename';
      counted_as?: keyof AgentErasureCounts;
      /** Further columns that describe the agent, with their values after the erasure. */
      also?: (agent: ErasedAgent) => Row;
    };

/**
 * What the erasure of an entry does to a column with its path or key. `by its owner`: the `erasesEntries` of the
 * module, or of one of its projections, handles it.
 */
export type EntryColumn = 'delete the row' | 'set to null' | 'by its owner' | { kept: string };

/**
 * The rights of a server on the table under row-level security on PostgreSQL, where they differ from all rights on its
 * own account.
 */
export type TableRights = {
  own?: readonly string[];
  /** Rights over all accounts, for maintenance. */
  maintenance?: readonly string[];
  /** Maintenance may only use rows of accounts that have ended. */
  ended_accounts_only?: true;
};

type TableDeclaration = {
  table: string;
  /** The columns of the primary key without the account. */
  key: readonly string[];
  /** Columns that hold the name of an agent. */
  agents?: Readonly<Record<string, AgentColumn>>;
  /** Columns that hold the path or the key of an entry, or paths. */
  entries?: Readonly<Record<string, EntryColumn>>;
  /** Text columns whose names suggest an agent, a path or a key, and what they hold instead. */
  unrelated?: Readonly<Record<string, string>>;
  /** Why an erasure changes this table although no column declares it. PostgreSQL then has to vacuum its old rows too. */
  erased_with?: string;
  rights?: TableRights;
  /** Planner statistics for SQLite, by index, where it chooses badly without them. */
  planner?: Readonly<Record<string, string>>;
};

/** A table whose rows are all part of an account's export. */
export type ExportedTable = TableDeclaration & {
  /** The name of one of its rows in an export. */
  kind: string;
  /** The exported columns, and the account, which is not exported. */
  columns: Insert['columns'];
  /** Columns that may be null. */
  nullable: readonly string[];
  /** Text columns that hold a JSON document. */
  json: readonly string[];
  /** A relation with the exported columns of one account, where another table of the module has some of them. */
  relation?: (accountId: string) => Sql;
  /** Columns that are not exported because they are rebuilt from the others. */
  derived: readonly string[];
  /** What columns may hold in an export. */
  checks: Readonly<Record<string, ColumnCheck>>;
  /** Columns that name a record of a kind that comes earlier and is never deleted. */
  refers: Readonly<Record<string, string>>;
  /** Describes what is wrong with a row of an export beyond its columns, such as the members of a document. */
  check?: (row: Row) => string | undefined;
  /** The texts of a row that count as storage of the account. */
  stored?: (row: Row) => readonly (string | null)[];
  /** Restores rows of an export, where inserting them is not enough. */
  restore?: (work: Work, rows: readonly Row[]) => Promise<void>;
};

/** A table that is not exported, with the reason. */
export type LeftOutTable = TableDeclaration & { left_out: string };

/** A table with rows of accounts. Everything that handles all such tables is derived from these declarations. */
export type TenantTable = ExportedTable | LeftOutTable;

/** A table of the service itself, without rows of accounts, and the rights of a server on it. */
export type SharedTable = {
  table: string;
  shared: string;
  rights: readonly string[];
  /** As in a table of accounts. */
  unrelated?: Readonly<Record<string, string>>;
};

/** A full-text index over a table: an FTS table on SQLite, a view of the table's own columns on PostgreSQL. */
export type WordIndex = {
  of: string;
  table: string;
  /** The table is in a file beside the store's own. */
  apart?: true;
  view: string;
  /** The columns of the view. */
  columns: readonly string[];
};

export const isExported = (table: TenantTable): table is ExportedTable => 'kind' in table;

type ExportDeclaration = Pick<ExportedTable, 'kind' | 'key'> &
  Partial<Omit<ExportedTable, 'kind' | 'key' | 'columns' | 'checks'>> & {
    /** What columns may hold beyond what their names say, by the schemas of the contract. */
    holds?: ColumnRules;
  };

/** Declares a table by its insert statement. */
export function exported(
  { table, columns }: Pick<Insert, 'table' | 'columns'>,
  { holds = () => ({}), ...declared }: ExportDeclaration,
): ExportedTable {
  const { json = [], agents = {} } = declared;
  let checks: ExportedTable['checks'] | undefined;
  return {
    ...{ table, columns, nullable: [], json, derived: [], refers: {}, ...declared },
    /** Made once somebody imports: a command starts without them. */
    get checks() {
      checks ??= columnChecks({ columns, json, agents, rules: holds });
      return checks;
    },
  };
}

/** For tables whose rows are of one of several kinds. */
export const kindIn =
  (known: readonly string[]) =>
  ({ kind }: Row): string | undefined =>
    known.includes(String(kind)) ? undefined : `kind must be one of ${known.join(', ')}`;

/** Tables in which an erasure changes or deletes rows. */
export const erasedTables = (tables: readonly TenantTable[]): TenantTable[] =>
  tables.filter(
    ({ agents = {}, entries = {}, erased_with }) =>
      erased_with !== undefined ||
      Object.values(agents).some((column) => 'erased' in column) ||
      Object.values(entries).some((column) => typeof column === 'string'),
  );
