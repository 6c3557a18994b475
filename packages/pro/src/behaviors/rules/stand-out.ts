import { benjaminiHochberg } from '../../evaluation/rules/benjamini-hochberg.ts';
import { fisherGreater } from '../../evaluation/rules/fisher-greater.ts';
import { type Rate, wilson } from '../../evaluation/rules/wilson.ts';

/** A trace around the example: which of the candidates it has, and whether it failed (null: without an outcome). */
export type AroundRun = { has: readonly boolean[]; failed: boolean | null };

/** The runs, oldest first, with the example among them; `isEffect` says which candidates are how a run ended, not what it did. */
export type Surroundings = { runs: readonly AroundRun[]; example: number; isEffect: readonly boolean[] };

export type StandOutReason = 'fails' | 'new' | 'rare' | 'itself';

export type StandOut = {
  reason: StandOutReason;
  /** Given how much was compared; null where no test is behind it. */
  chance: number | null;
  /** Numbers of the candidates that the matcher is made of. */
  used: number[];
  /** Places of the runs that have all of these; the most like the example first. */
  neighbours: number[];
  features: CountedFeature[];
};

export type CountedFeature = { candidate: number; used: boolean; neighbours: Rate; elsewhere: Rate; p: number };

const MOST_BY_CHANCE = 0.01;
const LEAST_NEIGHBOURS = 3;
const MOST_USED = 3;
/** A further check must make it so much less probable that chance is behind it. */
const TIMES_SURER = 100;
/** Of all runs; what more of them have is not rare. */
const MOST_RARE = 0.2;
/** Of all runs; what most of them have sets nothing apart, however much surer it is. */
const MOST_HAVING = 0.5;
/** Of fewer runs it cannot be said what most of them have: the rarest will do for a draft. */
const MANY = 20;
const LEAST_COMMON = 0.8;
const MAX_FEATURES = 30;
/** Where the time is cut to see whether something is new. */
const CUTS = [0.25, 0.5, 0.75];

type Having = readonly boolean[];
type Contrast = 'fails' | 'new';

const countOf = (some: Having): number => some.filter(Boolean).length;

/**
 * What sets an example apart: the feature for which the difference between failing and passing runs is the least probable by chance; if
 * it did not fail, or chance explains that, the difference between later and earlier ones; together with others where that is surer
 * still. Else what is rare. Never what most runs have: undefined where there is nothing else.
 */
export function standOut(around: Surroundings): StandOut | undefined {
  const { runs, example } = around;
  const own = runs[example] as AroundRun;
  const candidates = own.has.flatMap((has, no) => (has ? [no] : []));
  const columns = new Map(candidates.map((no) => [no, runs.map(({ has }) => has[no] as boolean)]));
  const causes = new Map([...columns].filter(([no]) => !around.isEffect[no]));
  const tested = surest(around, causes, 'fails') ?? surest(around, causes, 'new') ?? rarest(causes);
  if (!tested) return undefined;
  const having = runs.map((_, at) => tested.used.every((no) => columns.get(no)?.[at]));
  return {
    ...tested,
    neighbours: nearest(around, columns, having),
    features: countFeatures(columns, { used: tested.used, having }),
  };
}

type TestedFeatures = Pick<StandOut, 'reason' | 'chance' | 'used'>;

/** What is found by one contrast may be surer still by the other one, which is its reason then. */
function surest(around: Surroundings, columns: ReadonlyMap<number, Having>, by: Contrast): TestedFeatures | undefined {
  const compared = columns.size * (CUTS.length + 1);
  const contrasts = [...columns].map(([no, having]) => ({ no, having, p: pOf(around, having, by) }));
  // Of equals the first is taken: what was done comes before what it is called.
  const [first] = contrasts.sort((a, b) => a.p - b.p || a.no - b.no);
  if (!first || first.p * compared > MOST_BY_CHANCE) return undefined;
  const used = [first.no];
  let { having } = first;
  let p = leastOf(around, having);
  while (used.length < MOST_USED) {
    const more = [...columns]
      .filter(([no]) => !used.includes(no))
      .map(([no, other]) => {
        const both = having.map((has, at) => has && (other[at] as boolean));
        return { no, both, p: leastOf(around, both) };
      })
      .sort((a, b) => a.p - b.p || a.no - b.no)[0];
    if (!more || more.p * TIMES_SURER > p) break;
    used.push(more.no);
    p = more.p;
    having = more.both;
  }
  const surer = pOf(around, having, 'fails') <= pOf(around, having, 'new') ? 'fails' : 'new';
  return { reason: surer, chance: Math.min(1, p * compared), used };
}

