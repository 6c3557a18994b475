import type { Engine, Insert, Row } from '../db/index.ts';
import type { EntryEraser } from './erasure.ts';
import type { Work } from './work.ts';

/** The current row of an entry, as far as anything that follows entries needs to know it. */
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

/** What a transaction, or a stretch of the log, did to one entry. */
export type EntryChange = {
  before: EntryHead | undefined;
  after: EntryHead;
  /** What the entry says, parsed; undefined where it was deleted. */
  value: unknown;
  /** Versions that were written and replaced again on the way, oldest first. */
  replaced: readonly EntryHead[] | undefined;
};

/** An outcome moved the confidence of an entry without a new version. */
export type StandingChange = { entry: EntryHead; confidence_before: number };

/** An agent read a version of an entry, or several times. */
export type EntryRead = {
  branch: string;
  entry_id: number;
  agent_id: string;
  visible_to: string;
  written_by: string;
  count: number;
};

/** Columns in the row of the entry itself, which one engine keeps there; they are written together with the row. */
export type RowColumns = {
  engine: Engine;
  types: Insert['columns'];
  /** The columns of each change, in order. */
  values(work: Work, changes: readonly EntryChange[]): readonly Row[];
};

/**
 * Something that is kept in step with the entries: an index, a count, a graph. The module `entries` calls every projection
 * that is registered and knows none of them by name.
 *
 * `apply` depends on nothing but its arguments and the projection's own tables, so that the changes may come from the
 * transaction that makes them or, later, be rebuilt from the log.
 */
export type Projection = EntryEraser & {
  name: string;
  /** The tables it fills, all of them declared by its module. */
  tables: readonly string[];
  /** Left out: in the transaction. As a consumer it follows the log, a moment later, and writes never wait for it. */
  runs?: 'in the transaction' | 'as a consumer';
  rowColumns?: RowColumns;
  /** Each entry is in `changes` once. */
  apply(work: Work, changes: readonly EntryChange[]): Promise<void> | void;
  applyStandings?(work: Work, changes: readonly StandingChange[]): Promise<void> | void;
  /** Reads of others' entries come when they are recorded, those of an agent's own when its session is sealed. */
  applyReads?(work: Work, reads: readonly EntryRead[]): void;
  /** Makes again what an export leaves out, from entries that were put back. */
  restore?(work: Work, changes: readonly EntryChange[]): Promise<void> | void;
};

/** All projections work at once; the statements they send run in the order in which they were registered. */
export async function applyChanges(work: Work, changes: readonly EntryChange[]): Promise<void> {
  await Promise.all(work.services.projections.map((projection) => projection.apply(work, changes)));
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
