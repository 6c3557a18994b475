import type { Query } from '../../db/index.ts';
import type {
  IsCovered,
  MatchScope,
  NewestMatches,
  OverlayTexts,
  Ranked,
  RankedTerm,
  WantedMatches,
} from './match-syntax.ts';
import { readAverages } from './queries.ts';
import { averagesOf, fileIdf, fileScore } from './rules/file-rank.ts';
import type { Term } from './rules/query.ts';
import { countTerm, termCounter } from './rules/rank.ts';
import type { TailText } from './tail.ts';

type OverlayScope = MatchScope & { overlay: OverlayTexts };

/** Those of the texts with one of the terms that are meant. */
const textsWith = ({ byWord, seqs }: OverlayTexts, terms: readonly Term[], isCovered: IsCovered): TailText[] =>
  byWord.having(terms).filter((text) => seqs.has(text.seq) && (isCovered?.(text) ?? true));

export const countInOverlay = ({ overlay }: MatchScope, term: Term): number =>
  overlay ? textsWith(overlay, [term], overlay.isCounted).length : 0;

/** The best of both, in order. */
export async function rankWithOverlay(
  query: Query,
  scope: OverlayScope,
  { ranked, terms, limit }: { ranked: readonly Ranked[]; terms: readonly RankedTerm[]; limit: number },
): Promise<Ranked[]> {
  const { isShown, seqs } = scope.overlay;
  const indexed = ranked.filter(({ seq }) => !seqs.has(seq));
  const words = terms.map(({ term }) => term);
  const shown = textsWith(scope.overlay, words, isShown);
  if (shown.length === 0) return indexed;
  const weigh = await weightsOf(query, scope, terms);
  const count = termCounter(words);
  const own: Ranked[] = [];
  for (const { seq, words } of shown) {
    const score = weigh(count(words).counts, words.length);
    if (score > 0) own.push({ seq, score: Number(score.toPrecision(12)) });
  }
  return [...indexed, ...own].sort((a, b) => b.score - a.score || b.seq - a.seq).slice(0, limit);
}

type Weigh = (counts: readonly number[], length: number) => number;

/** The score that the index would give to a text. */
async function weightsOf(query: Query, scope: OverlayScope, terms: readonly RankedTerm[]): Promise<Weigh> {
  const file = scope.index?.upto ? averagesOf(await readAverages(query)) : { rows: 0, words: 0 };
  const { texts, isCounted } = scope.overlay;
  const counted = isCounted ? texts.filter(isCounted) : texts;
  const average = file.rows > 0 ? file.words / file.rows : averageOf(counted);
  const rows = Math.max(file.rows, counted.length);
  const idfs = terms.map(({ idf, n }) => (scope.index ? fileIdf(rows, n) : idf));
  return (counts, length) =>
    idfs.reduce((sum, idf, i) => {
      const count = counts[i] ?? 0;
      return count === 0 ? sum : sum + idf * fileScore(count, length / Math.max(average, 1));
    }, 0);
}

const averageOf = (texts: readonly TailText[]): number =>
  texts.reduce((sum, { words }) => sum + words.length, 0) / Math.max(texts.length, 1);

/** The newest of both. */
export function newestWithOverlay(
  { overlay }: OverlayScope,
  { seqs, complete }: NewestMatches,
  { terms, accepts, limit }: Pick<WantedMatches, 'terms' | 'accepts' | 'limit'>,
): NewestMatches {
  const own = textsWith(overlay, terms, overlay.isShown)
    .filter(({ words }) => accepts((term) => countTerm(words, term) > 0))
    .map(({ seq }) => seq);
  const indexed = seqs.filter((seq) => !overlay.seqs.has(seq));
  const all = [...own, ...indexed].sort((a, b) => b - a);
  return { seqs: all.slice(0, limit), complete: complete && all.length <= limit };
}
