import { describe, expect, it } from 'vitest';
import { fillBudget } from './budget.ts';
import { CLUSTER_WORDS } from './cluster-words.ts';
import { CLUSTERS, clustersAround, clustersBySigns, clustersToRead } from './clusters.ts';
import { entryIdAt, nearestRecords, recordBytes, recordOf, removeRecords } from './code-records.ts';
import { passagesOf, textOfValue } from './passages.ts';
import { placesOf } from './places.ts';
import { fromZero, weigh } from './trust.ts';

describe('records of vectors in bits', () => {
  const DIMENSIONS = [32, 256, 768];
  const vector = (dimensions: number, from: number) =>
    Int8Array.from({ length: dimensions }, (_, at) => Math.round(100 * Math.sin((at + 1) * from)));
  const record = (entry_id: number, from: number, { dimensions = 256, part = 3 } = {}) =>
    recordOf({ entry_id, part }, vector(dimensions, from));

  it('keep numbers of entries of up to 48 bits', () => {
    for (const id of [0, 1, 2 ** 24, 2 ** 33 + 5, 2 ** 48 - 1]) expect(entryIdAt(record(id, 1), 0)).toBe(id);
  });

  it.each(DIMENSIONS)(
    'of %i dimensions are joined as texts, and found by their vectors, each entry once',
    (dimensions) => {
      const made = [
        record(7, 1, { dimensions }),
        record(9, 2, { dimensions }),
        record(7, 1.01, { dimensions, part: 4 }),
      ];
      const text = [Buffer.concat(made), record(8, 3, { dimensions })]
        .map((bytes) => Buffer.from(bytes).toString('base64'))
        .join('');
      const records = Buffer.from(text, 'base64');
      expect(records).toHaveLength(4 * recordBytes(dimensions));
      for (const [id, from] of [
        [7, 1],
        [9, 2],
        [8, 3],
      ] as const) {
        const question = Float32Array.from(vector(dimensions, from), (value) => value / 100);
        expect(nearestRecords([records], question, 10)[0]).toBe(id);
        expect(nearestRecords([records], question, 10)).toHaveLength(3);
        expect(nearestRecords([records], question, 1)).toEqual([id]);
      }
      expect(nearestRecords([new Uint8Array(0)], new Float32Array(dimensions), 5)).toEqual([]);
    },
  );

  it('are chosen as a sort of all would choose them', () => {
    const all = Array.from({ length: 3000 }, (_, at) => record(at, 1 + at / 999));
    const question = Float32Array.from(vector(256, 2.5), (value) => value / 100);
    const nearest = nearestRecords([Buffer.concat(all)], question, 3000);
    expect(nearest).toHaveLength(3000);
    expect(nearestRecords(all, question, 50)).toEqual(nearest.slice(0, 50));
  });

  it('are taken out of a block by entry and part', () => {
    const block = Buffer.concat([record(7, 1), record(9, 2), record(7, 3, { part: 4 })]);
    const removed = [{ entry_id: 7, part: 3 }];
    const left = removeRecords(block, removed, recordBytes(256));
    expect(Buffer.from(left)).toEqual(Buffer.concat([record(9, 2), record(7, 3, { part: 4 })]));
  });
});

describe('clusters', () => {
  const vector = Float32Array.from({ length: 256 }, (_, at) => Math.sin(at + 1));
  const anchors = Array.from({ length: CLUSTERS }, (_, n) => vector.map((_, at) => Math.sin((at + 1) * (n + 2))));

  it.each([
    ['by signs', clustersBySigns],
    ['around words', clustersAround(anchors)],
  ])('%s begin with that of the vector itself, and are each named once', (_, clusters) => {
    const all = clusters.nearest(vector);
    expect(all[0]).toBe(clusters.clusterOf(vector));
    expect(new Set(all).size).toBe(CLUSTERS);
  });

  it('around words are the same for one vector and for many', () => {
    const clusters = clustersAround(anchors.slice(0, 255));
    const vectors = anchors.slice(0, 7).map((anchor, n) => anchor.map((value, at) => value + Math.cos(n * at) / 2));
    expect(clusters.clustersOf(vectors)).toEqual(vectors.map((one) => clusters.nearest(one)[0]));
    expect(clusters.clustersOf(vectors.slice(0, 6))).toEqual(vectors.slice(0, 6).map((one) => clusters.clusterOf(one)));
  });

  it('are as many as there are words for them', () => {
    expect(new Set(CLUSTER_WORDS).size).toBe(CLUSTERS);
  });

  it('are read in a share that falls while the number of vectors rises', () => {
    const read = [1_000, 100_000, 1_000_000, 10_000_000].map(clustersToRead);
    expect(read[0]).toBe(CLUSTERS);
    expect(read).toEqual(read.toSorted((a, b) => b - a));
    const vectors = (count: number) => (count * clustersToRead(count)) / CLUSTERS;
    expect(vectors(1_000_000)).toBeGreaterThan(vectors(100_000));
  });
});

