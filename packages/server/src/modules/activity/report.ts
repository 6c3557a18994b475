import { invalidInput, type Output } from '@mem-service/contract';
import { type CallTally, dayOf, pageBytes, type ReadContext, reads } from '../../kernel/index.ts';
import { countEntries } from '../counts/index.ts';
import { countKeys } from '../keys/index.ts';
import { countTraces } from '../traces/index.ts';
import * as queries from './queries.ts';
import { type Histogram, latencyOf } from './rules/percentile.ts';

type UsageReport = Output<'usage.read'>;
const DAY_MS = 86_400_000;
const MAX_DAYS = 400;

export const report = reads<'usage.read'>(async (context, { group_by, limit, ...given }) => {
  const { caller, scan, services, now } = context;
  const { account_id } = caller;
  await services.activity.flush(account_id);
  const today = dayOf(now);
  const month = `${today.slice(0, 8)}01`;
  const range = { account_id, ...rangeOf(given, { today, month }) };
  const [days, latencies, top_agents, top_paths, thisMonth] = await Promise.all([
    queries.listUsage(scan, range, 'all'),
    queries.listUsage(scan, range, 'latency'),
    queries.listTop(scan, range, { kind: 'agent', limit }),
    queries.listTop(scan, range, { kind: 'path', limit }),
    queries.listUsage(scan, { account_id, from: month, to: today }, 'all'),
  ]);
  const ofMonth = sum(thisMonth);
  const ofToday = sum(thisMonth.filter(({ day }) => day === today));
  const shown = group_by === 'agent' ? top_agents : top_paths;
  const series =
    group_by === 'day'
      ? daySeries(days, latencies)
      : await namedSeries(context, range, { kind: group_by, names: shown.map(({ name }) => name) });
  return {
    from: range.from,
    to: range.to,
    requests_today: ofToday.requests,
    requests_this_month: ofMonth.requests,
    ops_today: ofToday.ops,
    ops_this_month: ofMonth.ops,
    ...sum(days),
    peak_rpm: Math.max(0, ...days.map(({ peak }) => peak)),
    latency_ms: latencyOf(histogramOf(latencies)),
    quotas: await quotasOf(context, ofMonth.ops),
    top_agents: top_agents.map(({ name, ...tally }) => ({ agent_id: name, ...tally })),
    top_paths: top_paths.map(({ name, ...tally }) => ({ entity_path: name, ...tally })),
    group_by,
    series,
  };
});

type GivenRange = { from?: string | undefined; to?: string | undefined };

function rangeOf(given: GivenRange, { today, month }: { today: string; month: string }): { from: string; to: string } {
  const { to = today } = given;
  const from = given.from ?? (to < month ? `${to.slice(0, 8)}01` : month);
  if (from > to) throw invalidInput([{ path: 'from', message: 'must not be after to' }]);
  if (Date.parse(to) - Date.parse(from) > MAX_DAYS * DAY_MS)
    throw invalidInput([{ path: 'from', message: `must not be more than ${MAX_DAYS} days before to` }]);
  return { from, to };
}

function sum(rows: readonly CallTally[]): CallTally {
  const all = { requests: 0, reads: 0, writes: 0, ops: 0, errors: 0 };
  for (const row of rows) for (const name of Object.keys(all) as (keyof CallTally)[]) all[name] += row[name];
  return all;
}

function histogramOf(rows: readonly queries.UsageRow[]): Histogram {
  const histogram = new Map<number, number>();
  for (const { name, requests } of rows) histogram.set(Number(name), (histogram.get(Number(name)) ?? 0) + requests);
  return histogram;
}

const tallyOf = ({ requests, reads, writes, ops, errors }: CallTally): CallTally => ({
  requests,
  reads,
  writes,
  ops,
  errors,
});

const daySeries = (days: readonly queries.UsageRow[], latencies: readonly queries.UsageRow[]): UsageReport['series'] =>
  days.map((row) => ({
    day: row.day,
    name: null,
    ...tallyOf(row),
    peak_rpm: row.peak,
    latency_ms: latencyOf(histogramOf(latencies.filter(({ day }) => day === row.day))),
  }));

type SeriesNames = { kind: 'agent' | 'path'; names: readonly string[] };

async function namedSeries(context: ReadContext, range: queries.DayRange, { kind, names }: SeriesNames) {
  const { scan, dialect, services } = context;
  const wanted = { kind, names: dialect.texts(names), bytes: pageBytes(services) };
  const { rows, more } = await queries.listSeries(scan, range, wanted);
  if (more) throw invalidInput([{ path: 'from', message: 'is too far back for so many long names; lower the limit' }]);
  return rows.map((row) => ({
    day: row.day,
    name: row.name === '' ? null : row.name,
    ...tallyOf(row),
    peak_rpm: null,
    latency_ms: null,
  }));
}

async function quotasOf(context: ReadContext, ops: number): Promise<UsageReport['quotas']> {
  const { scan, caller, now, services } = context;
  const { account_id } = caller;
  const [standing, entries, traces, keys] = await Promise.all([
    services.meter?.planUsage(account_id),
    countEntries(scan, account_id),
    countTraces(scan, account_id),
    countKeys(scan, account_id, now),
  ]);
  // Where ops are metered, the quota is about what the meter counted, which includes usage recorded from elsewhere.
  const counts = { ops: standing?.ops_used ?? ops, entries, traces, api_keys: keys } as const;
  const names = Object.keys(counts) as (keyof typeof counts)[];
  // Plans limit only ops.
  const limitOf = (name: string) => (name === 'ops' ? (standing?.ops_limit ?? null) : null);
  return names.map((name) => ({ name, current: counts[name], limit: limitOf(name) }));
}