const isCommon = (having: Having): boolean => countOf(having) > MOST_HAVING * having.length;

function pOf({ runs, example }: Surroundings, having: Having, reason: Contrast): number {
  if (countOf(having) < LEAST_NEIGHBOURS || isCommon(having)) return 1;
  if (reason === 'new') return pOfNew(having, example);
  return runs[example]?.failed === true ? pOfFailures(runs, having) : 1;
}

/** By either way: a feature of a few that fail does not narrow down what is new and surer still. */
const leastOf = (around: Surroundings, having: Having): number =>
  Math.min(pOf(around, having, 'fails'), pOf(around, having, 'new'));

function pOfFailures(runs: readonly AroundRun[], having: Having): number {
  const failing = runs.flatMap(({ failed }, at) => (failed === true ? [having[at] as boolean] : []));
  const passing = runs.flatMap(({ failed }, at) => (failed === false ? [having[at] as boolean] : []));
  return fisherGreater({ a: countOf(failing), ofA: failing.length, b: countOf(passing), ofB: passing.length });
}

function pOfNew(having: Having, example: number): number {
  const cuts = CUTS.map((share) => Math.floor(having.length * share)).filter((at) => at > 0 && at <= example);
  const found = cuts.map((at) => {
    const [earlier, later] = [having.slice(0, at), having.slice(at)];
    return fisherGreater({ a: countOf(later), ofA: later.length, b: countOf(earlier), ofB: earlier.length });
  });
  return Math.min(1, ...found);
}

/** Nothing is beyond chance: what few others have, or the rarest of what the example has. What all have sets nothing apart. */
function rarest(columns: ReadonlyMap<number, Having>): TestedFeatures | undefined {
  const counted = [...columns]
    .map(([no, having]) => ({ no, n: countOf(having), of: having.length }))
    .filter(({ n, of }) => n < of);
  if (counted.length === 0) return undefined;
  const inOrder = counted.toSorted((a, b) => a.n - b.n || a.no - b.no);
  const rare = inOrder.find(({ n, of }) => n >= LEAST_NEIGHBOURS && n <= MOST_RARE * of);
  if (rare) return { reason: 'rare', chance: null, used: [rare.no] };
  const used = inOrder.slice(0, MOST_USED).map(({ no }) => no);
  const [first] = columns.values();
  const having = (first ?? []).map((_, at) => used.every((no) => columns.get(no)?.[at]));
  if (having.length >= MANY && isCommon(having)) return undefined;
  return { reason: 'itself', chance: null, used };
}

/** Rare features that two runs share make them alike. */
function nearest({ runs, example }: Surroundings, columns: ReadonlyMap<number, Having>, having: Having): number[] {
  const weights = [...columns].map(([no, own]) => ({ no, weight: Math.log(runs.length / countOf(own)) }));
  const likeness = (at: number): number =>
    weights.reduce((sum, { no, weight }) => sum + (columns.get(no)?.[at] ? weight : 0), 0);
  return having
    .flatMap((has, at) => (has && at !== example ? [{ at, likeness: likeness(at) }] : []))
    .sort((a, b) => b.likeness - a.likeness || b.at - a.at)
    .map(({ at }) => at);
}

type UsedFeatures = { used: readonly number[]; having: Having };

/** What most neighbours have and others have less often, the surest first; what the matcher is made of is always there. */
function countFeatures(columns: ReadonlyMap<number, Having>, { used, having }: UsedFeatures): CountedFeature[] {
  const counted = [...columns].map(([candidate, column]) => {
    const inside = column.filter((_, at) => having[at]);
    const outside = column.filter((_, at) => !having[at]);
    const group = { a: countOf(inside), ofA: inside.length, b: countOf(outside), ofB: outside.length };
    const [neighbours, elsewhere] = [wilson(group.a, group.ofA), wilson(group.b, group.ofB)];
    return { candidate, used: used.includes(candidate), neighbours, elsewhere, p: fisherGreater(group) };
  });
  const adjusted = benjaminiHochberg(counted.map(({ p }) => p));
  return counted
    .map((one, i) => ({ ...one, p: adjusted[i] as number }))
    .filter(({ used: isUsed, neighbours, p }) => isUsed || ((neighbours.rate ?? 0) >= LEAST_COMMON && p <= 0.05))
    .sort((a, b) => Number(b.used) - Number(a.used) || a.p - b.p || a.candidate - b.candidate)
    .slice(0, MAX_FEATURES);
}
