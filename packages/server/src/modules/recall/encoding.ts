import {
  addPacked,
  cosine,
  dot,
  type Embedder,
  packedDot,
  packedDots,
  packVector,
  unpackVector,
} from '@mem-service/embedder';
import { bestPassage } from './rules/best-passage.ts';
import { CLUSTER_WORDS } from './rules/cluster-words.ts';
import { type ClusteringOfMany, clustersAround } from './rules/clusters.ts';
import { nearestRecords } from './rules/code-records.ts';
import { unpackTexts } from './rules/packed-texts.ts';
import { passagesOf, textOfValue } from './rules/passages.ts';
import { withoutCommon } from './rules/score.ts';
import { weightOfWord } from './rules/word-weights.ts';
import { type EmbeddedPart, storedPart } from './stored-part.ts';
import type {
  ComparedVectors,
  EmbeddedText,
  EncodedQuestion,
  PassageQuestion,
  QuestionText,
  QuestionVectors,
  RelatedQuestion,
  ThreadTasks,
} from './thread-tasks.ts';
import { sumsOf } from './vector-sums.ts';

/** What follows these parts of a long text is found by its words alone. */
const MAX_PARTS = 32;
/** Fewer vectors have nothing in common that could be taken out without taking out what they say. */
const LEAST_COMMON = 20;
/** Entries that say nearly the same are in the same cluster, or in one of these. */
const PROBED_CLUSTERS = 8;
/** Words are compared one by one in so many characters of a text. */
const MAX_MATCHED = 2_000;

/** What the thread of the embedder does. */
export class Encoding {
  readonly #embedder: Embedder;
  #known: ClusteringOfMany | undefined;

  constructor(embedder: Embedder) {
    this.#embedder = embedder;
  }

  get #clusters(): ClusteringOfMany {
    this.#known ??= clustersAround(CLUSTER_WORDS.map((word) => this.#embedder.encode(word)));
    return this.#known;
  }

  /** The vectors of documents as they are stored. A text without words has none. */
  embed(texts: readonly EmbeddedText[]): EmbeddedPart[] {
    const passages = texts.flatMap(({ entry_id, document }) => textsOf(document).map((text) => ({ entry_id, text })));
    // In one piece of memory: to allocate a vector takes half as long as to make it.
    const vectors = this.#embedder.encodeMany(passages.map(({ text }) => text));
    const { dimensions } = this.#embedder;
    const made = passages
      .map(({ entry_id }, at) => ({ entry_id, vector: vectors.subarray(at * dimensions, (at + 1) * dimensions) }))
      .filter(({ vector }) => vector.some((value) => value !== 0));
    const clusters = this.#clusters.clustersOf(made.map(({ vector }) => vector));
    let part = 0;
    return made.map(({ entry_id, vector }, at) => {
      part = made[at - 1]?.entry_id === entry_id ? part + 1 : 0;
      return storedPart({ entry_id, part, vector, cluster: clusters[at] as number });
    });
  }

  /** Words of the question weigh as much as they are rare in the store. */
  question({ text, weights }: QuestionText): EncodedQuestion {
    const weightOf = weightOfWord(weights);
    return this.#embedder.encodeQuestion(text, (token) => weightOf(this.#embedder.wordOf(token)));
  }

  nearest(blocks: readonly Uint8Array[], question: EncodedQuestion, most: number): number[] {
    return nearestRecords(blocks, question, most);
  }

  compare({ vectors, count, question }: ThreadTasks['compare']['input']): number[] {
    return packedDots(question, unpackTexts(vectors, count));
  }

  clustersOf(vectors: readonly string[]): number[][] {
    return vectors.map((vector) => this.#clusters.nearest(unpacked(vector)).slice(0, PROBED_CLUSTERS));
  }

  fitting({ blocks, vectors, clusters, most }: ThreadTasks['fitting']['input']): number[][] {
    const byCluster = new Map<number, Uint8Array[]>();
    for (const { cluster, records } of blocks) byCluster.set(cluster, [...(byCluster.get(cluster) ?? []), records]);
    return vectors.map((vector, at) => {
      const near = (clusters[at] ?? []).flatMap((cluster) => byCluster.get(cluster) ?? []);
      return nearestRecords(near, unpacked(vector), most);
    });
  }

  alike({ from, own, others, among, least, most }: ComparedVectors): ThreadTasks['alike']['output'] {
    const known = [...own, ...others].map(unpacked);
    return among.map((places, no) => {
      const at = from + no;
      const vector = known[at] as Float32Array;
      const nearest = (of: Iterable<number>) =>
        Array.from(of, (place) => ({ place, cosine: cosine(vector, known[place] as Float32Array) }))
          .filter((one) => one.place !== at && one.cosine >= least)
          .sort((a, b) => b.cosine - a.cosine || a.place - b.place)
          .slice(0, most);
      return [...nearest(own.keys()), ...nearest(places)];
    });
  }

  /** Without sums all vectors are given, and no cluster has to be read. */
  ask({ vectors, count, sums: of, ...text }: ThreadTasks['ask']['input']): QuestionVectors | undefined {
    const asked = this.question(text);
    if (asked.every((value) => value === 0)) return undefined;
    const packed = unpackTexts(vectors, count);
    const sums = new Float64Array(asked.length);
    for (const one of of) for (const [at, sum] of sumsOf(one).entries()) sums[at] = (sums[at] as number) + sum;
    addPacked(sums, packed);
    const all = of.reduce((sum, one) => sum + one.vectors, count);
    const average = Float32Array.from(sums, (sum) => (all < LEAST_COMMON ? 0 : sum / all));
    const question = withoutCommon(asked, average);
    return {
      question,
      clusters: of.length === 0 ? [] : this.#clusters.nearest(question),
      cosines: packedDots(question, packed),
    };
  }

  related({ documents, text, weights, question }: RelatedQuestion): ThreadTasks['related']['output'] {
    const weightOf = weightOfWord(weights);
    const match = this.#embedder.wordMatcher(text, (token) => weightOf(this.#embedder.wordOf(token)));
    const parts = documents.map(partsOf);
    return {
      words: parts.map(({ name, text }) => match(`${name}\n${text.slice(0, MAX_MATCHED)}`)),
      names: question ? parts.map(({ name }) => dot(question, this.#embedder.encode(name))) : [],
    };
  }

  bestPassages(documents: readonly string[], { terms, question }: PassageQuestion): string[] {
    const cosine = (passage: string) =>
      question ? packedDot(question, packVector(this.#embedder.encode(passage))) : 0;
    return documents.map((document) => bestPassage(passagesOf(partsOf(document).text), terms, cosine));
  }
}

type StoredText = { entity_path: string; key: string; value: unknown };

/** The texts that vectors are made of: each passage with the path and the key, which often name what it is about. */
export function textsOf(document: string): string[] {
  const { name, text } = partsOf(document);
  return passagesOf(text, MAX_PARTS).map((passage) => `${name}\n${passage}`);
}

function partsOf(document: string): { name: string; text: string } {
  const { entity_path, key, value } = JSON.parse(document) as StoredText;
  return { name: `${entity_path} ${key}`, text: textOfValue(value) };
}

const unpacked = (packed: string): Float32Array => unpackVector(Buffer.from(packed, 'base64'));