describe('passages', () => {
  it('are whole sentences, and lose nothing of a text', () => {
    const text = 'One sentence of some length stands here. '.repeat(60).trim();
    const passages = passagesOf(text);
    expect(passages.length).toBeGreaterThan(2);
    expect(passages.join(' ')).toBe(text);
    for (const passage of passages) expect(passage).toMatch(/\.$/);
  });

  it('are cut between words where a sentence has no end', () => {
    const text = 'word '.repeat(1000).trim();
    for (const passage of passagesOf(text)) expect(passage).toMatch(/^(word ?)+$/);
    expect(passagesOf('x'.repeat(5000)).join('')).toHaveLength(5000);
    expect(passagesOf(text, 2)).toHaveLength(2);
  });

  it('of a value are its texts and names', () => {
    expect(textOfValue('as it is')).toBe('as it is');
    expect(textOfValue({ a: 1, b: { c: ['x', true, null] } })).toBe('a: 1\nc: x\nc: true');
    expect(textOfValue(null)).toBe('');
  });
});

describe('places in what an agent wrote', () => {
  const window = (seq: number, before: number[], after: number[]) => ({ agent_id: 'a', seq, before, after });

  it('are consecutive where windows overlap, and far apart where they do not', () => {
    const places = placesOf([window(30, [20, 10], [40, 50]), window(50, [40, 30], [60]), window(90, [80, 70], [])]);
    const of = (seq: number) => places.get(seq) as number;
    expect([20, 30, 40, 50, 60].map((seq) => of(seq) - of(10))).toEqual([1, 2, 3, 4, 5]);
    expect(of(70) - of(60)).toBeGreaterThan(2);
  });

  it('of another agent are no neighbours by themselves', () => {
    const places = placesOf([window(1, [], [3]), { ...window(2, [], []), agent_id: 'b' }]);
    expect([...places.keys()].sort()).toEqual([1, 2, 3]);
  });
});

describe('trust', () => {
  const parts = { meaning: 0.4, words: 0.6, related: 0, neighbours: 0, rerank: 0 };
  const weights = { confidence: 0.2, evidence: 0.15, recency: 0.3 };
  const entry = { confidence: 1, evidence: 0, isArtifact: false };

  it('adds at most half of what fits, and its parts add up', () => {
    const { score, breakdown } = weigh(parts, { ...entry, evidence: 1 }, weights);
    expect(score).toBeCloseTo(1.5);
    expect(Object.values(breakdown).reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 4);
  });

  it('makes nothing better that does not fit', () => {
    const { score, breakdown } = weigh({ ...parts, meaning: -2 }, { ...entry, nearness: 1 }, weights);
    expect(breakdown).toMatchObject({ confidence: 0, evidence: 0, recency: 0 });
    expect(score).toBeCloseTo(-1.4);
  });

  it('shows no score below 0, in the same order and steps, and parts still add up', () => {
    const scores = [0.3, -0.2, -0.5].map((meaning) => weigh({ ...parts, words: 0, meaning }, entry, weights));
    const shown = fromZero(scores);
    expect(shown.map(({ score }) => score)).toEqual(scores.map(({ score }) => Math.round((score + 0.5) * 1e4) / 1e4));
    for (const { score, breakdown } of shown)
      expect(Object.values(breakdown).reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 4);
    expect(fromZero(scores.slice(0, 1))).toEqual(scores.slice(0, 1));
  });

  it('halves artifacts, and lifts what was written at the time of the question', () => {
    expect(weigh(parts, { ...entry, isArtifact: true }, weights).score).toBeLessThan(
      weigh(parts, entry, weights).score,
    );
    expect(weigh(parts, { ...entry, nearness: 1 }, weights).breakdown.recency).toBeCloseTo(0.3);
  });
});

describe('a budget', () => {
  it('takes whole texts, best first, and a smaller one after one that is too large', () => {
    const texts = [{ tokens: 5 }, { tokens: 9 }, { tokens: 4 }];
    expect(fillBudget(texts, { limit: 10, tokens: 10 })).toEqual({ kept: [texts[0], texts[2]], left: [texts[1]] });
    expect(fillBudget(texts, { limit: 2 })).toEqual({ kept: texts.slice(0, 2), left: [] });
  });
});
