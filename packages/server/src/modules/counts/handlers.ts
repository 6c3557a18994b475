import { parseGlob } from '@mem-service/contract';
import { type Sql, sql } from '../../db/index.ts';
import {
  branchOf,
  cursorsOf,
  cutPage,
  type Handlers,
  isNewestOfOneBranch,
  type ReadContext,
  readAccount,
  reads,
  scopedPathConditions,
  toIso,
  withinPage,
} from '../../kernel/index.ts';
import { retrievalFigures } from '../golden/index.ts';
import { listLevel } from './path-level.ts';
import { type CountRow, type CountView, countPrivateNames, getEdgeTime, listCounts } from './queries.ts';
import { entitiesWithin, isCounted, patternsInScope, shownOf, statsInScope } from './scoped-counts.ts';

/** Cursors for pages of names, of any kind of count. */
const cursors = (kind: string) => cursorsOf(`counts ${kind}`, ['string']);

type CountsPageInput = { limit: number; cursor?: string | undefined };

const countViewOf = ({ view }: ReadContext): CountView => ({
  account_id: view.account_id,
  branch: branchOf(view),
  agent_id: view.agent_id,
});

/** One page of names, with the sum of the public and the private count of each. */
async function pageOfCounts(context: ReadContext, input: CountsPageInput & { kind: string; where?: readonly Sql[] }) {
  const where = [...(input.where ?? [])];
  if (input.cursor !== undefined) where.push(sql`name > ${cursors(input.kind).from(input.cursor)[0]}`);
  const rows = await listCounts(context.read, countViewOf(context), {
    kind: input.kind,
    where,
    limit: input.limit + 1,
  });
  const names = new Map<string, CountRow>();
  for (const row of rows) {
    const known = names.get(row.name);
    names.set(row.name, known ? addUp(known, row) : row);
  }
  const found = withinPage(context.services, [...names.values()], shownOf);
  return cutPage(found, input.limit, (row) => cursors(input.kind).to([row.name]));
}

function addUp(a: CountRow, b: CountRow): CountRow {
  const newest = a.last_at >= b.last_at ? a : b;
  return { ...newest, n: a.n + b.n, confidence_sum: a.confidence_sum + b.confidence_sum };
}

export const handlers: Handlers = {
  'entities.list': reads(async (context, input) => {
    const glob = input.entity_path === undefined ? undefined : parseGlob(input.entity_path);
    const where = scopedPathConditions(context.view.scope, glob, 'name');
    if (input.from_path !== undefined) where.push(sql`name >= ${input.from_path}`);
    const { items, ...page } = isNewestOfOneBranch(context.view)
      ? await pageOfCounts(context, { ...input, kind: 'entity', where })
      : await entitiesWithin(context, { ...input, paths: glob && [glob] }, cursors('entity'));
    const entities = items.map((row) => ({
      entity_path: row.name,
      entry_count: row.n,
      avg_confidence: average(row),
      last_updated: toIso(row.last_at),
      last_agent: row.last_agent,
    }));
    return { entities, ...page };
  }),

  'entities.tree': reads(listLevel),

  'patterns.list': reads(async (context, input) => {
    const { items, ...page } = isCounted(context.view)
      ? await pageOfCounts(context, { ...input, kind: 'pattern' })
      : await patternsInScope(context, input, cursors('pattern'));
    const patterns = items.map((row) => ({ pattern_ref: row.name, usage_count: row.n, last_used: toIso(row.last_at) }));
    return { patterns, ...page };
  }),

  'stats.read': reads(async (context) => {
    const { read, view } = context;
    if (!isCounted(view)) return statsInScope(context);
    const scope = countViewOf(context);
    const counts = async (kind: string) => listCounts(read, scope, { kind, where: [], limit: 1000 });
    const all = (await counts('all')).reduce<CountRow | undefined>((a, b) => (a ? addUp(a, b) : b), undefined);
    const types = new Map<string, number>();
    for (const row of await counts('type')) types.set(row.name, (types.get(row.name) ?? 0) + row.n);
    const total = async (kind: string) => {
      const shared = (
        await listCounts(read, { ...scope, agent_id: '' }, { kind: 'total', where: [sql`name = ${kind}`], limit: 1 })
      )[0];
      return (shared?.n ?? 0) + ((await countPrivateNames(read, scope, kind))?.n ?? 0);
    };
    const edge = async (newest: boolean) => {
      const row = await getEdgeTime(read, view, newest);
      return row ? toIso(row.written_at) : null;
    };
    return {
      total_entries: all?.n ?? 0,
      total_entities: await total('entity'),
      total_agents: await total('agent'),
      total_patterns: await total('pattern'),
      confidence_avg: all ? average(all) : null,
      memory_type_counts: Object.fromEntries(types),
      oldest_entry_at: await edge(false),
      newest_entry_at: await edge(true),
      last_seq: (await readAccount(read, scope.account_id))?.seq ?? 0,
      retrieval: await retrievalFigures(context),
    };
  }),
};

const average = (row: CountRow) => Math.round((row.confidence_sum / row.n) * 1e6) / 1e6;
