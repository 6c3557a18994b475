import { describe, expect, it } from 'vitest';
import { rerankedFits } from '../../rules/rerank.ts';
import { readEmbeddings, readRanking } from './answers.ts';
import { axesOf } from './axes.ts';
import { prefixesOf } from './prefixes.ts';
import { Rests } from './rests.ts';
import { scaleOf } from './scale.ts';
import { TokenBucket } from './token-bucket.ts';

const SIZES = { count: 1, cut: null, most: 4_096 };
const answerOf = (embedding: unknown, more: object = {}) => ({ data: [{ embedding, ...more }] });

describe('vectors of a server', () => {
  it.each([8, 384, 1_024, 4_096])('of %i dimensions are read, with a length of 1', (dimensions) => {
    const read = readEmbeddings(answerOf(new Array(dimensions).fill(3e37)), SIZES);
    if (typeof read === 'string') throw new Error(read);
    const [vector] = read.vectors;
    expect(vector).toHaveLength(dimensions);
    expect(vector?.reduce((sum, value) => sum + value * value, 0)).toBeCloseTo(1, 4);
  });

  it('are cut where they are longer than wanted, and are then of length 1 again', () => {
    const read = readEmbeddings(answerOf([3, 4, 0, 0, 0, 0, 0, 0, 9, 9]), { ...SIZES, cut: 8 });
    if (typeof read === 'string') throw new Error(read);
    expect(Array.from(read.vectors[0] ?? []).slice(0, 2)).toEqual([Math.fround(0.6), Math.fround(0.8)]);
  });

  it.each([
    [null, 'no list `data`'],
    [answerOf([1, 2]), '2 dimensions, not 8 to 4096'],
    [answerOf('text'), 'not a list of numbers'],
    [answerOf(new Array(8).fill('1')), 'not a finite number'],
    [answerOf(new Array(8).fill(1), { index: 1 }), 'not numbered one by one'],
    [answerOf(new Array(8).fill(1), { index: '__proto__' }), 'not numbered one by one'],
    [{ data: [] }, '0 vectors for 1 texts'],
  ])('that are wrong are refused: %o', (answer, problem) => {
    expect(readEmbeddings(answer, SIZES)).toContain(problem);
  });

  it('that are all zeros are none', () => {
    expect(readEmbeddings(answerOf(new Array(8).fill(0)), SIZES)).toEqual({ vectors: [null], tokens: 0 });
  });
});

describe('the order of a reranker', () => {
  it('may name some texts only, with scores below zero', () => {
    const results = [{ index: 2, relevance_score: -1.5 }];
    expect(readRanking({ results }, 3)).toEqual([undefined, undefined, -1.5]);
    expect(readRanking([{ index: 0, score: 2 }], 1)).toEqual([2]);
  });

  it('exchanges how well entries fit, and changes none of the numbers', () => {
    const fits = [0.9, 0.5, 0.1, -0.2];
    expect(rerankedFits(fits, [0.1, 0.2, 0.9, undefined])).toEqual([0.1, 0.5, 0.9, -0.2]);
    expect(rerankedFits(fits, [undefined, undefined, 0.3, undefined])).toEqual([0.5, 0.1, 0.9, -0.2]);
    expect(rerankedFits([], [])).toEqual([]);
  });
});

describe('cosines of a model', () => {
  it('get the mean and the spread that the built-in embedder has for the same entries', () => {
    const pairs = Array.from({ length: 20 }, (_, n) => ({ builtin: 0.01 * n, model: 0.8 + 0.001 * n }));
    const scale = scaleOf(pairs, []);
    expect(scale(0.8)).toBeCloseTo(0, 6);
    expect(scale(0.819)).toBeCloseTo(0.19, 6);
  });

  it('are finite also where there is nothing to compare with', () => {
    for (const models of [[], [0.7], [0.7, 0.7], [0.7, 0.9]])
      expect(Number.isFinite(scaleOf([], models)(0.8))).toBe(true);
    expect(scaleOf([], [0.7, 0.9])(0.9)).toBeGreaterThan(scaleOf([], [0.7, 0.9])(0.7));
  });
});

describe('the axes of clusters', () => {
  it('divide vectors of any model, also of one whose dimensions are never negative', () => {
    const clusters = new Set<string>();
    for (let n = 1; n <= 200; n++) {
      const vector = Float32Array.from({ length: 384 }, (_, at) => 1 + Math.sin(n * (at + 1) * 1.7));
      clusters.add(Array.from(axesOf(vector), Math.sign).join());
    }
    expect(clusters.size).toBeGreaterThan(20);
  });
});

describe('a budget of tokens', () => {
  it('may be overdrawn once, and is then made up for', () => {
    const bucket = new TokenBucket(60, 0);
    expect(bucket.waitMs(0)).toBe(0);
    bucket.take(120, 0);
    expect(bucket.waitMs(0)).toBe(61_000);
    expect(bucket.waitMs(61_000)).toBe(0);
    // A clock that was set back gives nothing, and takes nothing.
    bucket.take(60, 61_000);
    expect(bucket.waitMs(0)).toBeGreaterThan(0);
  });

  it('waits no longer than two minutes for whatever a server says it took', () => {
    const bucket = new TokenBucket(1_000, 0);
    bucket.take(9e11, 0);
    expect(bucket.waitMs(0)).toBeLessThanOrEqual(120_000);
  });
});

describe('a server that failed', () => {
  it('rests twice as long after each failure, or as long as it asks for, and not at all after an answer', () => {
    const rests = new Rests();
    const failure = { reason: 'timeout', detail: '' } as const;
    rests.begin('a', failure, 0);
    expect([rests.reasonAt('a', 999), rests.reasonAt('a', 1_000)]).toEqual(['timeout', undefined]);
    rests.begin('a', failure, 1_000);
    expect([rests.reasonAt('a', 2_999), rests.reasonAt('a', 3_000)]).toEqual(['timeout', undefined]);
    rests.begin('a', { ...failure, retry_after_ms: 90_000 }, 3_000);
    expect(rests.reasonAt('a', 92_999)).toBe('timeout');
    expect(rests.reasonAt('b', 0)).toBeUndefined();
    rests.end('a');
    expect(rests.reasonAt('a', 0)).toBeUndefined();
  });
});

describe('words before a text', () => {
  it('are those that the model was trained with', () => {
    expect(prefixesOf('nomic-embed-text:v1.5')).toEqual({ question: 'search_query: ', text: 'search_document: ' });
    expect(prefixesOf('intfloat/multilingual-e5-large')).toEqual({ question: 'query: ', text: 'passage: ' });
    expect(prefixesOf('text-embedding-3-small')).toEqual({ question: '', text: '' });
  });
});
