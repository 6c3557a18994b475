import { globsOf, type Input } from '@mem-service/contract';
import { branchOf, type ReadContext, scopedGlobs } from '../../kernel/index.ts';
import { countAtPaths, type IndexState, type PathTerms, pathTermOf } from '../text/index.ts';
import { countsOf } from './text-search.ts';

/** A search about more paths than this is not limited by their terms. */
const MAX_PATHS = 16;

/** At paths with more entries than this, ranked matches are filtered when they are loaded, as most of them pass. */
const FEW_ENTRIES = 10_000;

type SearchedAccount = { number: number; seq: number; index: IndexState | undefined };

/** The terms of the paths that a search is about, in the index of SQLite; undefined where it is about all. */
export async function pathTermsIn(
  { view, read }: ReadContext,
  input: Pick<Input<'entries.search'>, 'entity_path' | 'include_descendants'>,
  { number, seq, index }: SearchedAccount,
): Promise<PathTerms | undefined> {
  const globs = index && scopedGlobs(view.scope, globsOf(input), MAX_PATHS);
  if (!globs || globs.length === 0) return undefined;
  const terms = [...new Set(globs.flatMap((glob) => pathTermOf(branchOf(view), glob) ?? []))];
  if (index.upto === undefined) return { terms, isFew: true };
  const count = async () => [await countAtPaths(read, number, { terms, cap: FEW_ENTRIES })];
  const [n = 0] = await countsOf(read).get([`${number} at ${terms.join(' ')}`], seq, count);
  return { terms, isFew: n < FEW_ENTRIES };
}
