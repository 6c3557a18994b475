import type { Query } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import type { Pending } from './pending.ts';
import { listOneAtEach } from './queries.ts';
import type { CitedEntry } from './rules/cited.ts';
import { type CitedEdge, groupEdges } from './rules/map-sentences.ts';

type Maps = {
  pending: readonly Pending[];
  cited: ReadonlyMap<number, CitedEntry>;
  edges: ReadonlyMap<string, readonly CitedEdge[]>;
};

/**
 * For each map, by scope, the entries that its sentences point at: one at its path and one at each end that they name. Those
 * that it had stay; others are looked up only for paths without any.
 */
export async function findMapEnds(
  query: Query,
  view: EntryView,
  { pending, cited, edges }: Maps,
): Promise<Map<string, readonly number[]>> {
  const maps = pending
    .filter(({ digest_type }) => digest_type === 'connection_map')
    .map(({ scope, candidates }) => {
      const named = groupEdges(edges.get(scope) ?? []).flatMap((group) => group.named);
      const paths = named.flatMap(({ is_path, target }) => (is_path ? target : []));
      const entries = named.flatMap(({ entry_id }) => entry_id ?? []);
      return { scope, paths: [scope, ...paths], entries, known: firstAtPaths(candidates, cited) };
    });
  const unknown = maps.flatMap(({ paths, known }) => paths.filter((path) => !known.has(path)));
  const found = await listOneAtEach(query, view, [...new Set(unknown)]);
  return new Map(
    maps.map(({ scope, paths, entries, known }) => [
      scope,
      [...entries, ...paths.flatMap((path) => known.get(path) ?? found.get(path) ?? [])],
    ]),
  );
}

function firstAtPaths(ids: readonly number[], cited: ReadonlyMap<number, CitedEntry>): Map<string, number> {
  const first = new Map<string, number>();
  for (const id of ids) {
    const path = cited.get(id)?.entity_path;
    if (path !== undefined && !first.has(path)) first.set(path, id);
  }
  return first;
}
