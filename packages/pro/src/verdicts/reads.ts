import {
  cursorsOf,
  cutPage,
  Fault,
  fromIso,
  type Handlers,
  type Input,
  listReadable,
  pageBytes,
  type ReadContext,
  reads,
  requireTrace,
  type Sql,
  seqAt,
  sql,
  tracesInSight,
  viewerOf,
  withinPage,
} from '@mem-service/server/module';
import * as queries from './queries.ts';
import { toVerdicts, type Verdict } from './render.ts';

const cursors = cursorsOf('verdicts', ['number', 'string', 'number']);

const cursorAt = ({ trace_seq, judge_id, judge_version }: queries.VerdictKey): string =>
  cursors.to([trace_seq, judge_id, judge_version]);

const list = reads<'verdicts.list'>(async (context, input) => {
  const { scan, services, dialect } = context;
  const viewer = viewerOf(context);
  const where = await indexed(context, input);
  const page = {
    filters: plain(input),
    scan: services.limits.max_scanned_entries,
    limit: input.limit + 1,
    bytes: pageBytes(services),
  };
  let conditions = where;
  const rows = await listReadable(context, { columns: ['branch'], dialect }, (branches) => {
    conditions = [...where, ...branches];
    return queries.listVerdicts(scan, viewer, { ...page, where: conditions });
  });
  const found = withinPage(services, rows, ({ reason, evidence, agent_id }) => [reason, evidence, agent_id]);
  const isShort = page.filters.length > 0 && !found.more && found.rows.length <= input.limit;
  const end = isShort ? await queries.endOfScan(scan, viewer, { ...page, where: conditions }) : undefined;
  const { items, next_cursor, has_more } = cutPage(found, input.limit, cursorAt);
  const verdicts = await toVerdicts(context, await inSight(context, items));
  if (has_more || !end) return { verdicts, next_cursor, has_more };
  return { verdicts, next_cursor: cursorAt(end), has_more: true };
});

/** Who may not see a trace does not see its verdicts. */
async function inSight(context: ReadContext, rows: readonly queries.VerdictRow[]): Promise<queries.VerdictRow[]> {
  const viewer = viewerOf(context);
  if (viewer.scope === undefined) return [...rows];
  const { scan, dialect } = context;
  const seqs = [...new Set(rows.map(({ trace_seq }) => trace_seq))];
  const seen = await tracesInSight(scan, { viewer, dialect }, seqs);
  return rows.filter(({ trace_seq }) => seen.has(trace_seq));
}

/** Conditions that an index serves. */
async function indexed(context: ReadContext, input: Input<'verdicts.list'>): Promise<Sql[]> {
  const { read, caller } = context;
  const { trace_id, judge_id, agent_id, since, until, cursor } = input;
  const after = cursor === undefined ? undefined : cursors.from(cursor);
  const where: Sql[] = [];
  if (trace_id !== undefined) {
    const { seq } = await requireTrace(context, trace_id, judge_id === undefined ? {} : { judge_id });
    where.push(sql`trace_seq = ${seq}`);
  }
  if (judge_id !== undefined) where.push(sql`judge_id = ${judge_id}`);
  if (agent_id !== undefined) where.push(sql`agent_id = ${agent_id}`);
  const seqOf = (time: string) => seqAt(read, caller.account_id, fromIso(time));
  if (since) where.push(sql`trace_seq >= ${await seqOf(since)}`);
  if (until) where.push(sql`trace_seq < ${await seqOf(until)}`);
  if (after) {
    const [seq, judge, version] = after;
    where.push(sql`(trace_seq, judge_id, judge_version) < (${seq}, ${judge}, ${version})`);
  }
  return where;
}

const plain = ({ result, judge_version }: Input<'verdicts.list'>): Sql[] => [
  ...(result === undefined ? [] : [sql`result = ${result}`]),
  ...(judge_version === undefined ? [] : [sql`judge_version = ${judge_version}`]),
];

const readOne = reads<'verdicts.read'>(async (context, { verdict_id }) => {
  const [, traceId = '', judge_id = '', version = ''] = /^([^.]+)\.([^.]+)\.(\d{1,9})$/.exec(verdict_id) ?? [];
  const missing = () => new Fault('not_found', `there is no verdict ${verdict_id}`, { verdict_id });
  if (traceId === '') throw missing();
  const { seq: trace_seq } = await requireTrace(context, traceId);
  const key = { trace_seq, judge_id, judge_version: Number(version) };
  const [row] = await queries.findVerdicts(context.read, context.caller.account_id, [key]);
  if (!row) throw missing();
  const [verdict] = await toVerdicts(context, [row]);
  return verdict as Verdict;
});

export const readHandlers: Handlers = { 'verdicts.list': list, 'verdicts.read': readOne };
