// Ranks texts for questions in the ways that the service can, with its own words, stems, BM25 and scores.
import {
  dot,
  hammingAt,
  loadEmbedder,
  PACKED_HEAD_BYTES,
  packedDot,
  packVector,
  signBits,
} from '../../packages/embedder/src/index.ts';
import { isAskingWord, questionTerms } from '../../packages/server/src/modules/recall/rules/question.ts';
import { rarity, scoreCandidates, withoutCommon } from '../../packages/server/src/modules/recall/rules/score.ts';
import { countTerms, rankTexts } from '../../packages/server/src/modules/text/rules/rank.ts';
import { wordsOfEntry } from '../../packages/server/src/modules/text/rules/words.ts';

export const WAYS = ['words', 'meaning', 'meaning in bits and bytes', 'fused', 'fused, with neighbours'];
const DEPTHS = [5, 10, 20];
/** How many the first pass over bits leaves to the second over bytes. */
const FIRST_PASS = 200;
/** How many of the best are compared word by word. */
const COMPARED = 100;

const embedder = loadEmbedder();

/** Texts `{ id, text, also, sequence, place }`: `also` is its path and key, or who said it. */
export function indexTexts(texts) {
  const whole = texts.map(({ text, also }) => `${also} ${text}`);
  const vectors = whole.map((text) => embedder.encode(text));
  const tokenCounts = new Map();
  for (const text of whole)
    for (const token of new Set(embedder.tokensOf(text))) tokenCounts.set(token, (tokenCounts.get(token) ?? 0) + 1);
  return {
    texts,
    whole,
    vectors,
    tokenCounts,
    average: vectors[0].map((_, at) => vectors.reduce((sum, vector) => sum + vector[at], 0) / vectors.length),
    words: texts.map(({ text, also }) => wordsOfEntry({ entity_path: also, key: '', value: text })),
    bits: vectors.map((vector) => signBits(vector)),
    bytes: vectors.map((vector) => packVector(vector)),
  };
}

/** For each way the places of texts, best first. */
export function rankings(index, question) {
  const { texts, whole, vectors, tokenCounts } = index;
  const weightOf = (token) =>
    isAskingWord(embedder.wordOf(token)) ? 0 : rarity(texts.length, tokenCounts.get(token) ?? 0);
  const vector = withoutCommon(embedder.encodeQuestion(question, weightOf), index.average);
  const cosines = vectors.map((one) => dot(vector, one));
  const counted = index.words.map((words) => countTerms(words, questionTerms(question)));
  const bm25 = rankTexts(counted);
  const weights = counted[0].counts.map((_, term) =>
    rarity(texts.length, counted.filter(({ counts }) => counts[term] > 0).length),
  );
  const candidates = texts.map(({ sequence, place }, at) => ({ cosine: cosines[at], bm25: bm25[at], sequence, place }));
  const matcher = embedder.wordMatcher(question, weightOf);
  const known = new Map();
  const closeness = (at) => known.get(at) ?? known.set(at, matcher(whole[at])).get(at);
  const comparedOne = (at) => ({ related: closeness(at), name: dot(vector, embedder.encode(texts[at].also)) });
  const scored = (neighbours) => {
    const options = { weights, neighbours };
    const scoresOf = (all) => scoreCandidates(all, options).map(({ score }) => score);
    const best = new Set(order(scoresOf(candidates)).slice(0, COMPARED));
    return order(scoresOf(candidates.map((one, at) => (best.has(at) ? { ...one, ...comparedOne(at) } : one))));
  };
  return {
    words: order(bm25).filter((at) => bm25[at] > 0),
    meaning: order(cosines),
    'meaning in bits and bytes': inTwoPasses(index, vector),
    fused: scored(false),
    'fused, with neighbours': scored(true),
  };
}

const order = (scores) => scores.map((_, at) => at).sort((a, b) => scores[b] - scores[a] || a - b);

function inTwoPasses({ bits, bytes }, vector) {
  const asked = signBits(vector);
  const near = order(bits.map((one) => -hammingAt(asked, one))).slice(0, FIRST_PASS);
  const scores = near.map((at) => packedDot(vector, bytes[at]));
  return order(scores).map((at) => near[at]);
}

/** The bytes that a text takes in the two passes. */
export const BYTES_PER_TEXT = embedder.dimensions / 8 + PACKED_HEAD_BYTES + embedder.dimensions;

/** Sums up how well rankings find the targets of questions. */
export class Tally {
  questions = 0;
  #sums = new Map();

  add(index, { targets }, ranked) {
    this.questions++;
    const wanted = new Set(targets);
    for (const way of WAYS) {
      const found = ranked[way].slice(0, DEPTHS.at(-1)).map((at) => wanted.has(index.texts[at].id));
      const first = ranked[way].findIndex((at) => wanted.has(index.texts[at].id));
      const sums = this.#sums.get(way) ?? { mrr: 0, recalls: DEPTHS.map(() => 0) };
      this.#sums.set(way, sums);
      if (first >= 0) sums.mrr += 1 / (first + 1);
      DEPTHS.forEach((depth, at) => {
        sums.recalls[at] += found.slice(0, depth).filter(Boolean).length / wanted.size;
      });
    }
  }

  /** In percent, the mean reciprocal rank too. */
  figures() {
    const percent = (sum) => Math.round((1000 * sum) / Math.max(this.questions, 1)) / 10;
    return Object.fromEntries(
      [...this.#sums].map(([way, { mrr, recalls }]) => [
        way,
        {
          ...Object.fromEntries(DEPTHS.map((depth, at) => [`recall@${depth}`, percent(recalls[at])])),
          mrr: percent(mrr),
        },
      ]),
    );
  }
}
