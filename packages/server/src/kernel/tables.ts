import type { Insert, Row } from '../db/index.ts';
import type { AgentErasureCounts, ErasedAgent } from './erasure.ts';
import type { Work } from './work.ts';

/**
 * What becomes of a column with the name of an agent when that agent is erased. `by its owner`: the `erasesAgent` of the
 * module that declares the table knows how.
 */
export type AgentColumn =
  | { kept: string }
  | { erased: 'delete the row'; counted_as?: keyof AgentErasureCounts }
  | { erased: 'by its owner'; counted_as?: keyof AgentErasureCounts }
  | {
      erased: 'rename';
      counted_as?: keyof AgentErasureCounts;
      /** What the row says of the agent beside its name, and what it says afterwards. */
      also?: (agent: ErasedAgent) => Row;
    };

/**
 * What becomes of a column with the path or key of an entry when that entry is erased. `by its owner`: the `erasesEntries`
 * of the module, or of one of its projections, knows how.
 */
export type EntryColumn = 'delete the row' | 'set to null' | 'by its owner' | { kept: string };

/** What a server may do to the table on PostgreSQL where row-level security is on, where that is not everything of its own account. */
export type TableRights = {
  own?: readonly string[];
  /** Over all accounts, for maintenance. */
  maintenance?: readonly string[];
  /** Maintenance reaches only what is left of accounts that have ended. */
  ended_accounts_only?: true;
};

type TableDeclaration = {
  table: string;
  /** The primary key without the account. */
  key: readonly string[];
  /** Columns that hold the name of an agent. */
  agents?: Readonly<Record<string, AgentColumn>>;
  /** Columns that hold the path or the key of an entry, or paths. */
  entries?: Readonly<Record<string, EntryColumn>>;
  /** Text columns that by their names could hold either and hold neither, and what they hold. */
  unrelated?: Readonly<Record<string, string>>;
  /** An erasure changes it though no column says so, so PostgreSQL has to let go of its old rows as well. */
  erased_with?: string;
  rights?: TableRights;
  /** Figures for the planner of SQLite, by index, where without them it chooses badly. */
  planner?: Readonly<Record<string, string>>;
};

/** A table of which every row of an account is told in an export. */
export type ExportedTable = TableDeclaration & {
  /** What one of its rows is called there. */
  kind: string;
  /** The columns that are told, with the account, which is not. */
  columns: Insert['columns'];
  /** Columns that may be null. */
  nullable: readonly string[];
  /** Text columns that hold a JSON document. */
  json: readonly string[];
  /** Columns that are not told, because they are made from the others again. */
  derived: readonly string[];
  /** Puts rows back where it takes more than to insert them. */
  restore?: (work: Work, rows: readonly Row[]) => Promise<void>;
};

/** A table of which an export tells nothing, and why. */
export type LeftOutTable = TableDeclaration & { left_out: string };

/** A table with rows of accounts: everything that is done to all such tables is derived from these declarations. */
export type TenantTable = ExportedTable | LeftOutTable;

/** A table that is about the service itself and has no rows of accounts: what a server may do to it. */
export type SharedTable = {
  table: string;
  shared: string;
  rights: readonly string[];
  /** As in a table of accounts. */
  unrelated?: Readonly<Record<string, string>>;
};

/** An index of words over a table: a full-text table on SQLite, a view of columns of the table itself on PostgreSQL. */
export type WordIndex = {
  of: string;
  table: string;
  view: string;
  /** Of the view. */
  columns: readonly string[];
};

export const isExported = (table: TenantTable): table is ExportedTable => 'kind' in table;

type ExportDeclaration = Pick<ExportedTable, 'kind' | 'key'> & Partial<Omit<ExportedTable, 'kind' | 'key' | 'columns'>>;

/** Declares a table by the statement that fills it. */
export function exported(
  { table, columns }: Pick<Insert, 'table' | 'columns'>,
  declared: ExportDeclaration,
): ExportedTable {
  return { table, columns, nullable: [], json: [], derived: [], ...declared };
}

/** Tables in which an erasure changes or deletes rows. */
export const erasedTables = (tables: readonly TenantTable[]): TenantTable[] =>
  tables.filter(
    ({ agents = {}, entries = {}, erased_with }) =>
      erased_with !== undefined ||
      Object.values(agents).some((column) => 'erased' in column) ||
      Object.values(entries).some((column) => typeof column === 'string'),
  );
