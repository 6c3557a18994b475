import { randomUUID } from 'node:crypto';
import type { Input } from '@mem-service/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryName, insertAccount } from '../../packages/server/src/kernel/index.ts';
import { outcomeEdges } from '../../packages/server/src/modules/graph/rules/outcome-edges.ts';
import { rowsOf } from '../entries/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import type { Graph } from './support.ts';

const agents = ['x', 'y'] as const;
const ENTRIES = [
  ['p', '1', 'x', true],
  ['p/q', '2', 'x', false],
  ['p/q', '3', 'y', true],
] as const;
const END = fc.constantFrom(
  ...[
    ['agent', 'x'],
    ['agent', 'y'],
    ['pattern', 'x'],
    ['entity', 'p'],
    ['entity', 'p/q'],
    ['outcome', '\u{1f600}'],
    ['outcome', '\uff21'],
    ['entry', 'p/1'],
    ['entry', 'p/q/2'],
    ['entry', 'p/q/3'],
  ].map(([type, name]) => ({ type, name })),
);
const statement = fc.record({
  agent_id: fc.constantFrom(...agents),
  source: END,
  target: END,
  relation: fc.constantFrom('a', 'b', 'wrote', 'informed', 'co_occurs_with'),
  confidence: fc.constantFrom(0.2, 0.5, 1),
  shared: fc.boolean(),
});
const outcome = fc.record({
  agent_id: fc.constantFrom(...agents),
  outcome_ref: fc.constantFrom('\u{1f600}', '\uff21', 'x'),
  outcome_type: fc.constantFrom('success' as const, 'failure' as const),
  causes: fc.shuffledSubarray([0, 1, 2]),
});
type StatementStep = typeof statement extends fc.Arbitrary<infer S> ? S : never;
type GeneratedOutcome = typeof outcome extends fc.Arbitrary<infer S> ? S : never;
const question = fc.record({
  viewer: fc.constantFrom(...agents, 'nobody'),
  input: fc.record({
    entity: fc.constantFrom('x', 'p', 'p/q', 'p/1', 'p/q/2', '\u{1f600}', 'nothing'),
    type: fc.constantFrom(undefined, undefined, 'agent' as const, 'entry' as const, 'entity' as const),
    relation: fc.constantFrom(undefined, undefined, 'a', 'b,wrote', 'co_occurs_with,a', 'informed'),
    direction: fc.constantFrom('in' as const, 'out' as const, 'both' as const),
    min_confidence: fc.constantFrom(0, 0, 0.3, 1),
    depth: fc.integer({ min: 1, max: 5 }),
    limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(200)),
  }),
});
type NeighborsInput = Partial<Input<'graph.neighbors'>> & Pick<Input<'graph.neighbors'>, 'entity' | 'depth' | 'limit'>;

type AnsweredEdge = Graph['edges'][number];
type ModelEdge = Omit<AnsweredEdge, 'first_seen' | 'last_seen' | 'depth'> & {
  visible_to: string;
  first_seen: number;
  last_seen: number;
};
type ModelOutcome = GeneratedOutcome & { at: number };
type Built = { account_id: string; committed: ModelOutcome[] };
type ModelEntry = { entry_id: number; entity_path: string; key: string; shared: number; agent_id: string };
/** The edges a viewer may see, with their names in the index and their displayed names. */
type ModelWorld = { edges: ModelEdge[]; entries: ModelEntry[]; named: Map<string, string> };

/** Byte by byte, from the last to the first. */
const descending = (a: string, b: string) => Buffer.compare(Buffer.from(b), Buffer.from(a));
const nodeOf = ({ entry_id }: ModelEntry) => String(entry_id).padStart(16, '0');
const endsOf = (edge: ModelEdge) =>
  [`${edge.source_type} ${edge.source}`, `${edge.target_type} ${edge.target}`] as const;

