import { benjaminiHochberg } from './benjamini-hochberg.ts';
import { LEAST_FAILURES, MOST_BY_CHANCE } from './circumstances.ts';
import { explainSuspects, type SuspectExplanation, type TimedRun } from './explain.ts';
import { type Lift, liftOf } from './lift.ts';
import { twoProportions } from './two-proportions.ts';
import { type Rate, wilson } from './wilson.ts';

/** A run with the names of the versions that it read. */
export type ComparedRun = TimedRun & { reads: readonly string[] };

export type Suspect = {
  name: string;
  /** How many failed of the runs that read it, and of those that did not. */
  with_it: Rate;
  without_it: Rate;
  lift: Lift;
  /** How probable such a difference is by chance, given how many versions were compared. */
  p: number;
  /** Read by the very same runs: nothing tells them apart. */
  always_with: string[];
  /** It is suspect only because of this: runs that are alike in that fail as often without it. */
  explained_by: SuspectExplanation | null;
};

/** Versions that are looked at closely: those with the most failures above the average. */
const MAX_COMPARED = 300;
/** Suspects for which it is asked what explains them: the surest. */
const MAX_EXPLAINED = 50;
/** Runs between two pauses. */
const STEP = 50;

/**
 * The versions that failing runs read more often than passing ones, the surest first: by the low end of the interval of
 * the lift. Those that something else explains are marked, and come last. In steps, as there may be many runs.
 */
export function* attributeFailures(runs: readonly ComparedRun[], limit: number): Generator<void, Suspect[]> {
  const readers = yield* readersOf(runs);
  const failed = runs.filter((run) => run.failed).length;
  const rate = failed / Math.max(1, runs.length);
  const often = [...readers].filter(([, those]) => those.length >= LEAST_FAILURES);
  const compared = often
    .map(([name, those]) => ({ name, those, failures: countFailed(runs, those) }))
    .filter(({ failures, those }) => failures >= LEAST_FAILURES && failures > rate * those.length)
    .sort((one, other) => excess(other, rate) - excess(one, rate) || byName(one, other))
    .slice(0, MAX_COMPARED);
  const found: ComparedVersion[] = [];
  for (const { name, those, failures } of compared) {
    const group = { a: failures, ofA: those.length, b: failed - failures, ofB: runs.length - those.length };
    const [with_it, without_it] = [wilson(group.a, group.ofA), wilson(group.b, group.ofB)];
    found.push({ name, those, with_it, without_it, lift: liftOf(group), p: twoProportions(group).p });
    yield;
  }
  // Those that were not looked at closely were compared too: by chance, one of many always stands out.
  const chances = often.map((_, at) => found[at]?.p ?? 1);
  const adjusted = benjaminiHochberg(chances);
  const suspects = found
    .map((suspect, at) => ({ ...suspect, p: adjusted[at] as number }))
    .filter(({ p, lift }) => p <= MOST_BY_CHANCE && lift.low > 1)
    .sort((one, other) => other.lift.low - one.lift.low || one.p - other.p || byName(one, other));
  const joined = joinInseparable(suspects).slice(0, MAX_EXPLAINED);
  const explained = yield* explainSuspects(runs, joined, often.length);
  return joined
    .map(({ those: _, ...suspect }, at) => ({ ...suspect, explained_by: explained[at] ?? null }))
    .sort((one, other) => Number(one.explained_by !== null) - Number(other.explained_by !== null))
    .slice(0, limit);
}

type HasName = { name: string };
const byName = (one: HasName, other: HasName): number => (one.name < other.name ? -1 : 1);

/** For each version the places of the runs that read it. */
function* readersOf(runs: readonly ComparedRun[]): Generator<void, Map<string, number[]>> {
  const readers = new Map<string, number[]>();
  for (const [at, { reads }] of runs.entries()) {
    for (const name of new Set(reads)) {
      const those = readers.get(name);
      if (those) those.push(at);
      else readers.set(name, [at]);
    }
    if (at % STEP === 0) yield;
  }
  return readers;
}

const countFailed = (runs: readonly ComparedRun[], those: readonly number[]): number =>
  those.reduce((sum, at) => sum + Number(runs[at]?.failed), 0);

/** How many failures more than the average would have made, in standard deviations. */
const excess = ({ failures, those }: { failures: number; those: readonly number[] }, rate: number): number =>
  (failures - rate * those.length) / Math.sqrt(Math.max(1e-9, those.length * rate * (1 - rate)));

type ComparedVersion = Omit<Suspect, 'always_with' | 'explained_by'> & { those: readonly number[] };
type Joined = ComparedVersion & { always_with: string[] };

/** Versions that the same runs read are one suspect with several names. */
function joinInseparable(suspects: readonly ComparedVersion[]): Joined[] {
  const joined = new Map<string, Joined>();
  for (const suspect of suspects) {
    const runs = suspect.those.join();
    const same = joined.get(runs);
    if (same) same.always_with.push(suspect.name);
    else joined.set(runs, { ...suspect, always_with: [] });
  }
  return [...joined.values()];
}
