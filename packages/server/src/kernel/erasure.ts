import type { Sql } from '../db/index.ts';
import type { EntryHead } from './projection.ts';
import type { Work } from './work.ts';

/** What the receipt of an erasure of entries counts. */
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

/** What the receipt of an erasure of an agent counts. */
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
 * Entries of one branch that are to go. The module `entries` makes the SQL in it, so that no eraser has to name the tables
 * of entries.
 */
export type ErasedEntries = {
  account_id: string;
  branch: string;
  /** Who erases: what others keep to themselves is not counted. */
  agent_id: string;
  heads: readonly EntryHead[];
  ids: readonly number[];
  /** The same as a table `(value)`. */
  erasedIds: Sql;
  /** Conditions on the columns `entity_path` and `key` of a row, under which it may speak of what was asked to go. */
  paths: readonly Sql[];
  keys: readonly Sql[];
  /** The numbers of all entries that bear the names, also of those that the agent may not see; a table `(value)`. */
  namedIds: Sql;
  /** The places in the log of all versions; a one-column query. */
  versionSeqs: Sql;
  /** Commits that wrote these entries and nothing else; a one-column query of `commit_id`. */
  emptiedCommits: Sql;
  /** A condition on a row of another table: it names an entry that is to go, or where it names none, the path of one. */
  names: (table: string, columns: 'path' | 'path and key') => Sql;
  /** Stands in the audit trail where the names stood. */
  receipt_id: string;
};

/** Takes entries out of what a module keeps. What `count` foresees is what `erase` answers. */
export type EntryEraser = {
  count?(work: Work, erased: ErasedEntries): Promise<Partial<EntryErasureCounts>>;
  erase(work: Work, erased: ErasedEntries): Promise<Partial<EntryErasureCounts> | undefined>;
};

/** An agent that is to be forgotten. `alias` takes the place of its name where a row has to stay. */
export type ErasedAgent = { account_id: string; agent_id: string; alias: string; receipt_id: string };

/** Takes an agent out of what a module keeps, where the declaration of a table cannot say how. Comes before the tables' turn. */
export type AgentEraser = {
  count?(work: Work, agent: Pick<ErasedAgent, 'account_id' | 'agent_id'>): Promise<Partial<AgentErasureCounts>>;
  erase(work: Work, agent: ErasedAgent): Promise<void>;
};

export type Erasers = { entries: readonly EntryEraser[]; agents: readonly AgentEraser[] };

type Erasing = {
  erasesEntries?: EntryEraser | undefined;
  erasesAgent?: AgentEraser | undefined;
  projections?: readonly EntryEraser[];
};

/**
 * The kernel's first, then the modules' from the last to the first: a module may refer to rows of those that come before
 * it in the list, and finds them in place. Entries go last.
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

/** Adds what one eraser counted to what all of them did. */
export function addToCounts<T extends Record<string, number>>(total: T, counts: Partial<T> | undefined): void {
  for (const [name, n] of Object.entries(counts ?? {}))
    total[name as keyof T] = ((total[name] ?? 0) + (n ?? 0)) as T[keyof T];
}