/** The edges that follow from outcomes, as if they were stored. */
async function edgesOf(app: TestApp, account_id: string, committed: readonly ModelOutcome[]): Promise<ModelEdge[]> {
  const all = await rowsOf<ModelEntry>(app, 'SELECT * FROM entries WHERE account_id = ?', account_id);
  return committed.flatMap(({ agent_id, outcome_ref, outcome_type, causes, at }) => {
    const known = causes.flatMap((i) => {
      const [entity_path, key, author, shared] = ENTRIES[i] as (typeof ENTRIES)[number];
      const entry = all.find((one) => one.entity_path === entity_path && one.key === key) as ModelEntry;
      const visible_to = shared ? '' : author;
      return shared || author === agent_id ? [{ branch: 'main', entry_id: entry.entry_id, visible_to }] : [];
    });
    const isPrivate = known.length > 0 && known.every(({ visible_to }) => visible_to !== '');
    const visible_to = isPrivate ? agent_id : '';
    const edges = outcomeEdges({ outcome_ref, visible_to, success: outcome_type === 'success', causes: known });
    return edges.map((edge) => ({ ...edge, first_seen: at, last_seen: at }));
  });
}

async function look(app: TestApp, { account_id, committed }: Built, viewer: string): Promise<ModelWorld> {
  const stored = await rowsOf<ModelEdge>(app, 'SELECT * FROM edges WHERE account_id = ?', account_id);
  const all = [...stored, ...(await edgesOf(app, account_id, committed))];
  const entries = await rowsOf<ModelEntry>(
    app,
    'SELECT * FROM entries WHERE account_id = ? AND (shared = 1 OR agent_id = ?) ORDER BY entity_path, key',
    account_id,
    viewer,
  );
  const merged = new Map<string, ModelEdge>();
  for (const edge of all.filter(({ visible_to }) => visible_to === '' || visible_to === viewer)) {
    const id = [...endsOf(edge), edge.relation].join('|');
    const known = merged.get(id);
    merged.set(
      id,
      known
        ? {
            ...edge,
            confidence: Math.max(known.confidence, edge.confidence),
            evidence_count: known.evidence_count + edge.evidence_count,
            first_seen: Math.min(known.first_seen, edge.first_seen),
            last_seen: Math.max(known.last_seen, edge.last_seen),
          }
        : edge,
    );
  }
  const named = new Map(entries.map((entry) => [`entry ${nodeOf(entry)}`, entryName(entry.entity_path, entry.key)]));
  return { edges: [...merged.values()], entries, named };
}

function startOf({ entries }: ModelWorld, { entity, type }: NeighborsInput): string[] {
  const named = ['agent', 'entity', 'outcome', 'pattern'].filter((one) => type === undefined || type === one);
  const exact = entries.filter(({ entity_path, key }) => entity === entryName(entity_path, key));
  const at = entries.filter(({ entity_path }) => entity_path === entity);
  const below = entries.filter(({ entity_path }) => entity_path.startsWith(`${entity}/`));
  const found = [
    ...(type === undefined || type === 'entry' ? exact : []),
    ...(type === undefined || type === 'entity' ? [...at, ...below] : []),
  ];
  return [...new Set([...named.map((one) => `${one} ${entity}`), ...found.map((entry) => `entry ${nodeOf(entry)}`)])];
}

/** The edges of a node in the order of an answer. */
function incidentTo(world: ModelWorld, node: string, ask: NeighborsInput): ModelEdge[] {
  const passing = world.edges
    .filter((edge) => edge.confidence >= (ask.min_confidence ?? 0))
    .filter((edge) => ask.relation === undefined || ask.relation.split(',').includes(edge.relation));
  const side = (here: 0 | 1) => {
    const other = (edge: ModelEdge) => (here === 0 ? [edge.target_type, edge.target] : [edge.source_type, edge.source]);
    const sorted = passing
      .filter((edge) => endsOf(edge)[here] === node)
      .sort((a, b) => {
        const [typeA, nameA] = other(a) as [string, string];
        const [typeB, nameB] = other(b) as [string, string];
        return descending(a.relation, b.relation) || descending(typeA, typeB) || descending(nameA, nameB);
      });
    return sorted;
  };
  return [...(ask.direction === 'in' ? [] : side(0)), ...(ask.direction === 'out' ? [] : side(1))];
}

