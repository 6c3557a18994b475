import type { ReadContext } from '../../kernel/index.ts';
import { shownGolden } from './shown.ts';

/** A question whose answer is known, as far as a view shows it. */
export type GoldenQuestion = {
  golden_id: string;
  question: string;
  /** What was asked, as `entries.retrieve` takes it. */
  asked_at: string | null;
  include_descendants: boolean;
  entity_path: string;
  key: string;
  rank: number | null;
};

/**
 * The golden queries that some entries answer, by their numbers, newest first. Only those that the caller may see: the
 * question, the entry, and the paths that were asked.
 */
export async function goldenQueriesNaming(
  context: Pick<ReadContext, 'scan' | 'view' | 'dialect'>,
  entries: readonly { entry_id: number }[],
): Promise<GoldenQuestion[]> {
  if (entries.length === 0) return [];
  const found = await shownGolden(context, { entry_ids: entries.map(({ entry_id }) => entry_id) });
  return found.map((row) => ({
    golden_id: row.golden_id,
    question: row.question,
    asked_at: row.asked_path,
    include_descendants: row.below === 1,
    entity_path: row.hit_path,
    key: row.hit_key,
    rank: context.view.scope === undefined ? row.hit_rank : null,
  }));
}
