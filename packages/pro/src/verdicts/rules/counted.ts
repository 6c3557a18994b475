/** What a judge found in a trace, by its newest version, or a person in its place. */
export type FoundVerdict = { judge_id: string; judge_version: number; result: string };

export type CountedWord = 'pass' | 'fail' | 'withdrawn';

/** What counts already of a judge's verdicts on the trace. */
export type KnownVerdict = { judge_id: string; judge_version: number; verdict: string; weight: number };

/** A change of what counts, and what all verdicts on the trace say together after it. */
export type VerdictChange = {
  judge_id: string;
  judge_version: number;
  verdict: CountedWord;
  weight: number;
  /** For and against what the trace read: together at most 1, however many judges there are. */
  pass: number;
  fail: number;
};

/** The verdicts on one trace count as much as one plain outcome at most. */
const MOST_OF_TRACE = 1;

const isWord = (result: string): result is 'pass' | 'fail' => result === 'pass' || result === 'fail';

/**
 * What has to change for the verdicts on a trace to count as they are now, judge by judge. A judge keeps the weight with which the
 * trace was counted first, so that a later weight changes nothing about the past.
 */
export function changesOfTrace(
  found: readonly FoundVerdict[],
  known: readonly KnownVerdict[],
  weights: ReadonlyMap<string, number>,
): VerdictChange[] {
  const counted = new Map(known.map((one) => [one.judge_id, one]));
  const changes: VerdictChange[] = [];
  for (const { judge_id, judge_version, result } of found) {
    const before = counted.get(judge_id);
    const weight = before?.weight ?? weights.get(judge_id) ?? 0;
    const verdict: CountedWord = isWord(result) ? result : 'withdrawn';
    if (weight === 0 || verdict === (before?.verdict ?? 'withdrawn')) continue;
    const after = { judge_id, judge_version, verdict, weight };
    counted.set(judge_id, after);
    changes.push({ ...after, ...sumOf([...counted.values()]) });
  }
  return changes;
}

/** In the order of the judges, so that the sum is the same to the last bit whichever came first. */
function sumOf(counted: readonly KnownVerdict[]): { pass: number; fail: number } {
  let [pass, fail] = [0, 0];
  for (const { verdict, weight } of [...counted].sort((a, b) => (a.judge_id < b.judge_id ? -1 : 1))) {
    if (verdict === 'pass') pass += weight;
    if (verdict === 'fail') fail += weight;
  }
  const share = MOST_OF_TRACE / Math.max(MOST_OF_TRACE, pass + fail);
  return { pass: pass * share, fail: fail * share };
}