function walk(world: ModelWorld, ask: NeighborsInput): Omit<Graph, 'entity'> {
  const depths = new Map<string, number>(startOf(world, ask).map((node) => [node, 0]));
  const found = new Map<ModelEdge, number>();
  let truncated = false;
  for (let depth = 1; depth <= ask.depth; depth++)
    for (const [node] of [...depths].filter(([, at]) => at === depth - 1))
      for (const edge of incidentTo(world, node, ask)) {
        if (found.has(edge)) continue;
        if (found.size >= ask.limit) {
          truncated = true;
          continue;
        }
        found.set(edge, depth);
        for (const end of endsOf(edge)) if (!depths.has(end)) depths.set(end, depth);
      }
  const nameOf = (node: string) => world.named.get(node) ?? node.slice(node.indexOf(' ') + 1);
  const met = new Set<string>([...found.keys()].flatMap(endsOf));
  const iso = (ms: number) => new Date(ms).toISOString();
  const edges = [...found].map(([edge, depth]) => ({
    source: nameOf(endsOf(edge)[0]),
    source_type: edge.source_type,
    relation: edge.relation,
    target: nameOf(endsOf(edge)[1]),
    target_type: edge.target_type,
    confidence: edge.confidence,
    evidence_count: edge.evidence_count,
    first_seen: iso(edge.first_seen),
    last_seen: iso(edge.last_seen),
    depth,
  }));
  const nodes = [...depths]
    .filter(([node]) => met.has(node))
    .map(([node, depth]) => ({
      name: nameOf(node),
      type: node.slice(0, node.indexOf(' ')) as AnsweredEdge['source_type'],
      depth,
    }));
  return { edges, nodes, count: edges.length, truncated };
}

describe.each(backends)('a walk on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  async function build(happenings: readonly (StatementStep | GeneratedOutcome)[]): Promise<Built> {
    const account_id = randomUUID();
    const committed: ModelOutcome[] = [];
    await app.kernel.services.database.transaction((tx) => insertAccount(tx, account_id, app.clock.now()));
    for (const [entity_path, key, agent_id, shared] of ENTRIES)
      await app.call(
        'entries.write',
        { entity_path, key, value: 1, shared, pattern_refs: ['x'] },
        { account_id, agent_id },
      );
    for (const happening of happenings) {
      app.clock.advance(1);
      if ('causes' in happening) {
        const { agent_id, outcome_ref, outcome_type, causes } = happening;
        const causal_entry_keys = causes.map((i) => `${ENTRIES[i]?.[0]}/${ENTRIES[i]?.[1]}`);
        const ended = { outcome_ref, outcome_type, causal_entry_keys, session_id: randomUUID() };
        await app.call('outcomes.commit', ended, { account_id, agent_id });
        committed.push({ ...happening, at: app.clock.now() });
        continue;
      }
      const { agent_id, source, target, ...rest } = happening;
      const ends = { source: source.name, source_type: source.type, target: target.name, target_type: target.type };
      // Refused where an end is an entry that the agent may not see.
      await app
        .call('graph.link', { ...ends, ...rest } as never, { account_id, agent_id })
        .catch((error) => expect(error.code).toBe('invalid_input'));
    }
    return { account_id, committed };
  }

  it('finds what looking at every edge would find, in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 3, arbitrary: statement }, outcome), { maxLength: 40 }),
        fc.array(question, { minLength: 1, maxLength: 12 }),
        async (happenings, questions) => {
          const built = await build(happenings);
          const { account_id } = built;
          for (const { viewer, input } of questions) {
            const world = await look(app, built, viewer);
            const { entity: _, ...found } = await app.call('graph.neighbors', input, { account_id, agent_id: viewer });
            expect(found).toEqual(walk(world, input));
          }
        },
      ),
      { numRuns: backend === 'sqlite' ? 40 : 10 },
    );
  });
});
