import type { Engine, Insert, Row } from '../db/index.ts';
import type { EntryEraser } from './erasers.ts';
import type { Services } from './module.ts';
import type { Work } from './work.ts';

/** The current row of an entry, with the columns that projections need. */
export type EntryHead = {
  entry_id: number;
  branch: string;
  entity_path: string;
  key: string;
  seq: number;
  deleted: number;
  shared: number;
  agent_id: string;
  memory_type: string;
  confidence: number;
  /** A JSON list. */
  pattern_refs: string;
  written_at: number;
};

/** What a transaction, or a part of the log, did to one entry. */
export type EntryChange = {
  before: EntryHead | undefined;
  after: EntryHead;
  /** The parsed value; undefined when the entry was deleted. */
  value: unknown;
  /** Versions written and replaced within the same change, oldest first. */
  replaced: readonly EntryHead[] | undefined;
};

/** A change of confidence by an outcome, without a new version. */
export type StandingChange = { entry: EntryHead; confidence_before: number };

/** An agent read a version of an entry, once or several times. */
export type EntryRead = {
  branch: string;
  entry_id: number;
  agent_id: string;
  visible_to: string;
  written_by: string;
  count: number;
};

/** Columns in the row of the entry itself, for one engine; they are written together with the row. */
export type RowColumns = {
  engine: Engine;
  types: Insert['columns'];
  /** The values of the columns for each change, in order. */
  values(work: Work, changes: readonly EntryChange[]): Promise<readonly Row[]>;
};

/**
 * Derived data that is kept in step with the entries: an index, a count, a graph. The module `entries` calls every
 * registered projection and refers to none by name. `apply` depends only on its arguments and the projection's own
 * tables, so that changes may come from a transaction or be rebuilt from the log.
 */
export type Projection = EntryEraser & {
  name: string;
  /** The tables it fills, all declared by its module. */
  tables: readonly string[];
  /**
   * Undefined: in the transaction. As a consumer it follows the log with a short delay, and writes do not wait for it.
   */
  runs?: 'in the transaction' | 'as a consumer';
  rowColumns?: RowColumns;
  /** Each entry occurs once in `changes`. */
  apply(work: Work, changes: readonly EntryChange[]): Promise<void> | void;
  /** Entries that are put under quarantine or released: their state changes without a new version. */
  applyQuarantine?(work: Work, changes: readonly Pick<EntryChange, 'before' | 'after'>[]): Promise<void> | void;
  applyStandings?(work: Work, changes: readonly StandingChange[]): Promise<void> | void;
  /**
   * Reads of other agents' entries arrive when they are recorded, reads of an agent's own entries when its session is
   * sealed.
   */
  applyReads?(work: Work, reads: readonly EntryRead[]): void;
  /** Rebuilds the data that an export leaves out, from restored entries. */
  restore?(work: Work, changes: readonly EntryChange[]): Promise<void> | void;
  /**
   * Removes what erased entries left in data outside the store's own file. Returns false where it has to be called again.
   */
  compact?(services: Services): Promise<boolean>;
};

/** All projections run concurrently; their statements run in the order of registration. */
export async function applyChanges(work: Work, changes: readonly EntryChange[]): Promise<void> {
  await Promise.all(work.services.projections.map((projection) => projection.apply(work, changes)));
}

export async function applyQuarantine(
  work: Work,
  changes: readonly Pick<EntryChange, 'before' | 'after'>[],
): Promise<void> {
  await Promise.all(work.services.projections.map((projection) => projection.applyQuarantine?.(work, changes)));
}

export async function applyStandings(work: Work, changes: readonly StandingChange[]): Promise<void> {
  await Promise.all(work.services.projections.map((projection) => projection.applyStandings?.(work, changes)));
}

export function applyReads(work: Work, reads: readonly EntryRead[]): void {
  for (const projection of work.services.projections) projection.applyReads?.(work, reads);
}

export async function restoreProjections(work: Work, changes: readonly EntryChange[]): Promise<void> {
  await Promise.all(work.services.projections.map((projection) => projection.restore?.(work, changes)));
}

/** Brings what a module keeps of some traces up to date: the traces may be gone. */
export type TraceFollower = (work: Work, seqs: readonly number[]) => Promise<void>;
