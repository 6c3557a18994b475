import {
  findTraces,
  fromIso,
  type Handlers,
  listReadable,
  type ReadContext,
  reads,
  type Sql,
  seqAt,
  sql,
  toIso,
  viewerOf,
} from '@mem-service/server/module';
import { confusionOf, detectionOf, type LabelledResult } from '../evaluation/index.ts';
import { requireJudge, requireVersion } from '../judges/index.ts';
import { findVerdicts, type VerdictRow } from './queries.ts';
import { type BareVerdict, listBare, listLabels, listOfTraces, type TraceLabel } from './report-queries.ts';
import { agreementsWith, isDecided } from './rules/agreement.ts';
import { newestVersions } from './rules/newest-versions.ts';
import { summaryOf } from './rules/summary.ts';

const MAX_LABELS = 2000;
const MAX_COMPARED_TRACES = 1000;
/** Of all judges together, in these traces. */
const MAX_COMPARED_VERDICTS = 20_000;
const USUAL_DAYS = 7;
const DAY_MS = 86_400_000;

type AskedTimes = { since?: string | undefined; until?: string | undefined };

async function sealedWithin({ read, caller }: ReadContext, { since, until }: AskedTimes): Promise<Sql[]> {
  const seqOf = (time: string) => seqAt(read, caller.account_id, fromIso(time));
  return [
    ...(since === undefined ? [] : [sql`trace_seq >= ${await seqOf(since)}`]),
    ...(until === undefined ? [] : [sql`trace_seq < ${await seqOf(until)}`]),
  ];
}

/** Verdicts on traces that the caller may see, on branches that it may read. */
async function listSeen(context: ReadContext, where: readonly Sql[], limit: number): Promise<readonly BareVerdict[]> {
  const { scan, dialect } = context;
  const { rows } = await listReadable(context, { columns: ['branch'], dialect }, async (branches) => ({
    rows: await listBare(scan, viewerOf(context), { where: [...where, ...branches], limit }),
  }));
  return rows;
}

const summarize = reads<'verdicts.summarize'>(async (context, { agent_id, since, until }) => {
  const { now, services } = context;
  const end = until === undefined ? now : fromIso(until);
  const start = since === undefined ? end - USUAL_DAYS * DAY_MS : fromIso(since);
  const where = await sealedWithin(context, { since: toIso(start), until });
  if (agent_id !== undefined) where.push(sql`agent_id = ${agent_id}`);
  const limit = services.limits.max_scanned_entries;
  const listed = await listSeen(context, where, limit + 1);
  const rows = listed.slice(0, limit);
  const { trend, ...rest } = summaryOf(newestVersions(rows), { since: start, until: Math.max(start + 1, end) });
  const oldest = listed.length > limit ? rows.at(-1) : undefined;
  return {
    since: toIso(start),
    until: toIso(end),
    complete_since: oldest ? toIso(oldest.traced_at) : null,
    ...rest,
    trend: trend.map((part) => ({ ...part, since: toIso(part.since), until: toIso(part.until) })),
  };
});

const detectionRate = reads<'judges.detection_rate'>(async (context, input) => {
  const { read, scan, caller } = context;
  const { account_id } = caller;
  const { judge_id } = input;
  const judge = await requireJudge(read, account_id, judge_id);
  const { judge_version = judge.version } = input;
  if (judge_version !== judge.version) await requireVersion(read, account_id, { judge_id, version: judge_version });
  const where = await sealedWithin(context, input);
  const listed = await listLabels(scan, viewerOf(context), { judge_id, where, limit: MAX_LABELS + 1 });
  const labels = await onReadableBranches(context, listed.slice(0, MAX_LABELS));
  const keys = labels.map(({ trace_seq }) => ({ trace_seq, judge_id, judge_version }));
  const pairs = pairsOf(labels, await findVerdicts(scan, account_id, keys));
  return {
    ...{ judge_id, judge_version },
    ...{ labelled: labels.length, undecided: labels.length - pairs.length, complete: listed.length <= MAX_LABELS },
    ...detectionOf(confusionOf(pairs)),
    judges: await agreements(context, [sql`judge_id = ${judge_id}`, ...where], judge_version),
  };
});

async function onReadableBranches(
  { scan, caller, services }: ReadContext,
  labels: readonly TraceLabel[],
): Promise<readonly TraceLabel[]> {
  const branches = await services.branchAccess.readable(caller);
  if (!branches) return labels;
  const seqs = labels.map(({ trace_seq }) => trace_seq);
  const traces = await findTraces(scan, caller.account_id, seqs);
  return labels.filter((_, i) => branches.has(traces[i]?.branch ?? ''));
}

/** What a version of the judge and people found in the same traces. */
const pairsOf = (labels: readonly TraceLabel[], found: readonly (VerdictRow | undefined)[]): LabelledResult[] =>
  labels.flatMap(({ result: label }, i) => {
    const result = found[i]?.judge_result ?? '';
    return isDecided(result) && isDecided(label) ? [{ found: result, label }] : [];
  });

async function agreements(context: ReadContext, where: readonly Sql[], version: number) {
  const { scan, dialect, caller, services } = context;
  const seen = await listSeen(context, where, services.limits.max_scanned_entries);
  const own = seen
    .filter(({ judge_version, judge_result }) => judge_version === version && isDecided(judge_result))
    .slice(0, MAX_COMPARED_TRACES);
  const [judge_id] = own.map((one) => one.judge_id);
  const listed = dialect.numbers(own.map(({ trace_seq }) => trace_seq));
  const found = await listOfTraces(scan, { account_id: caller.account_id, listed, limit: MAX_COMPARED_VERDICTS });
  return agreementsWith(
    own,
    newestVersions(found).filter((one) => one.judge_id !== judge_id),
  );
}

export const reportHandlers: Handlers = { 'verdicts.summarize': summarize, 'judges.detection_rate': detectionRate };
