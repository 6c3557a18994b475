/** The fields of an entry that counts depend on. */
export type CountedEntry = {
  branch: string;
  entity_path: string;
  deleted: number;
  shared: number;
  agent_id: string;
  memory_type: string;
  confidence: number;
  pattern_refs: string;
  written_at: number;
};

export type CountedChange = { before: CountedEntry | undefined; after: CountedEntry };

/** `all` has one row; `total` one for each of the kinds that follow; those one for each path, author, reference, type. */
export const countKinds = ['all', 'total', 'entity', 'agent', 'pattern', 'type'] as const;
export type CountKind = (typeof countKinds)[number];

export type CountDelta = {
  branch: string;
  kind: CountKind;
  visible_to: string;
  name: string;
  n: number;
  confidence_sum: number;
  last_at: number;
  last_agent: string;
};

function namesOf(entry: CountedEntry): [CountKind, string][] {
  const refs = entry.pattern_refs === '[]' ? [] : new Set(JSON.parse(entry.pattern_refs) as string[]);
  return [
    ['all', ''],
    ['entity', entry.entity_path],
    ['agent', entry.agent_id],
    ['type', entry.memory_type],
    ...[...refs].map((ref): [CountKind, string] => ['pattern', ref]),
  ];
}

/** The changes of the counts, one delta per affected row. Rows are separate for each visibility. */
export function deltasOf(changes: readonly CountedChange[]): CountDelta[] {
  const deltas = noDeltas();
  for (const { before, after } of changes) {
    if (before && before.deleted === 0)
      add(deltas, before, {
        n: -1,
        confidence: -before.confidence,
        last: readersOf(before) === readersOf(after) ? after : undefined,
      });
    if (after.deleted === 0) add(deltas, after, { n: 1, confidence: after.confidence, last: after });
  }
  return deltas.all;
}

/** The same for entries of which only the confidence changed. */
export function standingDeltasOf(changes: readonly { entry: CountedEntry; confidence_before: number }[]): CountDelta[] {
  const deltas = noDeltas();
  for (const { entry, confidence_before } of changes)
    if (entry.deleted === 0)
      add(deltas, entry, { n: 0, confidence: entry.confidence - confidence_before, last: entry });
  return deltas.all;
}

/** `last` is the write that the readers of the row may know of. */
type CountChange = { n: number; confidence: number; last: CountedEntry | undefined };

/** The agent that alone may see it, or nothing for everyone. */
const readersOf = ({ shared, agent_id }: CountedEntry): string => (shared === 1 ? '' : agent_id);

/** Deltas in the order in which they came up. */
type Deltas = { all: CountDelta[]; byBranch: Map<string, ByReader> };
type ByReader = Map<string, ByKind>;
type ByKind = Map<CountKind, Map<string, CountDelta>>;

const noDeltas = (): Deltas => ({ all: [], byBranch: new Map() });

/** Looked up name by name: a text of all of them would have to be made for each. */
function add({ all, byBranch }: Deltas, entry: CountedEntry, { n, confidence, last }: CountChange): void {
  const { branch } = entry;
  const visible_to = readersOf(entry);
  const byKind: ByKind = mapIn(mapIn(byBranch, branch), visible_to);
  for (const [kind, name] of namesOf(entry)) {
    const byName = mapIn(byKind, kind);
    let known = byName.get(name);
    if (!known) {
      known = { branch, kind, visible_to, name, n: 0, confidence_sum: 0, last_at: 0, last_agent: '' };
      byName.set(name, known);
      all.push(known);
    }
    known.n += n;
    known.confidence_sum += confidence;
    if (last === undefined) continue;
    known.last_at = last.written_at;
    known.last_agent = last.agent_id;
  }
}

function mapIn<K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const known = maps.get(key);
  if (known) return known;
  const map = new Map<L, V>();
  maps.set(key, map);
  return map;
}

const TOTALLED: ReadonlySet<CountKind> = new Set(['entity', 'agent', 'pattern']);

/** How many names of each kind appeared or disappeared: a count that equals its delta was zero before. */
export function totalsOf(
  deltas: readonly CountDelta[],
  reached: readonly Pick<CountDelta, 'kind' | 'visible_to' | 'name' | 'n'>[],
): CountDelta[] {
  const idOf = (row: Pick<CountDelta, 'kind' | 'visible_to' | 'name'>) => `${row.kind}\n${row.visible_to}\n${row.name}`;
  const counts = new Map(reached.map((row) => [idOf(row), row.n]));
  const totals = new Map<string, CountDelta>();
  for (const delta of deltas) {
    if (!TOTALLED.has(delta.kind) || delta.n === 0) continue;
    const n = counts.get(idOf(delta)) ?? 0;
    const step = n === delta.n ? 1 : n === 0 ? -1 : 0;
    if (step === 0) continue;
    const id = `${delta.kind}\n${delta.visible_to}`;
    const total = totals.get(id) ?? { ...delta, kind: 'total', name: delta.kind, n: 0, confidence_sum: 0 };
    total.n += step;
    totals.set(id, total);
  }
  return [...totals.values()].filter((total) => total.n !== 0);
}
