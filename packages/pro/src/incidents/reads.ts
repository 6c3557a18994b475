import {
  cursorsOf,
  cutPage,
  type Handlers,
  type Input,
  listReadable,
  reads,
  type Sql,
  sql,
  toIso,
  viewerOf,
  withinPage,
} from '@mem-service/server/module';
import * as queries from './queries.ts';
import { endOf, type Incident, toIncident, toTimeline } from './render.ts';
import { MAX_CHANGES } from './report.ts';
import { requireIncident } from './sight.ts';
import { sourceOf } from './sources.ts';

const MAX_TRACES = 20;
/** As long as the figures of an incident, the words about them, and the others of its group. */
const REST = '.'.repeat(4000);

const cursors = cursorsOf('incidents', ['number']);

const list = reads<'incidents.list'>(async (context, input) => {
  const { scan, services, dialect } = context;
  const { limit, cursor } = input;
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(cursor)[0];
  const now = services.clock.now();
  const isEach = input.each || input.group_id !== undefined;
  const page = { isEach, before, scan: services.limits.max_scanned_entries, limit: limit + 1 };
  const filters = conditions(input, now);
  const viewer = viewerOf(context);
  const { rows } = await listReadable(context, { columns: ['branch'], dialect }, async (branches) => ({
    rows: await queries.listIncidents(scan, viewer, { ...page, filters: [...filters, ...branches] }),
  }));
  const found = withinPage(services, rows, ({ of_agent, source_id, branch }) => [of_agent, source_id, branch, REST]);
  const { items, ...rest } = cutPage(found, limit, (row) => cursors.to([row.seq]));
  const incidents: Incident[] = [];
  for (const row of items) incidents.push(await toIncident(scan, row, now));
  const end = rest.has_more ? undefined : await queries.endOfScan(scan, viewer, page);
  return { incidents, ...(end ? { next_cursor: cursors.to([end.seq]), has_more: true } : rest) };
});

function conditions(input: Input<'incidents.list'>, now: number): Sql[] {
  const { status, group_id, agent_id, judge_id, behavior_id } = input;
  const isMuted = sql`muted_until IS NOT NULL AND muted_until > ${now}`;
  return [
    ...(status === 'muted' ? [sql`(${isMuted})`] : []),
    ...(status === undefined || status === 'muted' ? [] : [sql`status = ${status}`, sql`NOT (${isMuted})`]),
    ...(group_id === undefined ? [] : [sql`group_id = ${group_id}`]),
    ...(agent_id === undefined ? [] : [sql`of_agent = ${agent_id}`]),
    ...(judge_id === undefined ? [] : [sql`source_kind = 'judge'`, sql`source_id = ${judge_id}`]),
    ...(behavior_id === undefined ? [] : [sql`source_kind = 'behavior'`, sql`source_id = ${behavior_id}`]),
  ];
}

const readOne = reads<'incidents.read'>(async (context, { incident_id }) => {
  const { read, scan, caller, services } = context;
  const { account_id } = caller;
  const row = await requireIncident(context, incident_id);
  const until = endOf(row);
  const [incident, failures, changes] = await Promise.all([
    toIncident(scan, row, services.clock.now()),
    sourceOf(row).failures(scan, row, { account_id, from: row.from_seq, until, limit: MAX_TRACES }),
    queries.listChanges(read, account_id, { incident_id, limit: MAX_CHANGES }),
  ]);
  return {
    ...incident,
    traces: failures.map(({ trace_id, agent_id, traced_at }) => ({ trace_id, agent_id, traced_at: toIso(traced_at) })),
    timeline: changes.map(toTimeline),
  };
});

export const readHandlers: Handlers = { 'incidents.list': list, 'incidents.read': readOne };
