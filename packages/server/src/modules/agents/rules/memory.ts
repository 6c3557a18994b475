type AgentWrite = { entity_path: string; key: string };
type AgentRead = { entity_path: string; key: string; read_count: number };

function groupBy<K, T>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

const pathOf = ({ entity_path }: { entity_path: string }) => entity_path;

/** One node for each path where an agent wrote or read, in the order of the paths. */
export function nodesOf<T extends AgentWrite>(written: readonly T[], read: readonly AgentRead[]) {
  const writtenAt = groupBy(written, pathOf);
  const readAt = groupBy(read, pathOf);
  return [...new Set([...writtenAt.keys(), ...readAt.keys()])].sort().map((entity_path) => ({
    entity_path,
    written_entries: (writtenAt.get(entity_path) ?? []).map(({ entity_path: _, ...entry }) => entry),
    read_counts: Object.fromEntries((readAt.get(entity_path) ?? []).map(({ key, read_count }) => [key, read_count])),
  }));
}

/** Groups reads of other agents' entries by author. */
export function readsByAuthor(
  read: readonly (AgentRead & { author: string | null })[],
  reader: string,
): Record<string, AgentRead[]> {
  const foreign = read.filter(({ author }) => author !== null && author !== reader);
  const authors = [...groupBy(foreign, ({ author }) => author as string)];
  return Object.fromEntries(authors.map(([author, entries]) => [author, entries.map(({ author: _, ...one }) => one)]));
}
