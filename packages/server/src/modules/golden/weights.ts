import type { Query } from '../../db/index.ts';
import { getWeights } from './weights-queries.ts';

/** How much meaning, confidence and evidence count in the answer to a question. */
export type FusionWeights = { semantic_weight: number; confidence_weight: number; evidence_weight: number };

/** Undefined where the default ones are used. */
export async function readFittedWeights(query: Query, accountId: string): Promise<FusionWeights | undefined> {
  const row = await getWeights(query, accountId);
  return row?.weights ? (JSON.parse(row.weights) as FusionWeights) : undefined;
}
