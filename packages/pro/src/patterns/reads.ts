import {
  cursorsOf,
  cutPage,
  Fault,
  globConditions,
  type Handlers,
  type Input,
  joinSql,
  listNamedTraces,
  listReadable,
  looksAt,
  parseGlob,
  patternShapes,
  type Query,
  readableRows,
  reads,
  type Sql,
  sql,
  toIso,
  viewerOf,
  withinPage,
} from '@mem-service/server/module';
import * as queries from './queries.ts';
import { evidenceIn, toPattern, toScan } from './render.ts';
import { entriesOf, isShown, requirePattern } from './sight.ts';

const cursors = cursorsOf('detected_patterns', ['number']);
/** As long as the figures of a pattern, and the words about them. */
const REST = '.'.repeat(600);

const list = reads<'detected_patterns.list'>(async (context, input) => {
  const { scan, caller, services, dialect } = context;
  const { account_id } = caller;
  const { limit, cursor } = input;
  const after = cursor === undefined ? 0 : cursors.from(cursor)[0];
  const filters = conditions(account_id, input);
  const { rows } = await listReadable(context, { columns: ['branch'], dialect }, async (branches) => ({
    rows: await queries.listPatterns(scan, {
      ...{ account_id, after, limit: limit + 1 },
      filters: [...filters, ...branches],
    }),
  }));
  const found = withinPage(services, rows, (row) => [row.entity_path, row.of_agent, row.branch, row.reason, REST]);
  const { items, ...page } = cutPage(found, limit, (row) => cursors.to([row.list_order]));
  const entries = await entriesOf({ read: scan, caller, services }, items);
  const shown = items.filter((row, i) => isShown(row, entries[i] ?? []));
  return { patterns: shown.map(toPattern), ...page };
});

function conditions(accountId: string, input: Input<'detected_patterns.list'>): Sql[] {
  const { pattern_type, category, severity, status, resolved, entity_path, agent_id } = input;
  const glob = entity_path === undefined ? undefined : parseGlob(entity_path);
  const types = patternShapes.patternTypes.filter((type) => patternShapes.categoryOf[type] === category);
  const listed = joinSql(
    types.map((type) => sql`${type}`),
    ', ',
  );
  return [
    ...(pattern_type === undefined ? [] : [sql`pattern_type = ${pattern_type}`]),
    ...(category === undefined ? [] : [sql`pattern_type IN (${listed})`]),
    ...(severity === undefined ? [] : [sql`severity = ${severity}`]),
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(resolved === undefined ? [] : [resolved ? sql`status = 'resolved'` : sql`status <> 'resolved'`]),
    ...(glob === undefined ? [] : [sql`entity_path IS NOT NULL`, ...globConditions(glob, 'entity_path')]),
    ...(agent_id === undefined ? [] : [queries.concerns(accountId, agent_id)]),
  ];
}

const readOne = reads<'detected_patterns.read'>(async (context, { pattern_id }) => {
  const { read, caller, services, dialect } = context;
  const { account_id } = caller;
  const row = await requirePattern({ read, caller, services }, pattern_id);
  const ids = evidenceIn(row).traces;
  const [[entries = []], agents, found] = await Promise.all([
    entriesOf({ read, caller, services }, [row]),
    queries.listAgentsOf(read, account_id, pattern_id),
    ids.length === 0 ? [] : listNamedTraces(read, { viewer: viewerOf(context), dialect }, ids),
  ]);
  const traces = (await readableRows(context, found)).toSorted((a, b) => b.seq - a.seq);
  return {
    ...toPattern(row),
    entries,
    traces: traces.map(({ trace_id, agent_id, outcome_type, created_at }) => ({
      ...{ trace_id, agent_id, outcome_type, traced_at: toIso(created_at) },
    })),
    agents,
  };
});

export async function requireScan(query: Query, accountId: string, id: string): Promise<queries.PatternScanRow> {
  const row = await queries.getScan(query, accountId, id);
  if (!row) throw new Fault('not_found', `there is no scan ${id}`, { scan_id: id });
  return row;
}

const scanCursors = cursorsOf('pattern_scans', ['number']);

const listScans = reads<'pattern_scans.list'>(async ({ read, caller, services }, { limit, cursor }) => {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : scanCursors.from(cursor)[0];
  const rows = await queries.listScans(read, { account_id: caller.account_id, before, limit: limit + 1 });
  const found = withinPage(services, rows, (row) => [row.for_path, row.for_agent, row.agent_id, REST]);
  const { items, ...page } = cutPage(found, limit, (row) => scanCursors.to([row.created_seq]));
  return { scans: items.map(toScan), ...page };
});

const readScan = reads<'pattern_scans.read'>(async ({ read, caller }, { scan_id }) =>
  toScan(await requireScan(read, caller.account_id, scan_id)),
);

export const readHandlers: Handlers = {
  'detected_patterns.list': looksAt(() => 'detected_patterns', list),
  'detected_patterns.read': looksAt(({ pattern_id }) => pattern_id, readOne),
  'pattern_scans.list': looksAt(() => 'pattern_scans', listScans),
  'pattern_scans.read': looksAt(({ scan_id }) => scan_id, readScan),
};
