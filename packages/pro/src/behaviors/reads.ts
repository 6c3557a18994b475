import {
  cursorsOf,
  cutPage,
  findTraces,
  fromIso,
  type Handlers,
  type Input,
  listReadable,
  type Output,
  pageBytes,
  type ReadContext,
  reads,
  type Sql,
  seqAt,
  sessionIdOf,
  sql,
  type TraceFacts,
  toIso,
  tracesInSight,
  viewerOf,
  withinPage,
} from '@mem-service/server/module';
import { endOfMatches, type LookRow, listMatches, type MatchPage } from './looks.ts';
import { listBehaviors } from './queries.ts';
import { requireBehavior, toBehavior } from './render.ts';

const cursors = cursorsOf('behaviors', ['string']);

const list = reads<'behaviors.list'>(async ({ read, caller, services }, { for_agent, status, limit, cursor }) => {
  const after = cursor === undefined ? '' : cursors.from(cursor)[0];
  const { account_id } = caller;
  const page = { account_id, for_agent, status, after, limit: limit + 1, bytes: pageBytes(services) };
  const rows = await listBehaviors(read, page);
  const found = withinPage(services, rows, ({ matcher, description, name }) => [matcher, description, name]);
  const { items, ...rest } = cutPage(found, limit, (row) => cursors.to([row.behavior_id]));
  return { behaviors: items.map(toBehavior), ...rest };
});

const readOne = reads<'behaviors.read'>(async ({ read, caller }, { behavior_id }) =>
  toBehavior(await requireBehavior(read, caller.account_id, behavior_id)),
);

/** As long as the times and the outcome of a trace. */
const REST = '.'.repeat(100);

const matchCursors = cursorsOf('behaviors.list_traces', ['number']);
const cursorAt = ({ trace_seq }: Pick<LookRow, 'trace_seq'>): string => matchCursors.to([trace_seq]);

const listTraces = reads<'behaviors.list_traces'>(async (context, input) => {
  const { read, scan, services, dialect, caller } = context;
  const { behavior_id, limit } = input;
  const where = await indexed(context, input);
  const { version } = await requireBehavior(read, caller.account_id, behavior_id);
  const viewer = viewerOf(context);
  // A page is cut after what a scope leaves out, so that it says nothing of that.
  const most = viewer.scope === undefined ? limit + 1 : services.limits.max_scanned_entries;
  const page: MatchPage = {
    ...{ behavior_id, behavior_version: input.version ?? version, where, limit: most },
    filters: input.agent_id === undefined ? [] : [sql`agent_id = ${input.agent_id}`],
    scan: services.limits.max_scanned_entries,
  };
  const { rows } = await listReadable(context, { columns: ['branch'], dialect }, async (branches) => ({
    rows: await listMatches(scan, viewer, { ...page, filters: [...page.filters, ...branches] }),
  }));
  const matches = await withTraces(context, (await inSight(context, rows)).slice(0, limit + 1));
  const found = withinPage(services, matches, ({ facts }) => [
    ...[facts.trace_id, facts.agent_id, facts.session, facts.branch, facts.outcome_ref, REST],
  ]);
  const { items, next_cursor, has_more } = cutPage(found, limit, cursorAt);
  const traces = items.map(toMatched);
  const end = has_more ? undefined : await endOfMatches(scan, viewer, page);
  return end ? { traces, next_cursor: cursorAt(end), has_more: true } : { traces, next_cursor, has_more };
});

/** Conditions that an index serves. */
async function indexed({ read, caller }: ReadContext, input: Input<'behaviors.list_traces'>): Promise<Sql[]> {
  const { since, until, cursor } = input;
  const after = cursor === undefined ? undefined : matchCursors.from(cursor)[0];
  const seqOf = (time: string) => seqAt(read, caller.account_id, fromIso(time));
  return [
    ...(since ? [sql`trace_seq >= ${await seqOf(since)}`] : []),
    ...(until ? [sql`trace_seq < ${await seqOf(until)}`] : []),
    ...(after === undefined ? [] : [sql`trace_seq < ${after}`]),
  ];
}

type MatchWithTrace = LookRow & { facts: TraceFacts };

async function withTraces({ scan, caller }: ReadContext, rows: readonly LookRow[]): Promise<MatchWithTrace[]> {
  const seqs = rows.map(({ trace_seq }) => trace_seq);
  const traces = await findTraces(scan, caller.account_id, seqs);
  return rows.flatMap((row, at) => {
    const facts = traces[at];
    return facts ? [{ ...row, facts }] : [];
  });
}

/** Who may not see a trace does not see that it has a behavior. */
async function inSight(context: ReadContext, rows: readonly LookRow[]): Promise<readonly LookRow[]> {
  const viewer = viewerOf(context);
  if (viewer.scope === undefined) return rows;
  const { scan, dialect } = context;
  const seqs = rows.map(({ trace_seq }) => trace_seq);
  const seen = await tracesInSight(scan, { viewer, dialect }, seqs);
  return rows.filter(({ trace_seq }) => seen.has(trace_seq));
}

function toMatched({ facts, created_at }: MatchWithTrace): Output<'behaviors.list_traces'>['traces'][number] {
  const { trace_id, agent_id, session, branch, outcome_ref, outcome_type } = facts;
  return {
    ...{ trace_id, agent_id, session_id: sessionIdOf(session), branch, outcome_ref, outcome_type },
    traced_at: toIso(facts.created_at),
    matched_at: toIso(created_at),
  };
}

export const readHandlers: Handlers = {
  'behaviors.list': list,
  'behaviors.read': readOne,
  'behaviors.list_traces': listTraces,
};
