import type { Query, Sql } from '../db/index.ts';
import type { EntryHead } from './projection.ts';
import type { Work } from './work.ts';

/** The counts in the receipt of an erasure of entries. */
export type EntryErasureCounts = {
  entries: number;
  versions: number;
  index_rows: number;
  log_events: number;
  stored_answers: number;
  commits: number;
  session_records: number;
  evidence: number;
  trace_parts: number;
  edges: number;
};

/** The counts in the receipt of an erasure of an agent. */
export type AgentErasureCounts = {
  entries: number;
  versions: number;
  sessions: number;
  traces: number;
  log_events: number;
  edges: number;
  profiles: number;
  outcomes: number;
  commits: number;
  audit_lines: number;
};

/**
 * Entries of one branch that are to be erased. The module `entries` provides the SQL, so that no eraser names its
 * tables.
 */
export type ErasedEntries = {
  account_id: string;
  branch: string;
  /** The agent that erases: private rows of other agents are not counted. */
  agent_id: string;
  heads: readonly EntryHead[];
  ids: readonly number[];
  /** The ids of the erased entries as a table `(value)`. */
  erasedIds: Sql;
  /** Conditions on the columns `entity_path` and `key`: rows that may refer to an entry of the request. */
  paths: readonly Sql[];
  keys: readonly Sql[];
  /** The ids of all entries with these names, including those that the agent may not see; a table `(value)`. */
  namedIds: Sql;
  /** The `seq` of all their versions; a one-column query. */
  versionSeqs: Sql;
  /** Commits that wrote these entries and nothing else; a one-column query of `commit_id`. */
  emptiedCommits: Sql;
  /** A condition on rows of another table: they refer to an erased entry, or only to its path. */
  names: (table: string, columns: 'path' | 'path and key') => Sql;
  /** Replaces the names in the audit trail. */
  receipt_id: string;
};

/** Counts may take long, so they are read where they delay nobody; nothing was written since the transaction began. */
export type CountingWork = Pick<Work, 'account_id' | 'dialect' | 'now'> & { tx: Query };

/** Removes entries from the tables of a module. `count` returns in advance what `erase` will return. */
export type EntryEraser = {
  count?(work: CountingWork, erased: ErasedEntries): Promise<Partial<EntryErasureCounts>>;
  erase(work: Work, erased: ErasedEntries): Promise<Partial<EntryErasureCounts> | undefined>;
};

/** An agent to be erased. `alias` replaces its name in rows that have to stay. */
export type ErasedAgent = { account_id: string; agent_id: string; alias: string; receipt_id: string };

/**
 * Removes an agent from the tables of a module, where their declarations do not suffice. Runs before the declared
 * erasures.
 */
export type AgentEraser = {
  count?(work: CountingWork, agent: Pick<ErasedAgent, 'account_id' | 'agent_id'>): Promise<Partial<AgentErasureCounts>>;
  erase(work: Work, agent: ErasedAgent): Promise<void>;
};

export type Erasers = { entries: readonly EntryEraser[]; agents: readonly AgentEraser[] };

type Erasing = {
  erasesEntries?: EntryEraser | undefined;
  erasesAgent?: AgentEraser | undefined;
  projections?: readonly EntryEraser[];
};

/**
 * The kernel's eraser first, then those of the modules from last to first: a module may refer to rows of earlier
 * modules, so those must still exist. Entries are erased last.
 */
export function erasersOf(kernel: Erasing, modules: readonly Erasing[]): Erasers {
  const ordered = [kernel, ...modules.toReversed()];
  return {
    entries: ordered.flatMap(({ erasesEntries, projections = [] }) => [
      ...projections,
      ...(erasesEntries ? [erasesEntries] : []),
    ]),
    agents: ordered.flatMap(({ erasesAgent }) => erasesAgent ?? []),
  };
}

/** Adds the counts of one eraser to the total. */
export function addToCounts<T extends Record<string, number>>(total: T, counts: Partial<T> | undefined): void {
  for (const [name, n] of Object.entries(counts ?? {}))
    total[name as keyof T] = ((total[name] ?? 0) + (n ?? 0)) as T[keyof T];
}
