import { DEFAULT_WEIGHTS, type Input } from '@mem-service/contract';
import type { ReadContext } from '../../kernel/index.ts';
import { type FusionWeights, readFittedWeights } from '../golden/index.ts';

type Given = Input<'entries.retrieve'>;
export type RetrieveInput = Given & FusionWeights;
export type WeighedInput = { input: RetrieveInput; source: 'default' | 'fitted' | 'given' };

const NAMES = ['semantic_weight', 'confidence_weight', 'evidence_weight'] as const;

/** What a caller leaves out is weighed as fitted to the golden queries of the account, or by default. */
export async function withWeights({ read, view }: ReadContext, given: Given): Promise<WeighedInput> {
  const isGiven = NAMES.every((name) => given[name] !== undefined);
  const fitted = isGiven ? undefined : await readFittedWeights(read, view.account_id);
  const usual = fitted ?? DEFAULT_WEIGHTS;
  const weight = (name: (typeof NAMES)[number]): number => given[name] ?? usual[name];
  const [semantic_weight, confidence_weight, evidence_weight] = [weight(NAMES[0]), weight(NAMES[1]), weight(NAMES[2])];
  return {
    input: { ...given, semantic_weight, confidence_weight, evidence_weight },
    source: isGiven ? 'given' : fitted ? 'fitted' : 'default',
  };
}
