import type { ConnectorResult, ResultItem, WriteResult } from '../../packages/server/src/connectors/types.ts';

type Stamp = { at: string; rank: number };
type Cell = Stamp & { value: unknown };

/** An entry as the interface of connectors promises it. Without a value it is deleted. */
export type Thing = { value?: Record<string, unknown>; links: string[]; artifact_refs: string[] };

type Kept = { cells: Map<string, Cell>; deleted: Stamp; links: Set<string>; artifact_refs: Set<string> };

const NEVER: Stamp = { at: '', rank: 0 };

/** The entries by path and key after some results: the meaning of `merge`, `items` and `deleted` in the fewest words. */
export function foldResults(results: readonly ConnectorResult[]): Map<string, Thing> {
  const things = new Map<string, Kept>();
  for (const result of results) {
    if (result.operation !== 'write') continue;
    const name = `${result.entity_path} ${result.key}`;
    const thing = things.get(name) ?? { cells: new Map(), deleted: NEVER, links: new Set(), artifact_refs: new Set() };
    things.set(name, thing);
    apply(thing, result);
  }
  return new Map([...things].map(([name, thing]) => [name, shown(thing)]));
}

function apply(thing: Kept, { occurred_at: at = '', rank = 0, ...result }: WriteResult): void {
  const stamp = { at, rank };
  if (result.deleted && compare(stamp, thing.deleted) > 0) thing.deleted = stamp;
  const cells = Object.entries(result.deleted ? {} : (result.value as object));
  for (const [list, items] of Object.entries(result.items ?? {}))
    for (const [id, item] of Object.entries(items)) cells.push([`${list}/${id}`, item && { id, ...item }]);
  for (const [name, value] of cells) {
    const earlier = thing.cells.get(name);
    if (!earlier || compareCells({ ...stamp, value }, earlier) > 0) thing.cells.set(name, { ...stamp, value });
  }
  for (const { relation, to } of result.links ?? []) thing.links.add(`${relation} ${to}`);
  for (const page of result.artifact_refs ?? []) thing.artifact_refs.add(page);
}

function shown({ cells, deleted, links, artifact_refs }: Kept): Thing {
  const refs = { links: [...links].sort(), artifact_refs: [...artifact_refs].sort() };
  const alive = [...cells].filter(([, cell]) => compare(cell, deleted) > 0);
  if (alive.length === 0) return refs;
  const value: Record<string, unknown> = {};
  const lists = new Map<string, ResultItem[]>();
  for (const [name, cell] of alive) {
    const [list = '', id] = name.split('/');
    if (id === undefined) value[name] = cell.value;
    else if (cell.value !== null) lists.set(list, [...(lists.get(list) ?? []), cell.value as ResultItem]);
  }
  for (const [list, items] of lists) value[list] = items.sort((one, other) => (one.at < other.at ? -1 : 1));
  return { value, ...refs };
}

const compare = (one: Stamp, other: Stamp): number =>
  one.at === other.at ? one.rank - other.rank : one.at < other.at ? -1 : 1;

const compareCells = (one: Cell, other: Cell): number =>
  compare(one, other) || (JSON.stringify(one.value) > JSON.stringify(other.value) ? 1 : -1);
