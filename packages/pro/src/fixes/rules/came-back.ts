import type { Rate } from '../../evaluation/index.ts';
import { fisherGreater } from '../../evaluation/rules/fisher-greater.ts';
import { type RunWord, share } from './words.ts';

/** Runs before a fix was approved and since; `usual` are those before that did not read what was wrong. */
export type ComparedRuns = {
  before: Rate;
  after: Rate;
  usual: Rate | null;
  of: 'readers' | 'all';
  what?: RunWord;
};

export type CameBack = { came_back: boolean | null; reason: string; chance: number | null };

/** Fewer runs than these say nothing. */
const LEAST_RUNS = 10;
/** Beyond this, a difference is taken for chance. */
const MOST_BY_CHANCE = 0.05;

const chanceOf = (more: Rate, less: Rate): number =>
  fisherGreater({ a: more.count, ofA: more.of, b: less.count, ofB: less.of });

/**
 * It came back where runs fail more often than those that never read what was wrong, or, where these are too few, surely more than half
 * as often as before. It did not where they fail less often than before, beyond chance. Otherwise nobody knows.
 */
export function cameBack({ before, after, usual, of, what = 'failed' }: ComparedRuns): CameBack {
  if (of === 'readers' && after.of === 0)
    return { came_back: null, reason: 'No run has read the entries since it was approved.', chance: null };
  const which = of === 'readers' ? 'the runs that read the entries' : 'all runs';
  const since = `Of ${which} ${share(after)} ${what} since it was approved`;
  if (before.of === 0 || before.count === 0)
    return { came_back: null, reason: `${since}; none is left that ${what} before, to compare with.`, chance: null };
  const compared = `${since}, where ${share(before)} ${what} before`;
  const chance = after.of === 0 ? null : chanceOf(before, after);
  if (after.of < LEAST_RUNS)
    return { came_back: null, reason: `${compared}: at least ${LEAST_RUNS} runs have to follow it.`, chance };
  const isLess = chance !== null && chance <= MOST_BY_CHANCE;
  const least = isLess ? 'fewer than before' : 'no fewer than before beyond chance';
  if (usual && usual.of >= LEAST_RUNS) {
    if (chanceOf(after, usual) <= MOST_BY_CHANCE)
      return { came_back: true, reason: `${compared}: ${least}, and more than the ${share(usual)} of others.`, chance };
  } else if (after.low > (before.rate ?? 0) / 2)
    return { came_back: true, reason: `${compared}: surely more than half as often.`, chance };
  if (isLess) return { came_back: false, reason: `${compared}: ${inWords(chance)} by chance.`, chance };
  return { came_back: null, reason: `${compared}: too few runs to tell.`, chance };
}

/** Two digits, as a share in words: 0.00042 is 1 in 2,400. */
function inWords(chance: number): string {
  if (chance < 1e-9) return 'less than 1 in 1,000,000,000';
  return `1 in ${Number((1 / chance).toPrecision(2)).toLocaleString('en-US')}`;
}
