import { benjaminiHochberg } from './benjamini-hochberg.ts';
import { type Lift, liftOf } from './lift.ts';
import { twoProportions } from './two-proportions.ts';
import { type Rate, wilson } from './wilson.ts';

/** A run: how it ended, and the names of the versions that it read. */
export type ComparedRun = { failed: boolean; reads: readonly string[] };

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
  /** It is suspect only because it was read together with this one. */
  explained_by: string | null;
};

/** Fewer failures than these say nothing. */
export const LEAST_FAILURES = 3;
/** Beyond this, a difference is taken for chance. */
export const MOST_BY_CHANCE = 0.05;
/** Versions that are looked at closely: those with the most failures above the average. */
const MAX_COMPARED = 300;
/** Runs between two pauses. */
const STEP = 50;

/**
 * The versions that failing runs read more often than passing ones, the surest first: by the low end of the interval of
 * the lift. A version that was only read together with another one is marked. In steps, as there may be many runs.
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
  return yield* explain(runs, joinInseparable(suspects).slice(0, limit));
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

/** A suspect that is none any more in the runs without the ones before it is explained by them. */
function* explain(runs: readonly ComparedRun[], suspects: readonly Joined[]): Generator<void, Suspect[]> {
  const leaders: { name: string; those: Set<number> }[] = [];
  const isLed = new Uint8Array(runs.length);
  const explained: Suspect[] = [];
  for (const { those, ...suspect } of suspects) {
    if (leaders.length === 0 || isSuspectBeside(runs, those, isLed)) {
      leaders.push({ name: suspect.name, those: new Set(those) });
      for (const at of those) isLed[at] = 1;
      explained.push({ ...suspect, explained_by: null });
    } else {
      const overlap = (leader: Set<number>) => those.filter((at) => runs[at]?.failed && leader.has(at)).length;
      const [first] = leaders.toSorted((one, other) => overlap(other.those) - overlap(one.those));
      explained.push({ ...suspect, explained_by: first?.name ?? null });
    }
    yield;
  }
  return explained;
}

/** Whether it is suspect in the runs that are not led astray by another one already. */
function isSuspectBeside(runs: readonly ComparedRun[], those: readonly number[], isLed: Uint8Array): boolean {
  let [failed, all] = [0, 0];
  for (const [at, run] of runs.entries()) {
    if (isLed[at]) continue;
    all += 1;
    failed += Number(run.failed);
  }
  const own = those.filter((at) => !isLed[at]);
  const a = countFailed(runs, own);
  const group = { a, ofA: own.length, b: failed - a, ofB: all - own.length };
  return twoProportions(group).p <= MOST_BY_CHANCE && liftOf(group).low > 1;
}
