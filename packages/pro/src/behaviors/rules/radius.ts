import { type ShareDifference, twoProportions } from '../../evaluation/rules/two-proportions.ts';
import { type Rate, wilson } from '../../evaluation/rules/wilson.ts';

/** A trace in which a behavior was looked for; `failed` is null without an outcome. */
export type SoughtRun = { has_it: boolean; failed: boolean | null; created_at: number };

/** Beyond this, a difference is taken for chance. */
const MOST_BY_CHANCE = 0.05;
/** Of fewer traces in a half nothing is concluded. */
const LEAST_IN_HALF = 10;

type TwoShares = ShareDifference & { first: Rate; second: Rate };

function compare(first: readonly boolean[], second: readonly boolean[]): TwoShares {
  const count = (some: readonly boolean[]) => some.filter(Boolean).length;
  const group = { a: count(second), ofA: second.length, b: count(first), ofB: first.length };
  return { first: wilson(group.b, group.ofB), second: wilson(group.a, group.ofA), ...twoProportions(group) };
}

export type Growth = ShareDifference & {
  trend: 'growing' | 'shrinking' | 'steady' | 'unknown';
  earlier: Rate;
  later: Rate;
  later_since: number | null;
};

/** Whether more of the later half of some traces have a behavior than of the earlier one; they are oldest first. */
export function growthOf(runs: readonly SoughtRun[]): Growth {
  const middle = Math.ceil(runs.length / 2);
  const has = (some: readonly SoughtRun[]) => some.map(({ has_it }) => has_it);
  const { first, second, ...difference } = compare(has(runs.slice(0, middle)), has(runs.slice(middle)));
  const isKnown = second.of >= LEAST_IN_HALF;
  const changes = difference.p <= MOST_BY_CHANCE && difference.difference !== 0;
  const trend = !isKnown ? 'unknown' : !changes ? 'steady' : difference.difference > 0 ? 'growing' : 'shrinking';
  return { trend, earlier: first, later: second, later_since: runs[middle]?.created_at ?? null, ...difference };
}

export type Harm = ShareDifference & { without_it: Rate; with_it: Rate };

/** How often runs fail without a behavior, and with it. */
export function harmOf(runs: readonly SoughtRun[]): Harm {
  const failed = (hasIt: boolean) =>
    runs.flatMap(({ has_it, failed: isFailed }) => (has_it !== hasIt || isFailed === null ? [] : [isFailed]));
  const { first, second, ...difference } = compare(failed(false), failed(true));
  return { without_it: first, with_it: second, ...difference };
}

export type NamedCount<T> = { name: T; traces: number };

/** In how many runs each name is, the most frequent first. */
export function countNames<T extends string | null>(runs: readonly Iterable<T>[]): NamedCount<T>[] {
  const counts = new Map<T, number>();
  for (const names of runs) for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const found = [...counts].map(([name, traces]) => ({ name, traces }));
  return found.sort((a, b) => b.traces - a.traces || (String(a.name) < String(b.name) ? -1 : 1));
}
