import { type Excess, excessWithin } from './excess-within.ts';
import { firstInOrder } from './first-in-order.ts';
import type { TwoGroups } from './fisher.ts';

/** A run: how it ended, and by name what it did and was beside what it read, such as the tools that it called. */
export type RunInCircumstances = { failed: boolean; circumstances?: readonly string[] };

/** Something that runs fail with more often; 1 for each run that has it. */
export type Circumstance = { name: string; has: Uint8Array };

/** Beyond this, a difference is taken for chance. */
export const MOST_BY_CHANCE = 0.05;
/** Fewer failures than these say nothing. */
export const LEAST_FAILURES = 3;
/** What hardly any run passes with may be how a run ended, not what it did: it explains nothing. */
const LEAST_PASSING = 0.1;
/** Those that are looked at closely: those of the most failing runs. */
const MAX_COMPARED = 200;
/** Each divides all groups of runs in two. */
const MAX_CHOSEN = 3;
/** Runs between two pauses. */
const STEP = 50;

/** What many runs have, and those that have it. */
export function* commonCircumstances(runs: readonly RunInCircumstances[]): Generator<void, Circumstance[]> {
  const having = new Map<string, number[]>();
  for (const [at, { circumstances = [] }] of runs.entries()) {
    for (const name of new Set(circumstances)) {
      const those = having.get(name);
      if (those) those.push(at);
      else having.set(name, [at]);
    }
    if (at % STEP === 0) yield;
  }
  const failures = (those: readonly number[]) => those.filter((at) => runs[at]?.failed).length;
  const counted = [...having]
    .map(([name, those]) => ({ name, those, failures: failures(those) }))
    .filter((one) => one.failures >= LEAST_FAILURES && one.those.length < runs.length);
  const first = yield* firstInOrder(counted, MAX_COMPARED, (one, other) => other.failures - one.failures);
  return first.map(({ name, those }) => ({ name, has: markedIn(runs.length, those) }));
}

/**
 * Those that failures come with, beyond chance, each also among runs that are alike in those before it; the surest first. Some runs are
 * left out.
 */
export function* chooseCircumstances(
  runs: readonly RunInCircumstances[],
  common: readonly Circumstance[],
  without: Uint8Array,
): Generator<void, Circumstance[]> {
  let left = common.filter(({ has }) => mayBeCause(runs, { has, without }));
  const chosen: Circumstance[] = [];
  while (chosen.length < MAX_CHOSEN) {
    const strata = strataOf(runs.length, chosen);
    let best: { one: Circumstance; p: number } | undefined;
    for (const one of left) {
      const { isMore, p } = excessOf(runs, { has: one.has, strata, without });
      if (isMore && (!best || p < best.p)) best = { one, p };
      yield;
    }
    // By chance, one of many always stands out.
    if (!best || best.p * common.length > MOST_BY_CHANCE) break;
    const { one } = best;
    chosen.push(one);
    left = left.filter((other) => other !== one);
  }
  return chosen;
}

/** Whether runs that have it fail more often, if often enough to say so, and some pass. */
export function mayBeCause(
  runs: readonly { failed: boolean }[],
  { has, without }: { has: Uint8Array; without: Uint8Array },
): boolean {
  const { a, ofA, b, ofB } = groupsIn(runs, { has, without })[0] ?? NONE;
  return a >= LEAST_FAILURES && ofA - a >= LEAST_PASSING * ofA && a * ofB > b * ofA;
}

export function markedIn(length: number, those: readonly number[]): Uint8Array {
  const marks = new Uint8Array(length);
  for (const at of those) marks[at] = 1;
  return marks;
}

/** Runs with the same number are alike in all of these. */
export function strataOf(length: number, some: readonly { has: Uint8Array }[]): Uint8Array {
  const strata = new Uint8Array(length);
  for (const [bit, { has }] of some.entries())
    for (let at = 0; at < length; at++) strata[at] = (strata[at] as number) | ((has[at] as number) << bit);
  return strata;
}

type ComparedMarks = {
  has: Uint8Array;
  /** Only runs that are alike are compared. */
  strata?: Uint8Array;
  /** Runs that are left out. */
  without?: Uint8Array;
};

/** Whether the runs that have something fail more often than the others, and how probable that is by chance. */
export const excessOf = (runs: readonly { failed: boolean }[], marks: ComparedMarks): Excess =>
  excessWithin(groupsIn(runs, marks));

const NONE: TwoGroups = { a: 0, ofA: 0, b: 0, ofB: 0 };

function groupsIn(runs: readonly { failed: boolean }[], { has, strata, without }: ComparedMarks): TwoGroups[] {
  const groups = new Map<number, TwoGroups>();
  for (const [at, { failed }] of runs.entries()) {
    if (without?.[at]) continue;
    const no = strata?.[at] ?? 0;
    const group = groups.get(no) ?? { ...NONE };
    groups.set(no, group);
    group[has[at] ? 'ofA' : 'ofB'] += 1;
    if (failed) group[has[at] ? 'a' : 'b'] += 1;
  }
  return [...groups.values()];
}
