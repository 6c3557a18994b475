import type { Output } from '@mem-service/contract';
import { type ReadContext, toIso } from '../../kernel/index.ts';
import { figuresOf } from './rules/figures.ts';
import { shownGolden } from './shown.ts';
import { readFittedWeights } from './weights.ts';

export type RetrievalFigures = NonNullable<Output<'stats.read'>['retrieval']>;

/** How well questions are answered, from the golden queries that the caller may see, as they were last asked again. */
export async function retrievalFigures(context: ReadContext): Promise<RetrievalFigures> {
  const { read, view } = context;
  const [golden, weights] = await Promise.all([shownGolden(context), readFittedWeights(read, view.account_id)]);
  const replayed = golden.filter(({ replayed_at }) => replayed_at > 0);
  const last = Math.max(0, ...replayed.map(({ replayed_at }) => replayed_at));
  return {
    golden_queries: golden.length,
    replayed: replayed.length,
    ...figuresOf(replayed),
    replayed_at: last === 0 ? null : toIso(last),
    weights: weights ? 'fitted' : 'default',
  };
}
