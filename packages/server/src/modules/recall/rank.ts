import type { ReadContext } from '../../kernel/index.ts';
import { evidenceSignal, evidenceStatus, fadedConfidence, standingOf } from '../entries/index.ts';
import type { FoundRow } from '../search/index.ts';
import type { RecallEntry } from './candidates.ts';
import { nearness, type QuestionTime } from './rules/question-time.ts';
import { type RecallScore, scoreCandidates } from './rules/score.ts';
import { fromZero, type WeighedScore, weigh } from './rules/trust.ts';
import { bm25Of } from './rules/word-weights.ts';
import type { RetrieveInput } from './weights.ts';

export type RankedEntry = WeighedScore & { row: FoundRow };

/** By `seq`, how much higher or lower a reranker put entries. */
export type Reranking = ReadonlyMap<number, number>;

export type RankOptions = {
  context: ReadContext;
  input: RetrieveInput;
  weights: readonly number[];
  /** Where entries stand in what their authors wrote, by `seq`. */
  places: ReadonlyMap<number, number>;
  time: QuestionTime | null;
  /** Whether the question asks for what was written at that time, and for nothing else. */
  isListed?: boolean;
  rerank?: Reranking | undefined;
};

/** An entry without a word of the question must be nearer to it than what all entries have in common, or next to entries that answer it. */
const LEAST_COSINE = 0;
const LEAST_NEIGHBOURS = 0.2;

const MAX_AVOID = 3;
const ALL_TIERS = 3;
const DAY_MS = 86_400_000;
/** A time of up to this length is weighed more: it is meant exactly. */
const SHORT_TIME_MS = 14 * DAY_MS;

/** Puts candidates into order, those that outcomes refuted apart. */
export function rankEntries(
  entries: readonly RecallEntry[],
  options: RankOptions,
): { hits: RankedEntry[]; avoid: RankedEntry[] } {
  const { input } = options;
  const scores = scoresOf(entries, options);
  const fitting = entries.flatMap(({ row, counted, cosine = 0 }, at) => {
    const score = scores[at] as RecallScore;
    const isNear = cosine > LEAST_COSINE || score.parts.neighbours >= LEAST_NEIGHBOURS;
    const hasWord = counted.counts.some((count) => count > 0) && input.semantic_weight < 1;
    if (input.depth < ALL_TIERS && standingOf(row).tier > input.depth) return [];
    return isNear || hasWord || isOfTime(row, options) ? [toRanked(row, score, options)] : [];
  });
  const ranked = fromZero(fitting);
  ranked.sort((a, b) => b.score - a.score || b.row.seq - a.row.seq);
  // Without a standing no outcome has refuted it.
  const isRefuted = ({ row }: RankedEntry) => row.standing !== null && statusOf(row) === 'discredited';
  const refuted = new Set(input.include_discredited ? [] : ranked.filter(isRefuted));
  return {
    hits: refuted.size === 0 ? ranked : ranked.filter((entry) => !refuted.has(entry)),
    avoid: input.include_avoid ? [...refuted].slice(0, MAX_AVOID) : [],
  };
}

/** Where outcomes have confirmed the best hit, those that come near to it. */
export function aroundBest(hits: readonly RankedEntry[]): RankedEntry[] {
  const [best] = hits;
  const isConfirmed = best !== undefined && statusOf(best.row) === 'validated';
  return hits.filter(({ score }) => !isConfirmed || score >= NEAR_BEST * best.score);
}

const NEAR_BEST = 0.85;

/** How well candidates fit, without trust. */
export function scoresOf(
  entries: readonly RecallEntry[],
  { input, weights, places }: Pick<RankOptions, 'input' | 'weights' | 'places'>,
): RecallScore[] {
  const compared = entries.flatMap(({ cosine }) => (cosine === undefined ? [] : [cosine]));
  const average = compared.reduce((sum, cosine) => sum + cosine, 0) / Math.max(compared.length, 1);
  const bm25 = bm25Of(
    entries.map(({ counted }) => counted),
    weights,
  );
  const meaning = compared.length === 0 ? 0 : 2 * input.semantic_weight;
  const words = 2 * (1 - input.semantic_weight);
  const candidates = entries.map(({ row, sequence, related, name, cosine = average }, at) => ({
    cosine: meaning * cosine,
    bm25: words * (bm25[at] as number),
    related: related === undefined ? undefined : meaning * related,
    name: name === undefined ? undefined : meaning * name,
    sequence,
    place: places.get(row.seq),
  }));
  return scoreCandidates(candidates, { weights, neighbours: places.size > 0 });
}

const statusOf = (row: FoundRow) => evidenceStatus(standingOf(row), row.confidence);

/** Whether the question asks for nothing but its time, and the entry was written then. */
const isOfTime = (row: FoundRow, { time, isListed }: RankOptions): boolean =>
  isListed === true && time !== null && nearness(time, row.written_at) === 1;

function toRanked(row: FoundRow, { parts }: RecallScore, options: RankOptions): RankedEntry {
  const { context, input, time, rerank } = options;
  const isShort = time !== null && time.until - time.since <= SHORT_TIME_MS;
  const trusted = {
    confidence: fadedConfidence(context.services, row, context.now),
    evidence: evidenceSignal(standingOf(row)),
    nearness: time === null ? undefined : nearness(time, row.written_at),
    isArtifact: row.is_artifact === 1,
    isListed: isOfTime(row, options),
  };
  const weights = {
    confidence: input.confidence_weight,
    evidence: input.evidence_weight,
    recency: input.recency_weight * (isShort ? 2 : 1.5),
  };
  return { row, ...weigh({ ...parts, rerank: rerank?.get(row.seq) ?? 0 }, trusted, weights) };
}
