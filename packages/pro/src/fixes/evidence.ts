import {
  EVERYONE,
  Fault,
  listThatRead,
  listVersionsBehind,
  MAIN_BRANCH,
  requireTrace,
  type TraceHeader,
  toIso,
  viewerOf,
} from '@mem-service/server/module';
import { versionName } from '../attribution/index.ts';
import { listMatchSamples } from '../behaviors/index.ts';
import { findVerdicts, listFailures } from '../verdicts/index.ts';
import { type FixedEntryRow, type FixRow, readOneOf } from './queries.ts';
import type { FixReader, WholeFix } from './render.ts';
import type { HandoverEvidence, HandoverTrace } from './rules/handover-text.ts';

const MAX_TRACES = 3;
/** Of the newest failing runs, so many are asked whether they read what is to blame. */
const MAX_FAILURES = 200;
const MAX_LINES = 10_000;

type FailingRun = { trace_seq: number; trace_id: string };

/**
 * The trace that a fix was proposed from, and the newest failing runs before it was decided about that read what is to blame; where none
 * is known to have, the newest failing runs.
 */
export async function evidenceOf(
  reader: FixReader,
  row: FixRow,
  { fix, blamed }: { fix: WholeFix; blamed: readonly FixedEntryRow[] },
): Promise<HandoverEvidence> {
  const failing = await failingRuns(reader, row);
  const readers = await thatRead(reader, failing, blamed);
  const { trace_id } = fix.source;
  const own = trace_id === null ? [] : [{ trace_seq: row.source_seq, trace_id }];
  const others = (readers.length > 0 ? readers : failing).filter(({ trace_seq }) => trace_seq !== own[0]?.trace_seq);
  const named = [...own, ...others].slice(0, MAX_TRACES);
  return { traces: await describe(reader, row, named), isOfReaders: readers.length > 0 };
}

/** The runs that the judge failed, or that have the behavior, the newest first. */
function failingRuns({ read }: FixReader, row: FixRow): Promise<FailingRun[]> {
  const { account_id, judge_id, behavior_id, source_version, of_agent, decided_seq } = row;
  const group = { branch: MAIN_BRANCH, visible_to: EVERYONE, agent_id: of_agent === '' ? null : of_agent };
  const until = (decided_seq ?? Number.MAX_SAFE_INTEGER) - 1;
  const page = { account_id, from: 0, until, limit: MAX_FAILURES };
  if (behavior_id !== null)
    return listMatchSamples(read, { ...group, behavior_id, behavior_version: source_version }, page);
  if (judge_id === null) return Promise.resolve([]);
  return listFailures(read, { ...group, judge_id, judge_version: source_version }, page);
}

/** By their traces, and by what their outcomes rested on. */
async function thatRead(
  { read, caller, services }: FixReader,
  runs: readonly FailingRun[],
  blamed: readonly FixedEntryRow[],
): Promise<FailingRun[]> {
  if (runs.length === 0 || blamed.length === 0) return [];
  const { dialect } = services.database;
  const viewer = viewerOf({ caller });
  const names = new Set(blamed.map(versionName));
  const seqs = dialect.numbers(runs.map(({ trace_seq }) => trace_seq));
  const readers = await listThatRead(read, viewer, { seqs, where: [readOneOf(dialect, [...names])] });
  const lines = await listVersionsBehind(read, viewer, { seqs, after: [0, -1], limit: MAX_LINES });
  const found = new Set([...readers, ...lines.filter((line) => names.has(versionName(line)))].map(({ seq }) => seq));
  return runs.filter(({ trace_seq }) => found.has(trace_seq));
}

/** Those that the reader may see, with the reason of the judge where one failed them. */
async function describe(reader: FixReader, row: FixRow, runs: readonly FailingRun[]): Promise<HandoverTrace[]> {
  const { read, caller } = reader;
  const { account_id, judge_id, source_version: judge_version } = row;
  const names = judge_id === null ? [] : runs.map(({ trace_seq }) => ({ trace_seq, judge_id, judge_version }));
  const verdicts = await findVerdicts(read, account_id, names);
  const found: HandoverTrace[] = [];
  for (const [i, { trace_id }] of runs.entries()) {
    const verdict = verdicts[i];
    const isSeen = verdict && (verdict.visible_to === EVERYONE || verdict.visible_to === caller.agent_id);
    if (judge_id !== null && !isSeen) continue;
    const trace = await findTrace(reader, trace_id);
    if (!trace) continue;
    const { agent_id, created_at, header, visible_to, branch } = trace;
    const { task_input, response_text } = JSON.parse(header) as TraceHeader;
    found.push({
      ...{ trace_id, agent_id, at: toIso(created_at), reason: verdict?.reason ?? null },
      ...{ task_input, response_text },
      mayBeCase: visible_to === EVERYONE && branch === MAIN_BRANCH,
    });
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
