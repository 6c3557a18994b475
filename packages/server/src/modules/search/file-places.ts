import { type Glob, matchesGlob } from '@mem-service/contract';
import { type Sql, sql } from '../../db/index.ts';
import { type EntryView, pathRanges, type ReadContext, type Services, scopedGlobs } from '../../kernel/index.ts';
import { isSeqIn } from '../entries/index.ts';
import { type FilePlaces, type IndexState, type PlacedTexts, readPlacedTexts } from '../text/index.ts';
import { getNameAfter, hasFewIn } from './queries.ts';

/** At paths with no more entries than this, they are read one by one and not by their words. */
const FEW_ENTRIES = 1_500;

export const mostFew = ({ limits }: Services): number => limits.max_few_entries ?? FEW_ENTRIES;

/** A statement has a part for each range. */
const MAX_RANGES = 64;

/** The ranges of paths that a search is about; undefined where these are all paths, or too many. */
export function rangesOf({ scope }: EntryView, paths: readonly Glob[] | undefined): Sql[][] | undefined {
  if (scope === undefined && paths === undefined) return undefined;
  const globs = scopedGlobs(scope, paths);
  if (globs.some(({ kind }) => kind === 'all')) return undefined;
  const ranges = pathRanges(globs);
  return ranges.length > MAX_RANGES ? undefined : ranges;
}

type AccountIndex = { number: number; index: IndexState };

/** The entries at some paths and in the scope of the caller, in the index of SQLite; undefined where these are all. */
export function filePlaces(
  { view, read, scan, services }: ReadContext,
  paths: readonly Glob[] | undefined,
  { number, index }: AccountIndex,
): FilePlaces | undefined {
  if (view.scope === undefined && paths === undefined) return undefined;
  const globs = scopedGlobs(view.scope, paths);
  if (globs.some(({ kind }) => kind === 'all')) return undefined;
  const ranges = rangesOf(view, paths);
  const upto = index.upto ?? 0;
  const most = mostFew(services);
  const readTexts = (some: Sql[][]) => readPlacedTexts(scan, view, { account: number, upto, ranges: some });
  const readFew = async (): Promise<PlacedTexts | undefined> =>
    ranges && (await hasFewIn(read, view, { ranges, most })) ? readTexts(ranges) : undefined;
  async function* readParts(all: Sql[][]): AsyncGenerator<PlacedTexts> {
    for (const range of all) {
      for (let from = sql`true`; ; ) {
        const end = await getNameAfter(scan, view, { range: [...range, from], count: most });
        const name = end && sql`(${end.entity_path}, ${end.key})`;
        yield await readTexts([[...range, from, ...(name ? [sql`(entity_path, key) < ${name}`] : [])]]);
        if (!name) break;
        from = sql`(entity_path, key) >= ${name}`;
      }
    }
  }
  let few: Promise<PlacedTexts | undefined> | undefined;
  return {
    covers: (path) => globs.some((glob) => matchesGlob(glob, path)),
    isAt: (seq) => isSeqIn(view, seq, paths),
    few: () => {
      few ??= readFew();
      return few;
    },
    isRead: () => few !== undefined,
    parts: ranges && (() => readParts(ranges)),
  };
}
