import {
  type ConsumerContext,
  EVERYONE,
  inTurns,
  pause,
  type Query,
  untilTurnEnds,
  type Work,
} from '@mem-service/server/module';
import { joinGroups, type OpenedIncident } from './join-groups.ts';
import * as queries from './queries.ts';
import { reportChange } from './report.ts';
import {
  type EarlierBase,
  type ExcessFound,
  excessAgain,
  excessAt,
  isSpread,
  MAX_BASE,
  MAX_WINDOW,
} from './rules/excess.ts';
import { placeIn, type ReportedSample, rowsOf } from './rules/sample-rows.ts';
import { sourceOf, type WatchedGroup } from './sources.ts';

/** A trace in which something failed, as the log reports it; the group is that of its agent. */
export type ReportedFailure = {
  group: WatchedGroup;
  trace_seq: number;
  traced_at: number;
  /** The event that reported it, and its time. */
  seq: number;
  at: number;
};

/** The samples of a group since a resolution, and what was normal before the incident; nothing where that was another version. */
type GroupPast = { samples: readonly ReportedSample[]; normal: EarlierBase | undefined };

/** What is known of a group before the transaction: at which of its failures there were more than usual since a resolution. */
type GroupExcesses = { resolved_seq: number | null; at: ReadonlyMap<ReportedFailure, ExcessFound> };

const ofAllAgents = (group: WatchedGroup): WatchedGroup => ({ ...group, of_agent: '' });
const nameOf = ({ source_kind, source_id, of_agent, branch, visible_to }: queries.IncidentPlace): string =>
  [source_kind, source_id, of_agent, branch, visible_to].join('\n');
const versionOf = (group: WatchedGroup): string => `${nameOf(group)}\n${group.source_version}`;

/** The groups that a failure counts in: private traces are those of one agent. */
const groupsOf = ({ group }: ReportedFailure): WatchedGroup[] =>
  group.visible_to === EVERYONE ? [group, ofAllAgents(group)] : [group];

const isActive = (incident: queries.IncidentRow | undefined): incident is queries.IncidentRow =>
  incident !== undefined && incident.status !== 'resolved';
const isMuted = ({ muted_until }: queries.IncidentRow, at: number): boolean => muted_until !== null && muted_until > at;

/**
 * Opens, opens again and counts the incidents of some failures, one failure after the other in the order of the log: however these
 * are divided into calls, the incidents are the same.
 */
export async function watchFailures(
  context: ConsumerContext,
  failures: readonly ReportedFailure[],
  traces: number,
): Promise<void> {
  const { account_id, kernel } = context;
  const { read, scan } = kernel.services.database.forAccount(account_id);
  const watched = await inTurns(watchedIn(failures));
  const groups = [...watched.values()];
  const known = await queries.findIncidents(read, account_id, groups);
  await pause();
  const excesses = new Map<string, GroupExcesses>();
  for (const [i, group] of groups.entries()) {
    if (context.isStopping()) return;
    const incident = known[i];
    if (isActive(incident)) continue;
    excesses.set(versionOf(group), await excessesOf(scan, { account_id, group, traces, incident }));
  }
  await context.work((work) => countFailures(work, { failures, watched, excesses }));
}

/** A group and its failures of one version, with the last trace of them and the last event that reported one. */
type GroupWatched = WatchedGroup & { failures: ReportedFailure[]; until: number; reported: number };

function* watchedIn(failures: readonly ReportedFailure[]): Generator<void, Map<string, GroupWatched>> {
  const watched = new Map<string, GroupWatched>();
  for (const failure of failures) {
    yield;
    for (const group of groupsOf(failure)) {
      const name = versionOf(group);
      const known = watched.get(name) ?? { ...group, failures: [], until: 0, reported: 0 };
      known.failures.push(failure);
      known.until = Math.max(known.until, failure.trace_seq);
      known.reported = Math.max(known.reported, failure.seq);
      watched.set(name, known);
    }
  }
  return watched;
}

type GroupAsked = {
  account_id: string;
  group: GroupWatched;
  traces: number;
  incident: queries.IncidentRow | undefined;
};

async function pastOf(query: Query, { account_id, group, traces, incident }: GroupAsked): Promise<GroupPast> {
  const { until, reported } = group;
  const limit = MAX_WINDOW + MAX_BASE + traces;
  const asked = { account_id, after: incident?.resolved_seq ?? 0, until, reported, limit };
  const samples = await sourceOf(group).list(query, group, asked);
  const isOfSame = incident?.source_version === group.source_version;
  return { samples, normal: incident && isOfSame ? await normalOf(query, incident) : undefined };
}

async function excessesOf(query: Query, asked: GroupAsked): Promise<GroupExcesses> {
  const at = await inTurns(excessesIn(asked.group, await pastOf(query, asked)));
  return { resolved_seq: asked.incident?.resolved_seq ?? null, at };
}

