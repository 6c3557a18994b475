import { type Input, type Output, parseGlob } from '@mem-service/contract';
import { type Sql, sql } from '../../db/index.ts';
import {
  cursorsOf,
  cutPage,
  fromIso,
  type Handlers,
  isCalled,
  loggedIn,
  pageBytes,
  type ReadContext,
  reads,
  scopedPathConditions,
  seqAt,
  type Viewer,
} from '../../kernel/index.ts';
import { inTurns } from '../../turns.ts';
import { explain } from './explain.ts';
import { showLongValues } from './long-values.ts';
import * as queries from './queries.ts';
import { readTrace } from './read-trace.ts';
import { renderTraces, tracesWithin } from './render.ts';
import { matchingTraces } from './text.ts';
import { verify } from './verify.ts';
import { viewerOf } from './viewer.ts';

const cursors = cursorsOf('traces', ['number']);

const read = reads<'traces.read'>(async (context, { trace_id }) =>
  inTurns(showLongValues(await readTrace(context, trace_id, 'whole'))),
);

const list = reads<'traces.list'>(async (context, input) => {
  const page = await listTracesFor(context, input);
  for (const trace of page.traces) await inTurns(showLongValues(trace));
  return page;
});

/** A page of the traces that a caller may see. */
export async function listTracesFor(context: ReadContext, input: TraceListInput): Promise<Output<'traces.list'>> {
  const { scan, services, dialect } = context;
  const viewer = viewerOf(context);
  const bytes = pageBytes(services);
  const page: queries.TracePage = {
    where: await indexedFilters(context, input),
    filters: [...plainFilters(viewer, input), ...queries.tracesInScope(viewer, 'looked_at')],
    scan: services.limits.max_scanned_entries,
    limit: input.limit + 1,
    offset: input.cursor === undefined ? input.offset : 0,
    bytes,
  };
  let found = await queries.listTraces(scan, viewer, page);
  const isFiltered = page.filters.length > 0 && !found.more && found.rows.length <= input.limit;
  const end = isFiltered ? await queries.endOfScan(scan, viewer, page) : undefined;
  if (end) found = await queries.listTraces(scan, viewer, { ...page, where: [...page.where, sql`seq >= ${end.seq}`] });
  const reading = { query: scan, viewer, dialect, reader: context, bytes };
  const fitting = await tracesWithin(reading, found);
  const { items, next_cursor, has_more } = cutPage(fitting, input.limit, (row) => cursors.to([row.seq]));
  const traces = await renderTraces(reading, items, 'listed');
  if (has_more || !end) return { traces, next_cursor, has_more };
  return { traces, next_cursor: cursors.to([end.seq]), has_more: true };
}

type TraceListInput = Input<'traces.list'>;

/** Filters that an index serves. */
async function indexedFilters(context: ReadContext, input: TraceListInput): Promise<Sql[]> {
  const { read, caller, view } = context;
  // Nearly every trace is on the requested branch: an index would gain nothing, and the scan needs no limit.
  const where: Sql[] = [loggedIn(view)];
  if (input.agent_id !== undefined) where.push(sql`agent_id = ${input.agent_id}`);
  if (input.outcome_ref !== undefined) where.push(sql`outcome_ref = ${input.outcome_ref}`);
  if (input.has_error === true) where.push(sql`has_error = 1`);
  const seqOf = (time: string) => seqAt(read, caller.account_id, fromIso(time));
  if (input.since) where.push(sql`seq >= ${await seqOf(input.since)}`);
  if (input.until) where.push(sql`seq < ${await seqOf(input.until)}`);
  if (input.cursor !== undefined) where.push(sql`seq < ${cursors.from(input.cursor)[0]}`);
  if (input.query?.trim()) where.push(await matchingTraces(context, input.query));
  return where;
}

function plainFilters(viewer: Viewer, input: TraceListInput): Sql[] {
  const where: Sql[] = [];
  if (input.has_error !== undefined) where.push(queries.hasErrorShown(viewer, input.has_error));
  if (input.outcome_type !== undefined) where.push(sql`outcome_type = ${input.outcome_type}`);
  if (input.session_id !== undefined) where.push(isCalled(input.session_id));
  if (input.entity_path !== undefined)
    where.push(queries.hasReadAt(viewer, scopedPathConditions(viewer.scope, parseGlob(input.entity_path))));
  return where;
}

export const readHandlers: Handlers = {
  'traces.list': list,
  'traces.read': read,
  'traces.verify': verify,
  'sessions.explain': explain,
};
