import { eventTypeOf, globsOf, type Input, invalidInput } from '@mem-service/contract';
import { type Sql, sql } from '../../db/index.ts';
import {
  anyGlobCondition,
  branchOf,
  countByType,
  eventsInScope,
  eventTime,
  fromIso,
  type Handlers,
  heldForCaller,
  isOfEventTypes,
  type ReadContext,
  reads,
  seqAt,
  toIso,
  toIsoOrNull,
  withoutOtherHolders,
} from '../../kernel/index.ts';
import { countEvents, oldestMinute } from './follow-log.ts';
import { listEventCounts } from './queries.ts';
import { endOf, pointsOf, type SeriesUnit, startOf, type TypeCount, UNIT_MS } from './rules.ts';

const MAX_POINTS = 1_500;
/** What is shown where no beginning is given. */
const DEFAULT_POINTS: Record<SeriesUnit, number> = { minute: 60, hour: 48, day: 30 };

type SeriesInput = Input<'series.read'>;
type TimeRange = { unit: SeriesUnit; since: number; until: number };
/** Counts, and the time from which on none is missing; null where none is. */
type CountsSince = { counts: readonly TypeCount[]; complete_since: number | null };

const read = reads<'series.read'>(async (context, input) => {
  if (context.view.lineage[0]?.up_to_seq !== null)
    throw invalidInput([{ path: 'branch', message: 'shows a past state; give a branch, and a time as until' }]);
  const range = rangeOf(input, context.now);
  const isFiltered = context.view.scope !== undefined || input.entity_path !== undefined;
  const { counts, complete_since } = await (isFiltered
    ? countInLog(context, input, { range, after: 0 })
    : countInTable(context, input, range));
  const points = pointsOf(counts).map(({ at, ...point }) => ({ at: toIso(at), ...point }));
  const { unit, since, until } = range;
  return { unit, since: toIso(since), until: toIso(until), points, complete_since: toIsoOrNull(complete_since) };
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

/** What is counted already, and the rest from the log. */
async function countInTable(context: ReadContext, input: SeriesInput, range: TimeRange): Promise<CountsSince> {
  const { scan, view, caller, now } = context;
  const { counts, counted_seq } = await listEventCounts(scan, {
    account_id: view.account_id,
    branch: branchOf(view),
    agent_id: input.agent_id ?? '',
    viewer: view.agent_id,
    where: [...heldForCaller(caller), ...ofTypes(input)],
    consumer: countEvents.name,
    ...range,
  });
  const rest = await countInLog(context, input, { range, after: counted_seq });
  const oldest = range.unit === 'minute' ? startOf('minute', oldestMinute(now)) : 0;
  const complete_since = rest.complete_since ?? (range.since < oldest ? oldest : null);
  return { counts: [...counts, ...rest.counts], complete_since };
}

type LogPart = { range: TimeRange; after: number };

/** Counts events after a `seq`, the newest of them where there are very many. */
async function countInLog(context: ReadContext, input: SeriesInput, { range, after }: LogPart): Promise<CountsSince> {
  const { scan, view, caller, services } = context;
  const { account_id } = view;
  const [start, before] = await Promise.all([
    seqAt(scan, account_id, range.since),
    seqAt(scan, account_id, range.until),
  ]);
  const wanted = Math.max(start, after + 1);
  // The log has no gaps.
  const from = Math.max(wanted, before - services.limits.max_scanned_entries);
  if (from >= before) return { counts: [], complete_since: null };
  const globs = globsOf(input);
  const where = [
    sql`branch = ${branchOf(view)}`,
    sql`visible_to IN ('', ${view.agent_id})`,
    ...eventsInScope(view.scope),
    ...withoutOtherHolders(caller),
    ...ofTypes(input),
    ...(input.agent_id === undefined ? [] : [sql`agent_id = ${input.agent_id}`]),
    ...(globs === undefined ? [] : [sql`entity_path IS NOT NULL`, anyGlobCondition(globs)]),
  ];
  const counts = await countByType(scan, account_id, { from, before, unit_ms: UNIT_MS[range.unit], where });
  const first = from > wanted ? await eventTime(scan, account_id, from) : undefined;
  return { counts, complete_since: first ? endOf(range.unit, first.created_at) : null };
}

const ofTypes = ({ types = [] }: SeriesInput): Sql[] => isOfEventTypes(types.map(eventTypeOf));

export const handlers: Handlers = { 'series.read': read };
