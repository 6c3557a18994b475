import type { Query } from '../../db/index.ts';
import { isInScope, type Scope } from '../../kernel/index.ts';
import { findEntriesByNumber, findVersions } from '../entries/offers.ts';
import type { SessionKey } from './queries.ts';
import type { OpenSession } from './store.ts';

/** An entry that a query showed to a session, in the newest version shown. */
export type NamedHit = { entity_path: string; key: string; version: number };

/** Entries and versions as numbers, one after the other: they name nothing once the entry is erased. */
export type ShownNumbers = readonly number[];

/** Bounds what is looked up. The newest are kept. */
const MAX_ENTRIES = 1000;

/** What the queries of a session showed, the newest first, each entry once. */
export function shownNumbers({ items }: Pick<OpenSession, 'items'>): ShownNumbers {
  const versions = new Map<number, number>();
  for (const { kind, data } of items.toReversed()) {
    if (kind !== 'query' || versions.size >= MAX_ENTRIES) continue;
    const { shown = [] } = JSON.parse(data) as { shown?: ShownNumbers };
    for (let i = 0; i + 1 < shown.length; i += 2) {
      const [entryId, version] = [shown[i] as number, shown[i + 1] as number];
      versions.set(entryId, Math.max(version, versions.get(entryId) ?? 0));
    }
  }
  return [...versions].flat();
}

/** Names the entries that were shown: those that are still there, that the agent may see and that are in its scope. */
export async function loadShown(
  query: Query,
  { account_id, agent_id }: SessionKey,
  { numbers, scope }: { numbers: ShownNumbers; scope: Scope | undefined },
): Promise<NamedHit[]> {
  const wanted = numbers.flatMap((entry_id, i) =>
    i % 2 === 0 ? [{ entry_id, version: numbers[i + 1] as number }] : [],
  );
  if (wanted.length === 0) return [];
  const [versions, entries] = await Promise.all([
    findVersions(query, account_id, wanted),
    findEntriesByNumber(query, account_id, wanted),
  ]);
  return wanted.flatMap(({ version }, i): NamedHit[] => {
    const [shown, entry] = [versions[i], entries[i]];
    if (!shown || !entry || !isInScope(scope, entry.entity_path)) return [];
    const isVisible = [shown, entry].every((row) => row.shared === 1 || row.agent_id === agent_id);
    return isVisible ? [{ entity_path: entry.entity_path, key: entry.key, version }] : [];
  });
}
