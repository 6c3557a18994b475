import type { EntryKey, Output } from '@mem-service/contract';
import { type Query, type Sql, StorageError } from '../../db/index.ts';
import type { EntryView, ReadContext } from '../../kernel/index.ts';
import * as queries from './queries.ts';
import { mayAgentSee } from './rules/next.ts';
import { getVersion, type NamedVersion, type VersionPosition } from './version-queries.ts';

type Damaged = NonNullable<Output<'entries.verify'>['damaged']>[number];

export const isDamage = (error: unknown): error is StorageError =>
  error instanceof StorageError && error.reason === 'damaged';

/** The result, or undefined where it cannot be read. */
async function readable<T>(read: Promise<T>): Promise<{ found: T } | undefined> {
  try {
    return { found: await read };
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

export type PassedDamage = {
  damaged: Damaged[];
  /** The versions of the entry, if all of them can be read: they are still to be checked. */
  rows: NamedVersion[];
  position: VersionPosition | undefined;
};

const MAX_VERSIONS = 1000;
/** In a position: behind all versions of the entry. */
const ALL_VERSIONS = Number.MAX_SAFE_INTEGER;

/**
 * Reads the entry behind a position version by version: where many rows are read at once, damage to one ends the reading of
 * others. Returns what cannot be read, and the position behind that entry. Names are found in the index, where the engine can
 * do without the rows; otherwise there is no way on.
 */
export async function passDamage(
  { scan, view }: Pick<ReadContext, 'scan' | 'view'>,
  { where, after }: { where: readonly Sql[]; after: VersionPosition | undefined },
  { why }: StorageError,
): Promise<PassedDamage> {
  const rest = await restOf(scan, view, { after, why });
  if (rest) return rest;
  const next = await readable(queries.getNextName(scan, view, { where, after }));
  if (!next) return { damaged: [unlisted({ why })], rows: [], position: undefined };
  if (!next.found) return { damaged: [], rows: [], position: undefined };
  return readEntry(scan, view, { name: next.found, first: 1, why });
}

/** The versions of an entry of which some were read already; undefined where there are no more. */
async function restOf(
  scan: Query,
  view: EntryView,
  { after, why }: { after: VersionPosition | undefined; why: string },
): Promise<PassedDamage | undefined> {
  if (!after || after[2] === ALL_VERSIONS) return undefined;
  const [entity_path, key, version] = after;
  const head = await readable(queries.getEntry(scan, view, { entity_path, key }));
  if (!head?.found || head.found.version <= version) return undefined;
  return readEntry(scan, view, { name: { entity_path, key }, first: version + 1, why });
}

/** Where entries cannot be listed at all. */
export const unlisted = ({ why }: Pick<StorageError, 'why'>): Damaged => ({
  entity_path: null,
  key: null,
  version: null,
  detail: `entries cannot be listed from here on: ${why}`,
});

/** The name of an entry is shown only where it is known that the agent may see it. */
async function readEntry(
  scan: Query,
  view: EntryView,
  { name, first, why }: { name: EntryKey; first: number; why: string },
): Promise<PassedDamage> {
  const { entity_path, key } = name;
  const position: VersionPosition = [entity_path, key, ALL_VERSIONS];
  const head = await readable(queries.getEntry(scan, view, name));
  if (!head) {
    const detail = `an entry cannot be read: ${why}`;
    return { damaged: [{ entity_path: null, key: null, version: null, detail }], rows: [], position };
  }
  const entry = head.found;
  if (!entry || !mayAgentSee(entry, view.agent_id)) return { damaged: [], rows: [], position };
  const damaged: Damaged[] = [];
  const rows: NamedVersion[] = [];
  const from = Math.max(first, entry.version - MAX_VERSIONS);
  for (let version = from; version <= entry.version; version++) {
    const read = await readable(getVersion(scan, view, { ...name, version }));
    if (!read) damaged.push({ ...name, version, detail: `cannot be read: ${why}` });
    else if (read.found) rows.push({ ...read.found, ...name });
  }
  if (rows.length === 0) rows.push({ ...name, version: null });
  return { damaged, rows: damaged.length > 0 || from > first ? [] : rows, position };
}
