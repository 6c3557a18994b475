import { DEFAULT_WEIGHTS, type Output } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { counted, rounded } from './numbers.ts';
import { panel } from './table.ts';
import { type Screen, when } from './text.ts';

type RetrievalOutput = Output<'retrieval.read'>;

/** The weights that answers have, and why these. */
export function retrieval(item: AnswerItem, screen: Screen): string {
  const answer = item as RetrievalOutput;
  const { semantic_weight, confidence_weight, evidence_weight } = answer.weights ?? DEFAULT_WEIGHTS;
  return panel(
    [
      ['weights', reasonOf(answer)],
      ['meaning', rounded(semantic_weight)],
      ['confidence', rounded(confidence_weight)],
      ['evidence', rounded(evidence_weight)],
      ['compared', comparedOf(answer)],
    ],
    screen,
  );
}

function reasonOf({ fit_weights, weights, fitted_on, fitted_at }: RetrievalOutput): string {
  if (!fit_weights) return 'the default ones; mem set-retrieval --fit-weights fits them to the golden queries';
  if (fitted_at === null) return 'the default ones: not fitted yet';
  if (weights === null) return `the default ones: fitted ones were not better, ${when(fitted_at)}`;
  return `fitted on ${counted(fitted_on ?? 0, 'golden query', 'golden queries')}, ${when(fitted_at)}`;
}

/** Empty where nothing was held out. */
function comparedOf({ held_out, mrr_default, mrr_fitted }: RetrievalOutput): string {
  if (!held_out) return '';
  const ranks = `default ${rounded(mrr_default)}, fitted ${rounded(mrr_fitted)}`;
  return `mean reciprocal rank on ${held_out} held out: ${ranks}`;
}
