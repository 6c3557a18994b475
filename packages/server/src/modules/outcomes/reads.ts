import { type Input, type Output, parseGlob } from '@mem-service/contract';
import { type FirstRows, type Sql, sql } from '../../db/index.ts';
import {
  cursorsOf,
  cutPage,
  fromIso,
  groupBySeq,
  type Handlers,
  isCalled,
  isNewestOfOneBranch,
  loggedIn,
  pageBytes,
  type ReadContext,
  readScope,
  reads,
  scopedPathConditions,
  seqAt,
  startWithin,
} from '../../kernel/index.ts';
import * as queries from '../ledger/index.ts';
import { toAffected, toOutcome } from './answer.ts';
import { calibrate } from './rules/calibration.ts';
import { confidence } from './story.ts';

const cursors = cursorsOf('outcomes', ['number']);

const list = reads<'outcomes.list'>(async (context, input) => {
  const { caller, scan, services, dialect } = context;
  const scope = readScope(caller);
  const viewer = { account_id: caller.account_id, agent_id: caller.agent_id, scope };
  const glob = input.entity_path === undefined ? undefined : parseGlob(input.entity_path);
  const paths = glob && glob.kind !== 'all' ? scopedPathConditions(scope, glob, 'evidence.entity_path') : [];
  if (input.key !== undefined) paths.push(sql`evidence.key = ${input.key}`);
  const page: queries.OutcomePage = {
    where: await indexedFilters(context, input),
    filters: [
      ...(paths.length === 0 ? [] : [queries.hasCauseAt(viewer, paths)]),
      ...queries.ledWithin(viewer, 'looked_at'),
      ...plainFilters(context, input),
    ],
    scan: services.limits.max_scanned_entries,
    limit: input.limit + 1,
    bytes: pageBytes(services),
  };
  let found = await queries.listOutcomes(scan, viewer, page);
  const isFiltered = page.filters.length > 0 && !found.more && found.rows.length <= input.limit;
  const end = isFiltered ? await queries.endOfScan(scan, viewer, page) : undefined;
  if (end)
    found = await queries.listOutcomes(scan, viewer, { ...page, where: [...page.where, sql`seq >= ${end.seq}`] });
  const fitting = await withinPage(context, found, input.limit);
  const { items, next_cursor, has_more } = cutPage(fitting, input.limit, (row) => cursors.to([row.seq]));
  const evidence = await queries.listEvidence(scan, viewer, dialect.numbers(items.map(({ seq }) => seq)));
  const linesOf = groupBySeq(evidence);
  const outcomes = items.map((row) => ({
    ...toOutcome(row),
    entries: (linesOf.get(row.seq) ?? []).map((line) => toAffected(line, row.causal_confidence)),
  }));
  if (has_more || !end) return { outcomes, next_cursor, has_more };
  return { outcomes, next_cursor: cursors.to([end.seq]), has_more: true };
});

/** About as much as a ledger line takes in an answer. */
const LINE_BYTES = 1024;

/** Those of the outcomes whose ledger lines fit into a page with them. */
async function withinPage(
  { scan, caller, dialect, services }: ReadContext,
  { rows, more }: FirstRows<queries.OutcomeRow>,
  limit: number,
): Promise<FirstRows<queries.OutcomeRow>> {
  if (rows.length === 0) return { rows, more };
  const counts = await queries.countLines(scan, caller.account_id, dialect.numbers(rows.map(({ seq }) => seq)));
  const lines = new Map(counts.map(({ seq, n }) => [seq, n]));
  const sizeOf = ({ seq, document }: queries.OutcomeRow) => document.length + LINE_BYTES * (lines.get(seq) ?? 0);
  const first = startWithin(rows, pageBytes(services), sizeOf);
  return { rows: first, more: more || (first.length < rows.length && first.length <= limit) };
}

type OutcomeListInput = Input<'outcomes.list'>;

async function indexedFilters({ read, caller }: ReadContext, input: OutcomeListInput): Promise<Sql[]> {
  const before = input.cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(input.cursor)[0];
  // Always bounded: a range of the key makes the planner use the key for the order.
  const where = [sql`seq < ${before}`];
  if (input.outcome_ref !== undefined) where.push(sql`outcome_ref = ${input.outcome_ref}`);
  if (input.agent_id !== undefined) where.push(sql`agent_id = ${input.agent_id}`);
  const seqOf = (time: string) => seqAt(read, caller.account_id, fromIso(time));
  if (input.since) where.push(sql`seq >= ${await seqOf(input.since)}`);
  if (input.until) where.push(sql`seq < ${await seqOf(input.until)}`);
  return where;
}

function plainFilters({ view }: ReadContext, input: OutcomeListInput): Sql[] {
  const where = [loggedIn(view)];
  if (input.outcome_type !== undefined) where.push(sql`outcome_type = ${input.outcome_type}`);
  if (input.session_id !== undefined) where.push(isCalled(input.session_id));
  return where;
}

const calibration = reads<'outcomes.calibration'>(async (context, input) => {
  const { caller, view, read, scan, services } = context;
  const isNewest = isNewestOfOneBranch(view);
  const where: Sql[] = isNewest ? [loggedIn(view)] : [];
  const glob = input.entity_path === undefined ? undefined : parseGlob(input.entity_path);
  if (view.scope || (glob && glob.kind !== 'all'))
    where.push(...(isNewest ? [queries.isAboutEntryIn(view, glob && [glob])] : scopedPathConditions(view.scope, glob)));
  if (input.agent_id !== undefined) where.push(sql`written_by = ${input.agent_id}`);
  const seqOf = (time: string) => seqAt(read, caller.account_id, fromIso(time));
  if (input.since) where.push(sql`seq >= ${await seqOf(input.since)}`);
  if (input.until) where.push(sql`seq < ${await seqOf(input.until)}`);
  const most = services.limits.max_scanned_entries;
  const list = isNewest ? queries.listPredictions : queries.listInheritedPredictions;
  const rows = await list(scan, view, { where, limit: most + 1 });
  const scanned = rows.slice(0, most).map((row) => ({ ...row, success: row.success === 1 }));
  const successes = scanned.filter(({ success }) => success).length;
  const result: Output<'outcomes.calibration'> = {
    ...calibrate(scanned),
    successes,
    truncated: rows.length > most || (!isNewest && (await queries.hasMorePredictions(scan, view, most + 1))),
  };
  return result;
});

export const readHandlers: Handlers = {
  'outcomes.list': list,
  'outcomes.calibration': calibration,
  'entries.confidence': confidence,
};
