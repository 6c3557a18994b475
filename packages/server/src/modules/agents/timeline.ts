import { eventTypeOf } from '@mem-service/contract';
import type { Sql } from '../../db/index.ts';
import {
  type Cursors,
  cursorsOf,
  cutPage,
  endOfEvents,
  eventsInScope,
  fromIso,
  type Handlers,
  isOfEventTypes,
  listAgentEvents,
  listReadable,
  loggedOrReported,
  MAIN_LINEAGE,
  pageBytes,
  type ReadContext,
  readScope,
  reads,
  seqAt,
  type TimelineEvent,
  toIso,
  withoutOtherHolders,
} from '../../kernel/index.ts';
import { detailsOf } from '../log/index.ts';
import { summaryOf } from './rules/summary.ts';

type TimelineInput = {
  agent_id: string;
  since?: string | undefined;
  until?: string | undefined;
  limit: number;
  cursor?: string | undefined;
};

type EventPageQuery = { cursors: Cursors<readonly ['number']>; where: readonly Sql[]; filters: readonly Sql[] };

/** Events keep their `seq`, so a page stays the same while new events are appended. */
async function pageOfEvents(
  context: ReadContext,
  input: TimelineInput,
  { cursors, where, filters: wanted }: EventPageQuery,
) {
  const { scan: query, caller, services } = context;
  const range = { ...(await rangeOf(context, input, cursors)), viewer: caller.agent_id, where };
  const scan = services.limits.max_scanned_entries;
  const filters = [...wanted, ...eventsInScope(readScope(caller)), ...withoutOtherHolders(caller)];
  const rows = await listAgentEvents(query, range, {
    ...{ filters, scan, limit: input.limit + 1, bytes: pageBytes(services) },
  });
  const { items, next_cursor, has_more } = cutPage(rows, input.limit, (row) => cursors.to([row.seq]));
  const page = { rows: items, next_cursor, has_more };
  if (has_more || filters.length === 0) return page;
  const end = await endOfEvents(query, range, scan);
  return end ? { ...page, next_cursor: cursors.to([end.seq]), has_more: true } : page;
}

async function rangeOf({ read, caller }: ReadContext, input: TimelineInput, cursors: EventPageQuery['cursors']) {
  const { account_id } = caller;
  const cursor = input.cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(input.cursor)[0];
  const from = input.since === undefined ? 0 : await seqAt(read, account_id, fromIso(input.since));
  const until = input.until === undefined ? cursor : await seqAt(read, account_id, fromIso(input.until));
  return { account_id, agent_id: input.agent_id, from, before: Math.min(cursor, until) };
}

const timelineCursors = cursorsOf('agents.timeline', ['number']);

const timeline = reads<'agents.timeline'>(async (context, input) => {
  const { view, caller, services, dialect } = context;
  const ofBranch = [loggedOrReported(view, await services.branchAccess.readable(caller), dialect)];
  // Most of an agent's events are on main: those of a branch are looked for among as many as a list may scan.
  const isMain = view.lineage === MAIN_LINEAGE;
  const ofTypes = isOfEventTypes([...new Set(input.event_type?.map(eventTypeOf))]);
  const { rows, ...page } = await pageOfEvents(context, input, {
    cursors: timelineCursors,
    where: isMain ? ofBranch : [],
    filters: isMain ? ofTypes : [...ofBranch, ...ofTypes],
  });
  return { agentId: input.agent_id, events: rows.map(toEvent), count: rows.length, ...page };
});

function toEvent(row: TimelineEvent) {
  const { seq, event_type, agent_id, actor_agent_id, branch, created_at } = row;
  const details = detailsOf(row);
  const summary = summaryOf({ ...row, details });
  return { id: seq, event_type, agent_id, actor_agent_id, branch, summary, details, created_at: toIso(created_at) };
}

const activityCursors = cursorsOf('agents.activity', ['number']);

const activity = reads<'agents.activity'>(async (context, input) => {
  const { dialect } = context;
  const { rows, ...page } = await listReadable(context, { columns: ['branch'], dialect }, (filters) =>
    pageOfEvents(context, input, { cursors: activityCursors, where: [], filters }),
  );
  return { agent_id: input.agent_id, timeline: rows.map(toActivity), ...page };
});

function toActivity(row: TimelineEvent) {
  const { event_type: type, entity_path, key, version, actor_agent_id, created_at } = row;
  const details = JSON.parse(row.details) as Record<string, unknown>;
  const summary = summaryOf({ ...row, details });
  return { type, summary, entity_path, key, version, timestamp: toIso(created_at), details, actor_agent_id };
}

export const timelineHandlers: Handlers = {
  'agents.timeline': timeline,
  'agents.activity': activity,
};
