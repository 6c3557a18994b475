import {
  findVersions,
  type Input,
  type Output,
  type ReadContext,
  requireTrace,
  toIso,
  toIsoOrNull,
} from '@mem-service/server/module';
import { attributeRuns, loadReadSets, versionIn } from '../attribution/index.ts';
import { namesOf } from '../evaluation/shown-memory.ts';
import { collectRuns, segmentsOf } from '../segments/index.ts';
import { compareTraces } from '../trace-navigation/index.ts';
import { nearestPassing } from './nearest-passing.ts';
import { onsetOf } from './rules/began.ts';
import * as words from './rules/words.ts';

export type Inquiry = Pick<Input<'investigations.run'>, 'agent_id' | 'trace_id' | 'judge_id' | 'since' | 'until'> & {
  by?: readonly string[] | undefined;
};
export type StepName = Exclude<Output<'investigations.run'>['step'], 'answer'>;
export type StepFinding = Pick<words.AnsweredStep, 'found' | 'suspect' | 'besides'> & { data: object };

const MAX_RUNS = 2_000;
const MAX_SHOWN = 5;
/** Some of them only restate the failure. */
const MAX_SEGMENTS = 20;
const MAX_CHANGES = 10;
/** Versions whose names are looked up to find those to be shown. */
const MAX_LOOKED_UP = 200;

export const STEPS: Record<StepName, (context: ReadContext, inquiry: Inquiry) => Promise<StepFinding>> = {
  segments: segmentsStep,
  attribution: attributionStep,
  divergence: divergenceStep,
  memory_changes: changesStep,
};

async function segmentsStep(context: ReadContext, inquiry: Inquiry): Promise<StepFinding> {
  const { agent_id, judge_id, since, until, by = [] } = inquiry;
  const input = { by: [...by], judge_id, agent_id, since, until, min_runs: MAX_SHOWN, limit: MAX_SEGMENTS };
  const found = await segmentsOf(context, input as Input<'segments.list'>);
  // What is asked for by name is shown, even if it only restates the failure.
  const causes = by.length > 0 ? found.segments : words.causesAmong(found.segments);
  const data = { ...found, segments: causes.slice(0, MAX_SHOWN) };
  if (data.fails.of === 0) return { found: words.aboutNoResults(inquiry, data.looked_at), data };
  return { found: words.aboutSegments(data), besides: (suspect) => words.aboutSegments(data, suspect), data };
}

async function attributionStep(context: ReadContext, inquiry: Inquiry): Promise<StepFinding> {
  const collected = await runsOf(context, inquiry);
  const { suspects, sets, failed, complete } = await attributeRuns(context, collected, MAX_SHOWN);
  const data = { suspects: suspects.map(({ memory }) => memory), failed, passed: sets.length - failed, complete };
  if (sets.length === 0) return { found: words.aboutNoResults(inquiry, collected.runs.length), data };
  return { found: words.aboutSuspects(data), suspect: words.leadingOf(data.suspects)[0], data };
}

async function divergenceStep(context: ReadContext, inquiry: Inquiry): Promise<StepFinding> {
  const { runs } = await runsOf(context, inquiry);
  const failing =
    inquiry.trace_id === undefined
      ? runs.find(({ failed }) => failed === true)
      : await requireTrace(context, inquiry.trace_id);
  const passing = failing && (await nearestPassing(context, failing, runs));
  if (!failing || !passing)
    return { found: `There is no ${failing ? 'passing' : 'failing'} trace to compare.`, data: {} };
  const trace_ids = [failing.trace_id, passing.trace_id];
  const compared = await compareTraces(context, { trace_ids, only_differences: true, limit: MAX_SHOWN });
  const { differences, first_divergence, steps, step_count, same_count } = compared;
  const data = { trace_ids, differences, first_divergence, steps, step_count, same_count };
  return { found: words.aboutDivergence(trace_ids, first_divergence?.because), data };
}

/** Memory that failing runs read since failures began, and no run had read before. */
async function changesStep(context: ReadContext, inquiry: Inquiry): Promise<StepFinding> {
  const { runs } = await runsOf(context, inquiry);
  const { sets } = await loadReadSets(context, runs);
  if (sets.length === 0) return { found: words.aboutNoResults(inquiry, runs.length), data: {} };
  const inOrder = sets.toReversed();
  const onset = onsetOf(inOrder.map(({ failed }) => failed));
  const first = onset && inOrder[onset.at];
  if (!onset || !first) return { found: 'No run failed.', data: {} };
  const known = new Set(inOrder.slice(0, onset.at).flatMap(({ reads }) => [...reads]));
  const readers = new Map<string, { failed: number; passed: number }>();
  for (const { failed, reads } of inOrder.slice(onset.at))
    for (const name of reads) {
      if (known.has(name)) continue;
      const counted = readers.get(name) ?? { failed: 0, passed: 0 };
      counted[failed ? 'failed' : 'passed'] += 1;
      readers.set(name, counted);
    }
  const excess = ({ failed, passed }: { failed: number; passed: number }) => failed - passed;
  const suspected = [...readers]
    .filter(([, { failed }]) => failed > 0)
    .sort(([, one], [, other]) => excess(other) - excess(one))
    .slice(0, MAX_LOOKED_UP);
  const changes = await describe(context, suspected);
  const { trace_id, created_at } = first.run;
  const { before, since } = onset;
  const data = { began_at: toIso(created_at), trace_id, before, since, changes };
  return { found: words.aboutChanges(data), besides: (suspect) => words.aboutChanges(data, suspect), data };
}

type ReadersOfVersion = readonly [name: string, readers: { failed: number; passed: number }];

async function describe(context: ReadContext, suspected: readonly ReadersOfVersion[]): Promise<words.MemoryChange[]> {
  const { scan, caller, services } = context;
  const numbers = suspected.map(([name]) => versionIn(name));
  const shown = await namesOf(
    { read: scan, caller, services },
    numbers.map((one) => [one]),
  );
  const versions = await findVersions(scan, caller.account_id, numbers);
  return suspected
    .flatMap(([, { failed, passed }], i) =>
      (shown[i] ?? []).map((name) => ({
        ...{
          ...name,
          written_by: versions[i]?.agent_id ?? null,
          written_at: toIsoOrNull(versions[i]?.written_at ?? null),
        },
        ...{ failing_readers: failed, passing_readers: passed },
      })),
    )
    .slice(0, MAX_CHANGES);
}

const runsOf = (context: ReadContext, { agent_id, judge_id, since, until }: Inquiry) =>
  collectRuns(context, { agent_id, judge_id, since, until }, MAX_RUNS);