/** Each failure is looked at as the log was when it was reported. */
function* excessesIn(
  group: GroupWatched,
  { samples, normal }: GroupPast,
): Generator<void, Map<ReportedFailure, ExcessFound>> {
  const { failures, of_agent } = group;
  const { opensFromStart } = sourceOf(group);
  const excesses = new Map<ReportedFailure, ExcessFound>();
  const rowAt = rowsOf(samples);
  for (const failure of failures) {
    yield;
    const row = rowAt(failure.seq);
    const at = placeIn(row, failure.trace_seq);
    if (at < 0) continue;
    const found = normal ? excessAgain(row, at, normal) : excessAt(row, at);
    if (!found || (found.rule === 'from_start' && !opensFromStart)) continue;
    if (of_agent !== '' || found.rule === 'again' || isSpread(row, found)) excesses.set(failure, found);
  }
  return excesses;
}

async function normalOf(query: Query, incident: queries.IncidentRow): Promise<EarlierBase | undefined> {
  const { account_id, base_from_seq, base_until_seq } = incident;
  if (base_from_seq === null || base_until_seq === null) return undefined;
  const spans = [{ name: 'base', from: base_from_seq, before: base_until_seq, limit: MAX_BASE }];
  const counted = (await sourceOf(incident).count(query, incident, { account_id, spans })).get('base');
  return counted && { ...counted, from_seq: base_from_seq, until_seq: base_until_seq };
}

type Counting = {
  failures: readonly ReportedFailure[];
  watched: ReadonlyMap<string, WatchedGroup>;
  excesses: ReadonlyMap<string, GroupExcesses>;
};

async function countFailures(work: Work, { failures, watched, excesses }: Counting): Promise<void> {
  const { account_id, tx } = work;
  const groups = [...watched.values()];
  const known = await queries.findIncidents(tx, account_id, groups);
  const incidents = new Map(groups.map((group, i) => [nameOf(group), known[i]]));
  const { rows, openings } = await untilTurnEnds(changedBy(work, { failures, incidents, excesses }));
  const joined = await joinGroups(work, openings);
  const changed = rows.map((row) => ({ ...row, group_id: joined.get(row.incident_id) ?? row.group_id }));
  if (changed.length > 0) work.send(tx.insertMany(queries.upsertIncidents, changed));
}

type CountingIn = Omit<Counting, 'watched'> & { incidents: Map<string, queries.IncidentRow | undefined> };

type ChangedIncidents = { rows: queries.IncidentRow[]; openings: OpenedIncident[] };

/** The incidents that the failures change, as they are after the last. */
function* changedBy(work: Work, { failures, incidents, excesses }: CountingIn): Generator<void, ChangedIncidents> {
  const changed = new Map<string, queries.IncidentRow>();
  const openings: OpenedIncident[] = [];
  for (const failure of failures) {
    yield;
    for (const group of groupsOf(failure)) {
      const name = nameOf(group);
      const before = incidents.get(name);
      const isOthers = group.of_agent !== '' && isActive(incidents.get(nameOf(ofAllAgents(group))));
      const after = isActive(before)
        ? counted(work, before, failure)
        : isOthers
          ? undefined
          : opened(work, { group, failure, before, excesses: excesses.get(versionOf(group)) });
      if (!after) continue;
      if (!isActive(before)) openings.push({ row: after, reported: failure.seq });
      incidents.set(name, after);
      changed.set(name, after);
    }
  }
  return { rows: [...changed.values()], openings };
}

/** An incident that is open has one failure more; that they have doubled is reported. */
function counted(work: Work, before: queries.IncidentRow, failure: ReportedFailure): queries.IncidentRow | undefined {
  const { trace_seq, traced_at, at } = failure;
  if (trace_seq <= before.last_trace_seq) return undefined;
  const failures = before.failures + 1;
  const after = { ...before, failures, last_trace_seq: trace_seq, last_failed_at: traced_at, updated_at: work.now };
  if (failures < 2 * before.reported_failures || isMuted(before, at)) return after;
  reportChange(work, after, { change: 'grown' });
  return { ...after, reported_failures: failures };
}

type Opening = {
  group: WatchedGroup;
  failure: ReportedFailure;
  before: queries.IncidentRow | undefined;
  excesses: GroupExcesses | undefined;
};

function opened(work: Work, { group, failure, before, excesses }: Opening): queries.IncidentRow | undefined {
  const found = excesses?.at.get(failure);
  // Where it was resolved since the samples were read, they are what was resolved.
  if (!found || excesses?.resolved_seq !== (before?.resolved_seq ?? null)) return undefined;
  if (before && isMuted(before, failure.at)) return undefined;
  const { account_id, now } = work;
  const { rule, from_seq, to_seq, base, failures } = found;
  const { source_kind, source_id, source_version, of_agent, branch, visible_to } = group;
  const id = work.services.ids.next(now);
  const row: queries.IncidentRow = {
    // Others may have stayed in the group that it was in before.
    ...{ account_id, incident_id: before?.incident_id ?? id, group_id: id },
    ...{ source_kind, source_id, source_version, of_agent, branch, visible_to },
    ...{ status: 'open', muted_until: null, rule, from_seq, to_seq, resolved_seq: before?.resolved_seq ?? null },
    ...{ base_from_seq: base?.from_seq ?? null, base_until_seq: base?.until_seq ?? null },
    ...{ failures, reported_failures: failures, last_trace_seq: to_seq, last_failed_at: failure.traced_at },
    ...{ seq: 0, created_at: before?.created_at ?? now, opened_at: now, updated_at: now },
  };
  return { ...row, seq: reportChange(work, row, { change: before ? 'reopened' : 'opened' }) };
}
