import { DEFAULT_WEIGHTS } from '@mem-service/contract';
import { isAccountGone, type Kernel, type MaintenanceTask } from '../../kernel/index.ts';
import { dueForWeights, type FusionWeights, type GoldenPair, saveWeights, sharedGolden } from '../golden/index.ts';
import { placeOf } from './replay-golden.ts';
import { meanReciprocal, splitByQuestion } from './rules/fit.ts';

/** The golden queries that are looked at, and how many of each half. */
const NEWEST = 200;
const MOST = 40;
/** With fewer in either half, chance decides. */
const LEAST = 10;

const SEMANTIC = [0.3, 0.4, 0.6, 0.7];
/** Trust counts not at all, or twice as much. */
const TRUST = [0, 2];

/** Fits the weights of accounts that want it, one account a run. */
export const fitWeights: MaintenanceTask = { name: 'recall.fit_weights', every_seconds: 600, run: fit };

async function fit(kernel: Kernel, isStopping: () => boolean): Promise<void> {
  const account_id = await dueForWeights(kernel);
  if (account_id === undefined) return;
  const { scan } = kernel.services.database.forAccount(account_id);
  const halves = splitByQuestion(await sharedGolden(scan, account_id, NEWEST));
  const [chosen_on, held_out] = [halves.chosen_on.slice(0, MOST), halves.held_out.slice(0, MOST)];
  const counts = { fitted_on: chosen_on.length, held_out: held_out.length };
  const isEnough = Math.min(chosen_on.length, held_out.length) >= LEAST;
  const mrr = (pairs: readonly GoldenPair[]) => (weights: FusionWeights) =>
    meanReciprocalOf(kernel, pairs, { weights, isStopping });
  const best = isEnough ? await bestOf(mrr(chosen_on)) : DEFAULT_WEIGHTS;
  const [mrr_default, mrr_fitted] = isEnough
    ? [await mrr(held_out)(DEFAULT_WEIGHTS), await mrr(held_out)(best)]
    : [null, null];
  if (isStopping()) return;
  // Never worse than the default on questions that nothing was chosen on.
  const isKept = best !== DEFAULT_WEIGHTS && mrr_default !== null && mrr_fitted !== null && mrr_fitted >= mrr_default;
  try {
    await saveWeights(kernel, account_id, { weights: isKept ? best : null, ...counts, mrr_default, mrr_fitted });
  } catch (error) {
    if (!isAccountGone(error)) throw error;
  }
}

/** First meaning against words, then trust. What is no better than the default does not replace it. */
async function bestOf(mrr: (weights: FusionWeights) => Promise<number>): Promise<FusionWeights> {
  let best: { weights: FusionWeights; mrr: number } = { weights: DEFAULT_WEIGHTS, mrr: await mrr(DEFAULT_WEIGHTS) };
  const tryOut = async (weights: FusionWeights) => {
    const reached = await mrr(weights);
    if (reached > best.mrr) best = { weights, mrr: reached };
  };
  for (const semantic_weight of SEMANTIC) await tryOut({ ...DEFAULT_WEIGHTS, semantic_weight });
  const { semantic_weight } = best.weights;
  for (const times of TRUST)
    await tryOut({
      semantic_weight,
      confidence_weight: DEFAULT_WEIGHTS.confidence_weight * times,
      evidence_weight: DEFAULT_WEIGHTS.evidence_weight * times,
    });
  return best.weights;
}

async function meanReciprocalOf(
  kernel: Kernel,
  pairs: readonly GoldenPair[],
  { weights, isStopping }: { weights: FusionWeights; isStopping: () => boolean },
): Promise<number> {
  const places: number[] = [];
  for (const pair of pairs) {
    if (isStopping()) break;
    places.push((await placeOf(kernel, pair, weights)).place);
  }
  return Math.round(meanReciprocal(places) * 10_000) / 10_000;
}
