import type { TwoGroups } from '../../evaluation/rules/fisher.ts';
import { fisherGreater } from '../../evaluation/rules/fisher-greater.ts';
import { wilson } from '../../evaluation/rules/wilson.ts';

/** A trace that a judge looked at, or in which a behavior was looked for. */
export type TraceSample = { trace_seq: number; agent_id: string; failed: boolean };

/**
 * Why failures are more than usual. `excess`: more than in the traces before. `again`: more than before the incident, soon after it was
 * resolved. `from_start`: more than half, where too little came before to compare with.
 */
export const incidentRules = ['excess', 'again', 'from_start'] as const;
export type IncidentRule = (typeof incidentRules)[number];

/** A slow change shows in many traces only, a sudden one in few. */
const WINDOWS = [20, 40, 80, 160] as const;
export const MAX_WINDOW = 160;
export const MAX_BASE = 400;
const MIN_BASE = 30;
const MIN_FAILURES = 4;
const TIMES_BASE = 2;
const FIRST_SAMPLES = 10;
const FIRST_WINDOW = 20;
/** So many traces after a resolution count as soon after it. */
const SOON = 30;

/**
 * How improbable it has to be that chance alone made the difference. The rule is applied at each failure, so that it must be far below
 * the usual 5 %; after a resolution only few traces are looked at, and it may be more.
 */
export const MOST_CHANCE: Readonly<Record<'excess' | 'again', number>> = { excess: 0.0005, again: 0.02 };
/** The rate that a judge without a past must exceed, with 95 % confidence. */
export const FIRST_RATE = 0.5;

export type TracesCounted = { samples: number; failures: number };

/** Places of the traces in the log: of the window both ends belong to it, the base ends before `until`. */
export type ExcessFound = {
  rule: IncidentRule;
  from_seq: number;
  to_seq: number;
  base: { from_seq: number; until_seq: number } | undefined;
  failures: number;
};

export const chanceOf = (window: TracesCounted, base: TracesCounted): number => fisherGreater(groupsOf(window, base));

const groupsOf = (window: TracesCounted, base: TracesCounted): TwoGroups => ({
  ...{ a: window.failures, ofA: window.samples },
  ...{ b: base.failures, ofB: base.samples },
});

function isExcess(window: TracesCounted, base: TracesCounted, most: number): boolean {
  if (window.failures * base.samples < TIMES_BASE * base.failures * window.samples) return false;
  return chanceOf(window, base) < most;
}

/** Samples of one group, oldest first, with what precedes each counted. */
export type SampleRow = { samples: readonly TraceSample[]; failedBefore: readonly number[] };

export function sampleRowOf(samples: readonly TraceSample[]): SampleRow {
  const failedBefore = [0];
  for (const { failed } of samples) failedBefore.push((failedBefore.at(-1) as number) + Number(failed));
  return { samples, failedBefore };
}

const countBetween = ({ failedBefore }: SampleRow, from: number, until: number): TracesCounted => ({
  samples: until - from,
  failures: (failedBefore[until] as number) - (failedBefore[from] as number),
});

/** Whether the failures up to this place in the row are more than usual, and since when. */
export function excessAt(row: SampleRow, at: number): ExcessFound | undefined {
  const until = at + 1;
  if (until < WINDOWS[0] + MIN_BASE) return manyFromStart(row, until);
  for (const size of WINDOWS) {
    const from = until - size;
    const start = Math.max(0, from - MAX_BASE);
    if (from - start < MIN_BASE) break;
    const window = countBetween(row, from, until);
    if (window.failures < MIN_FAILURES || !isExcess(window, countBetween(row, start, from), MOST_CHANCE.excess))
      continue;
    const base = { from_seq: seqOf(row, start), until_seq: seqOf(row, from) };
    return { rule: 'excess', from_seq: base.until_seq, to_seq: seqOf(row, at), base, failures: window.failures };
  }
  return undefined;
}

const seqOf = ({ samples }: SampleRow, at: number): number => (samples[at] as TraceSample).trace_seq;

function manyFromStart(row: SampleRow, until: number): ExcessFound | undefined {
  if (until < FIRST_SAMPLES) return undefined;
  const from = Math.max(0, until - FIRST_WINDOW);
  const { samples, failures } = countBetween(row, from, until);
  if (wilson(failures, samples).low <= FIRST_RATE) return undefined;
  return { rule: 'from_start', from_seq: seqOf(row, from), to_seq: seqOf(row, until - 1), base: undefined, failures };
}

/** The base of an incident, with what was counted in it. */
export type EarlierBase = TracesCounted & { from_seq: number; until_seq: number };

/** The same after a resolution; the row begins there. */
export function excessAgain(row: SampleRow, at: number, earlier: EarlierBase): ExcessFound | undefined {
  const until = at + 1;
  if (until <= SOON && earlier.samples >= MIN_BASE) {
    const window = countBetween(row, 0, until);
    const { from_seq, until_seq } = earlier;
    if (isExcess(window, earlier, MOST_CHANCE.again))
      return {
        ...{ rule: 'again', from_seq: seqOf(row, 0), to_seq: seqOf(row, at) },
        ...{ base: { from_seq, until_seq }, failures: window.failures },
      };
  }
  return excessAt(row, at);
}

const MOST_OF_ONE = 2 / 3;

/** Whether failures are spread over agents; where most are of one, it is that agent's matter. */
export function isSpread({ samples }: SampleRow, { from_seq, to_seq }: ExcessFound): boolean {
  const counts = new Map<string, number>();
  for (const { trace_seq, agent_id, failed } of samples)
    if (failed && trace_seq >= from_seq && trace_seq <= to_seq) counts.set(agent_id, (counts.get(agent_id) ?? 0) + 1);
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return Math.max(0, ...counts.values()) <= MOST_OF_ONE * all;
}
