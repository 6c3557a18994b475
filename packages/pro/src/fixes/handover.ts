import {
  EVERYONE,
  Fault,
  findVersionTexts,
  fromDocument,
  MAIN_BRANCH,
  pause,
  requireTrace,
  type TraceHeader,
  toIso,
  type VersionNumber,
} from '@mem-service/server/module';
import { getBehavior, listMatchSamples } from '../behaviors/index.ts';
import { listCases } from '../cases/index.ts';
import { requireVersion } from '../judges/index.ts';
import { findVerdicts, listFailures } from '../verdicts/index.ts';
import type { FixRow } from './queries.ts';
import { type FixReader, seenEntries, type WholeFix } from './render.ts';
import {
  type Handover,
  type HandoverCase,
  type HandoverEntry,
  type HandoverTrace,
  handoverText,
} from './rules/handover-text.ts';

const MAX_TRACES = 3;
const MAX_CASES = 20;
const CASE_BYTES = 256 * 1024;

/** The hand-over of a fix, with what the reader may see of it now. */
export async function handoverOf(reader: FixReader, row: FixRow, fix: WholeFix): Promise<string> {
  const { fix_id, branch, status, policy, set_id, summary, description } = fix;
  const parts: Handover = {
    ...{ fix_id, branch, status, policy, set_id, summary, description },
    incident_id: fix.source.incident_id,
    judge: await judgeOf(reader, row),
    behavior: await behaviorOf(reader, row),
    traces: row.behavior_id === null ? await tracesOf(reader, row, fix) : await matchedTraces(reader, row),
    entries: await entriesOf(reader, row),
    cases: { all: fix.replay.cases, shown: await casesOf(reader, row) },
    replay: fix.replay.reason,
  };
  return handoverText(parts);
}

const versionOf = ({ source_kind, source_version }: FixRow): number => (source_kind === 'entry' ? 0 : source_version);

async function judgeOf({ read }: FixReader, row: FixRow): Promise<Handover['judge']> {
  const { account_id, judge_id } = row;
  if (judge_id === null) return null;
  try {
    const version = versionOf(row);
    const { definition } = await requireVersion(read, account_id, { judge_id, version });
    return { judge_id, version, definition };
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

/** As it is now: a behavior keeps no earlier versions. */
async function behaviorOf({ read }: FixReader, { account_id, behavior_id }: FixRow): Promise<Handover['behavior']> {
  const row = behavior_id === null ? undefined : await getBehavior(read, account_id, behavior_id);
  return row ? { behavior_id: row.behavior_id, version: row.version, matcher: row.matcher } : null;
}

/** The newest traces with the behavior before it was decided about. */
async function matchedTraces(
  reader: FixReader,
  { account_id, behavior_id, source_version, of_agent, decided_seq }: FixRow,
): Promise<HandoverTrace[]> {
  const group = {
    ...{
      behavior_id: behavior_id as string,
      behavior_version: source_version,
      branch: MAIN_BRANCH,
      visible_to: EVERYONE,
    },
    agent_id: of_agent === '' ? null : of_agent,
  };
  const until = (decided_seq ?? Number.MAX_SAFE_INTEGER) - 1;
  const matched = await listMatchSamples(reader.read, group, { account_id, from: 0, until, limit: MAX_TRACES });
  const found: HandoverTrace[] = [];
  for (const { trace_id } of matched) {
    const trace = await findTrace(reader, trace_id);
    if (trace) found.push(toTrace(trace, null));
  }
  return found;
}

type ReadableTrace = NonNullable<Awaited<ReturnType<typeof findTrace>>>;

function toTrace({ trace_id, agent_id, created_at, header }: ReadableTrace, reason: string | null): HandoverTrace {
  const { task_input, response_text } = JSON.parse(header) as TraceHeader;
  return { trace_id, agent_id, at: toIso(created_at), reason, task_input, response_text };
}

/** The trace that it was proposed from, and the newest others that the judge failed before it was decided about. */
async function tracesOf(reader: FixReader, row: FixRow, fix: WholeFix): Promise<HandoverTrace[]> {
  const { read, caller } = reader;
  const { account_id, judge_id, of_agent, decided_seq, source_seq } = row;
  if (judge_id === null) return [];
  const judge_version = versionOf(row);
  const group = {
    ...{ judge_id, judge_version, branch: MAIN_BRANCH, visible_to: EVERYONE },
    agent_id: of_agent === '' ? null : of_agent,
  };
  const until = (decided_seq ?? Number.MAX_SAFE_INTEGER) - 1;
  const failed = await listFailures(read, group, { account_id, from: 0, until, limit: MAX_TRACES });
  const first = fix.source.trace_id === null ? [] : [{ trace_seq: source_seq, trace_id: fix.source.trace_id }];
  const named = [...first, ...failed.filter(({ trace_seq }) => trace_seq !== source_seq)].slice(0, MAX_TRACES);
  const verdicts = await findVerdicts(
    read,
    account_id,
    named.map(({ trace_seq }) => ({ trace_seq, judge_id, judge_version })),
  );
  const found: HandoverTrace[] = [];
  for (const [i, { trace_id }] of named.entries()) {
    const verdict = verdicts[i];
    const isSeen = verdict && (verdict.visible_to === EVERYONE || verdict.visible_to === caller.agent_id);
    const trace = isSeen ? await findTrace(reader, trace_id) : undefined;
    if (!trace || !verdict) continue;
    found.push(toTrace(trace, verdict.reason));
  }
  return found;
}

async function findTrace(reader: FixReader, traceId: string) {
  try {
    return await requireTrace(reader, traceId);
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return undefined;
    throw error;
  }
}

async function entriesOf(reader: FixReader, row: FixRow): Promise<HandoverEntry[]> {
  const seen = await seenEntries(reader, row);
  const values = (numbers: readonly VersionNumber[]) => valuesOf(reader, row, numbers);
  const blamed = await values(seen.map(({ row: { entry_id, version } }) => ({ entry_id, version })));
  const corrected = await values(
    seen.map(({ row: { branch_entry_id, branch_version } }) => ({
      entry_id: branch_entry_id,
      version: branch_version,
    })),
  );
  return seen.map(({ entry, isHeld }, i) => ({
    ...entry,
    blamed_value: isHeld ? null : (blamed[i] ?? null),
    branch_value: isHeld ? null : (corrected[i] ?? null),
  }));
}

/** Values may have a megabyte each, and only the first characters of each are shown. */
const VALUES_AT_ONCE = 4;
const CHARS_OF_VALUE = 10_000;

/** The beginnings of values as JSON; null for a deletion, and where a version was erased. */
async function valuesOf(
  { read }: FixReader,
  { account_id }: FixRow,
  numbers: readonly VersionNumber[],
): Promise<(string | null)[]> {
  const values: (string | null)[] = [];
  for (let at = 0; at < numbers.length; at += VALUES_AT_ONCE) {
    const texts = await findVersionTexts(read, account_id, numbers.slice(at, at + VALUES_AT_ONCE));
    for (const text of texts)
      values.push(!text || text.deleted === 1 ? null : (fromDocument(text).value?.slice(0, CHARS_OF_VALUE) ?? null));
    await pause();
  }
  return values;
}

async function casesOf({ read }: FixReader, { account_id, set_id }: FixRow): Promise<HandoverCase[]> {
  const page = { account_id, set_id, after: [set_id, ''] as const, limit: MAX_CASES, bytes: CASE_BYTES };
  const { rows } = await listCases(read, page);
  return rows.map(({ case_id, name, task_input }) => ({ case_id, name, task_input }));
}
