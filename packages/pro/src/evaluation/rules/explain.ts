import {
  type Circumstance,
  chooseCircumstances,
  commonCircumstances,
  excessOf,
  MOST_BY_CHANCE,
  markedIn,
  mayBeCause,
  type RunInCircumstances,
  strataOf,
} from './circumstances.ts';
import type { Excess } from './excess-within.ts';

/** A run with its place in time, where that is known. */
export type TimedRun = RunInCircumstances & { at?: number };

/** Why a version is suspect, if not for itself: the name of another version, a circumstance, or the time since it was first read. */
export type SuspectExplanation = string | { circumstance: string } | { since: number };

type ReadVersion = { name: string; those: readonly number[] };

/** Runs that have something in common: `has` is 1 for each of them. */
type ExplainingRuns = { has: Uint8Array; explanation: SuspectExplanation };

/** What was read so often since then only is as new. */
const NEARLY_ALWAYS = 0.9;

/**
 * For each suspect, the surest first, what explains it: null where it is suspect also among runs that were in the same circumstances, and
 * that read none of those before it. `compared` versions were looked at to find them.
 */
export function* explainSuspects(
  runs: readonly TimedRun[],
  suspects: readonly ReadVersion[],
  compared: number,
): Generator<void, (SuspectExplanation | null)[]> {
  const common = yield* commonCircumstances(runs);
  const marks = suspects.map(({ those }) => markedIn(runs.length, those));
  const without = new Uint8Array(runs.length);
  let chosen = yield* chooseCircumstances(runs, common, without);
  const leaders: ExplainingRuns[] = [];
  const explained: (SuspectExplanation | null)[] = [];
  for (const [no, { name }] of suspects.entries()) {
    const has = marks[no] as Uint8Array;
    const around = [...circumstancesOf(runs, { has, without }, chosen), ...timeOf(runs, { has, without }, marks)];
    const { isMore, p } = excessOf(runs, { has, without, strata: strataOf(runs.length, around) });
    const known = [...around, ...leaders];
    // As many were compared, the surest has to be surer than the second, and so on: as Benjamini and Hochberg have it.
    if (known.length > 0 && !(isMore && p * compared <= MOST_BY_CHANCE * (leaders.length + 1)))
      explained.push(closest(runs, has, known)?.explanation ?? null);
    else {
      leaders.push({ has, explanation: name });
      for (let at = 0; at < runs.length; at++) without[at] = (without[at] as number) | (has[at] as number);
      chosen = yield* chooseCircumstances(runs, common, without);
      explained.push(null);
    }
    yield;
  }
  return explained;
}

const isSuspect = ({ isMore, p }: Excess): boolean => isMore && p <= MOST_BY_CHANCE;

type Readers = { has: Uint8Array; without: Uint8Array };

/** Those that runs fail with also where they did not read the version: others may be what came of reading it. */
function circumstancesOf(
  runs: readonly TimedRun[],
  { has: readers, without }: Readers,
  chosen: readonly Circumstance[],
): ExplainingRuns[] {
  const others = eitherOf(readers, without);
  return chosen
    .filter(({ has }) => mayBeCause(runs, { has, without: others }))
    .map(({ has, name }) => ({ has, explanation: { circumstance: name } }));
}

/** The time since it was first read, if runs of that time fail more often that read neither it nor another suspect that is as new. */
function timeOf(
  runs: readonly TimedRun[],
  { has: readers, without }: Readers,
  marks: readonly Uint8Array[],
): ExplainingRuns[] {
  const times = runs.flatMap(({ at = 0 }, i) => (readers[i] ? [at] : []));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  // What fails after its last reader says nothing about its readers.
  const has = Uint8Array.from(runs, ({ at = 0 }) => Number(at >= first && at <= last));
  const isAsNew = (other: Uint8Array) => countBoth(other, has) >= NEARLY_ALWAYS * countBoth(other, other);
  const others = marks.filter(isAsNew).reduce(eitherOf, eitherOf(readers, without));
  return isSuspect(excessOf(runs, { has, without: others })) ? [{ has, explanation: { since: first } }] : [];
}

const eitherOf = (one: Uint8Array, other: Uint8Array): Uint8Array =>
  one.map((mark, at) => mark | (other[at] as number));

const countBoth = (one: Uint8Array, other: Uint8Array): number =>
  one.reduce((sum, mark, at) => sum + (mark & (other[at] as number)), 0);

/** That which most of the failing readers have too. */
function closest(
  runs: readonly TimedRun[],
  readers: Uint8Array,
  known: readonly ExplainingRuns[],
): ExplainingRuns | undefined {
  const shared = ({ has }: ExplainingRuns) => runs.filter(({ failed }, at) => failed && readers[at] && has[at]).length;
  const [first] = known.map((one) => ({ one, n: shared(one) })).sort((a, b) => b.n - a.n);
  return first?.one;
}
