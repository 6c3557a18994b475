import type { EntryKey, Output } from '@mem-service/contract';
import { type Query, type Sql, StorageError } from '../../db/index.ts';
import type { EntryView, ReadContext } from '../../kernel/index.ts';
import * as queries from './queries.ts';
import { mayAgentSee } from './rules/next.ts';
import { getVersion, type VersionPosition } from './version-queries.ts';

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

export type PassedDamage = { damaged: Damaged[]; position: VersionPosition | undefined };

const MAX_VERSIONS = 1000;

/**
 * What cannot be read of the entry behind a position, and the position behind that entry. Names are found in the index,
 * where the engine can do without the rows; otherwise there is no way on.
 */
export async function passDamage(
  { scan, view }: Pick<ReadContext, 'scan' | 'view'>,
  { where, after }: { where: readonly Sql[]; after: VersionPosition | undefined },
  { why }: StorageError,
): Promise<PassedDamage> {
  const next = await readable(queries.getNextName(scan, view, { where, after }));
  if (!next) return { damaged: [unlisted({ why })], position: undefined };
  if (!next.found) return { damaged: [], position: undefined };
  const { entity_path, key } = next.found;
  return {
    damaged: await damagedIn(scan, view, { name: next.found, why }),
    position: [entity_path, key, Number.MAX_SAFE_INTEGER],
  };
}

/** Where entries cannot be listed at all. */
export const unlisted = ({ why }: Pick<StorageError, 'why'>): Damaged => ({
  entity_path: null,
  key: null,
  version: null,
  detail: `entries cannot be listed from here on: ${why}`,
});

/** The name of an entry is shown only where it is known that the agent may see it. */
async function damagedIn(
  scan: Query,
  view: EntryView,
  { name, why }: { name: EntryKey; why: string },
): Promise<Damaged[]> {
  const head = await readable(queries.getEntry(scan, view, name));
  if (!head) return [{ entity_path: null, key: null, version: null, detail: `an entry cannot be read: ${why}` }];
  const entry = head.found;
  if (!entry || !mayAgentSee(entry, view.agent_id)) return [];
  const damaged: Damaged[] = [];
  for (let version = Math.max(1, entry.version - MAX_VERSIONS); version <= entry.version; version++)
    if (!(await readable(getVersion(scan, view, { ...name, version }))))
      damaged.push({ ...name, version, detail: `cannot be read: ${why}` });
  return damaged.length > 0 ? damaged : [{ ...name, version: null, detail: `cannot be read as a whole: ${why}` }];
}
