import { isNewestOfOneBranch, type ReadContext } from '../../kernel/index.ts';
import * as queries from './queries.ts';

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

/** More are not listed. */
const MAX_NAMING = 200;

/**
 * The golden queries that some entries answer, by their numbers, newest first. Only those that the caller may see: the
 * question, the entry, and the paths that were asked.
 */
export async function goldenQueriesNaming(
  { scan, view, dialect }: Pick<ReadContext, 'scan' | 'view' | 'dialect'>,
  entries: readonly { entry_id: number }[],
): Promise<GoldenQuestion[]> {
  if (entries.length === 0 || !isNewestOfOneBranch(view)) return [];
  const ids = dialect.numbers(entries.map(({ entry_id }) => entry_id));
  return (await queries.listGoldenNaming(scan, view, { ids, limit: MAX_NAMING })).map((row) => ({
    golden_id: row.golden_id,
    question: row.question,
    asked_at: row.entity_path,
    include_descendants: row.below === 1,
    entity_path: row.hit_path,
    key: row.hit_key,
    rank: row.place,
  }));
}
