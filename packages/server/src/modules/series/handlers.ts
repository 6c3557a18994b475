import { eventTypeOf, globsOf, type Input, invalidInput } from '@mem-service/contract';
import { type Sql, sql } from '../../db/index.ts';
import {
  anyGlobCondition,
  branchOf,
  type CountedStretch,
  countByType,
  eventsInScope,
  eventTime,
  fromIso,
  type Handlers,
  heldForCaller,
  isOfEventTypes,
  ownActs,
  type ReadContext,
  reads,
  seqAt,
  toIso,
  toIsoOrNull,
  withoutOtherHolders,
} from '../../kernel/index.ts';
import { outcomesOfTypes } from '../ledger/index.ts';
import { FAILURE_TYPES } from '../outcomes/index.ts';
import { countEvents, oldestMinute } from './follow-log.ts';
import { type CountedRange, countAgents, lastBehind, listEventCounts } from './queries.ts';
import { endOf, pointsOf, type SeriesUnit, startOf, type TypeCount, UNIT_MS } from './rules.ts';

const MAX_POINTS = 1_500;
/** What is shown where no beginning is given. */
const DEFAULT_POINTS: Record<SeriesUnit, number> = { minute: 60, hour: 48, day: 30 };

type SeriesInput = Input<'series.read'>;
type TimeRange = { unit: SeriesUnit; since: number; until: number };
type CountedPart = Omit<CountedRange, 'agent_id' | 'consumer'>;
/** A part of the log, undefined where it is empty, and the time from which on nothing is missing; null where nothing is. */
type LogPart = { stretch: CountedStretch | undefined; complete_since: number | null };

const read = reads<'series.read'>(async (context, input) => {
  if (context.view.lineage[0]?.up_to_seq !== null)
    throw invalidInput([{ path: 'branch', message: 'shows a past state; give a branch, and a time as until' }]);
  const range = rangeOf(input, context.now);
  const isFiltered = context.view.scope !== undefined || input.entity_path !== undefined;
  const counted = isFiltered ? undefined : countedPart(context, input, range);
  const { counts, counted_seq } = await countInTable(context, input, counted);
  const log = await partOfLog(context, input, { range, after: counted_seq });
  const rest = log.stretch ? await countLog(context, log.stretch) : [];
  const active = input.include_agents ? await activeAgents(context, input, { counted, log }) : undefined;
  const points = pointsOf([...counts, ...rest]).map(({ at, ...point }) => ({
    at: toIso(at),
    ...point,
    ...(active && { agents: active.agents.get(at) ?? 0 }),
  }));
  const { unit, since, until } = range;
  const oldest = counted && unit === 'minute' ? startOf('minute', oldestMinute(context.now)) : 0;
  const complete = Math.max(log.complete_since ?? 0, active?.complete_since ?? 0) || (since < oldest ? oldest : null);
  return { unit, since: toIso(since), until: toIso(until), points, complete_since: toIsoOrNull(complete) };
});

function rangeOf({ unit, ...input }: SeriesInput, now: number): TimeRange {
  const until = endOf(unit, input.until === undefined ? now + 1 : fromIso(input.until));
  const first = input.since === undefined ? until - DEFAULT_POINTS[unit] * UNIT_MS[unit] : fromIso(input.since);
  const since = startOf(unit, first);
  const points = (until - since) / UNIT_MS[unit];
  if (points > MAX_POINTS)
    throw invalidInput([
      { path: 'since', message: `is ${points} points before until: at most ${MAX_POINTS} are given` },
    ]);
  return { unit, since, until };
}

const countedPart = ({ view, caller }: ReadContext, input: SeriesInput, range: TimeRange): CountedPart => ({
  account_id: view.account_id,
  branch: branchOf(view),
  viewer: view.agent_id,
  where: [...heldForCaller(caller), ...ofTypes(input)],
  ...range,
});

/** What is counted already. */
async function countInTable({ scan }: ReadContext, input: SeriesInput, part: CountedPart | undefined) {
  if (!part) return { counts: [], counted_seq: 0 };
  return listEventCounts(scan, { ...part, agent_id: input.agent_id ?? '', consumer: countEvents.name });
}

type WantedPart = { range: TimeRange; after: number };

/** The events after a `seq`, the newest of them where there are very many. */
async function partOfLog(context: ReadContext, input: SeriesInput, { range, after }: WantedPart): Promise<LogPart> {
  const { scan, view, caller, services } = context;
  const { account_id } = view;
  const [start, before] = await Promise.all([
    seqAt(scan, account_id, range.since),
    seqAt(scan, account_id, range.until),
  ]);
  const wanted = Math.max(start, after + 1);
  // The log has no gaps.
  const from = Math.max(wanted, before - services.limits.max_scanned_entries);
  if (from >= before) return { stretch: undefined, complete_since: null };
  const globs = globsOf(input);
  const where = [
    sql`branch = ${branchOf(view)}`,
    sql`visible_to IN ('', ${view.agent_id})`,
    ...eventsInScope(view.scope),
    ...withoutOtherHolders(caller),
    ...ofTypes(input),
    ...ofAgent(input),
    ...(globs === undefined ? [] : [sql`entity_path IS NOT NULL`, anyGlobCondition(globs)]),
  ];
  const first = from > wanted ? await eventTime(scan, account_id, from) : undefined;
  return {
    stretch: { from, before, unit_ms: UNIT_MS[range.unit], where },
    complete_since: first ? endOf(range.unit, first.created_at) : null,
  };
}

/** The events of a part of the log by type, and which of the outcomes failed. */
async function countLog({ scan, view: { account_id } }: ReadContext, stretch: CountedStretch): Promise<TypeCount[]> {
  const counts = await countByType(scan, account_id, stretch);
  if (!counts.some(({ event_type }) => event_type === 'outcome')) return counts;
  const isFailed = sql`event_type = 'outcome' AND seq IN (${outcomesOfTypes(account_id, FAILURE_TYPES)})`;
  const failed = await countByType(scan, account_id, { ...stretch, where: [...stretch.where, isFailed] });
  return [...counts, ...failed.map(({ n, ...count }) => ({ ...count, n: 0, failures: n }))];
}

type AgentParts = { counted: CountedPart | undefined; log: LogPart };

/** How many agents were active by stretch. What is counted while this is read is in both parts, and counts once. */
async function activeAgents({ scan, view, services }: ReadContext, input: SeriesInput, { counted, log }: AgentParts) {
  const behind = counted && (await lastBehind(scan, counted, services.limits.max_scanned_entries));
  const complete_since = counted && behind !== undefined ? behind + UNIT_MS[counted.unit] : null;
  const rows = await countAgents(scan, view.account_id, {
    counted: counted && {
      ...counted,
      since: complete_since ?? counted.since,
      where: [...counted.where, ...ofAgent(input)],
    },
    log: log.stretch && { ...log.stretch, where: [...log.stretch.where, ...ownActs()] },
  });
  return { agents: new Map(rows.map(({ at, n }) => [at, n])), complete_since };
}

const ofAgent = ({ agent_id }: SeriesInput): Sql[] => (agent_id === undefined ? [] : [sql`agent_id = ${agent_id}`]);
const ofTypes = ({ types = [] }: SeriesInput): Sql[] => isOfEventTypes(types.map(eventTypeOf));

export const handlers: Handlers = { 'series.read': read };
