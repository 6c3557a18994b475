import {
  cosine,
  type Embedder,
  PACKED_HEAD_BYTES,
  packedDot,
  packVector,
  signBits,
  unpackVector,
} from '@mem-service/embedder';
import { nearestIn, recordsByCluster } from './rules/alike.ts';
import { bestPassage } from './rules/best-passage.ts';
import { clusterOf, nearestClusters } from './rules/clusters.ts';
import { HEAD_BYTES, nearestRecords, RECORD_BYTES, writeHead } from './rules/code-records.ts';
import { passagesOf, textOfValue } from './rules/passages.ts';
import { withoutCommon } from './rules/score.ts';
import { weightOfWord } from './rules/word-weights.ts';
import type { EmbeddedPart, EmbeddedText, EncodedQuestion, PassageQuestion, QuestionText } from './thread-tasks.ts';

/** What follows these parts of a long text is found by its words alone. */
const MAX_PARTS = 32;
/** Entries that say nearly the same are in the same cluster, or in one of these. */
const PROBED_CLUSTERS = 8;
/** Words are compared one by one in so many characters of a text. */
const MAX_MATCHED = 2_000;

/** What the thread of the embedder does. */
export class Encoding {
  readonly #embedder: Embedder;

  constructor(embedder: Embedder) {
    this.#embedder = embedder;
  }

  /** The vectors of documents as they are stored. A text without words has none. */
  embed(texts: readonly EmbeddedText[]): EmbeddedPart[] {
    return texts.flatMap(({ entry_id, document }) =>
      this.#vectorsOf(document).map((vector, part) => {
        const record = new Uint8Array(RECORD_BYTES);
        writeHead(record, entry_id, part);
        record.set(bytesOf(signBits(vector)), HEAD_BYTES);
        const [code, packed] = [base64(record), base64(packVector(vector))];
        return { entry_id, part, cluster: clusterOf(vector), code, vector: packed };
      }),
    );
  }

  /** Each passage with the path and the key, which often name what it is about. */
  #vectorsOf(document: string): Float32Array[] {
    const { name, text } = partsOf(document);
    const vectors = passagesOf(text, MAX_PARTS).map((passage) => this.#embedder.encode(`${name}\n${passage}`));
    return vectors.filter((vector) => vector.some((value) => value !== 0));
  }

  /** Words of the question weigh as much as they are rare in the store. */
  question({ text, weights }: QuestionText): EncodedQuestion {
    const weightOf = weightOfWord(weights);
    return this.#embedder.encodeQuestion(text, (token) => weightOf(this.#embedder.wordOf(token)));
  }

  nearest(codes: string, question: EncodedQuestion, most: number): number[] {
    return nearestRecords(Buffer.from(codes, 'base64'), bytesOf(signBits(question)), most);
  }

  compare(vectors: readonly string[], question: EncodedQuestion): number[] {
    return vectors.map((vector) => packedDot(question, Buffer.from(vector, 'base64')));
  }

  clustersOf(vectors: readonly string[]): number[] {
    return [...new Set(vectors.flatMap((vector) => nearestClusters(unpacked(vector), PROBED_CLUSTERS)))];
  }

  alike(codes: string, vectors: readonly string[], most: number): number[][] {
    const clusters = recordsByCluster(Buffer.from(codes, 'base64'));
    return vectors.map((packed) => {
      const vector = unpacked(packed);
      const probed = nearestClusters(vector, PROBED_CLUSTERS);
      return nearestIn(clusters, { probed, bits: bytesOf(signBits(vector)), most });
    });
  }

  cosines(vectors: readonly string[], among: readonly (readonly string[])[]): number[][] {
    const known = new Map<string, Float32Array>();
    const of = (packed: string): Float32Array => {
      const vector = known.get(packed) ?? unpacked(packed);
      known.set(packed, vector);
      return vector;
    };
    return vectors.map((vector, at) => (among[at] ?? []).map((other) => cosine(of(vector), of(other))));
  }

  centre(question: EncodedQuestion, vectors: readonly string[]): EncodedQuestion {
    const sums = new Float64Array(question.length);
    for (const vector of vectors) addPacked(sums, Buffer.from(vector, 'base64'));
    const average = Float32Array.from(sums, (sum) => sum / Math.max(vectors.length, 1));
    return withoutCommon(question, average);
  }

  related(documents: readonly string[], { text, weights }: QuestionText): number[] {
    const weightOf = weightOfWord(weights);
    const match = this.#embedder.wordMatcher(text, (token) => weightOf(this.#embedder.wordOf(token)));
    return documents.map((document) => {
      const { name, text } = partsOf(document);
      return match(`${name}\n${text.slice(0, MAX_MATCHED)}`);
    });
  }

  bestPassages(documents: readonly string[], { terms, question }: PassageQuestion): string[] {
    const cosine = (passage: string) =>
      question ? packedDot(question, packVector(this.#embedder.encode(passage))) : 0;
    return documents.map((document) => bestPassage(passagesOf(partsOf(document).text), terms, cosine));
  }
}

type StoredText = { entity_path: string; key: string; value: unknown };

function partsOf(document: string): { name: string; text: string } {
  const { entity_path, key, value } = JSON.parse(document) as StoredText;
  return { name: `${entity_path} ${key}`, text: textOfValue(value) };
}

function addPacked(sums: Float64Array, packed: Buffer): void {
  const factor = packed.readFloatLE(0);
  const values = new Int8Array(packed.buffer, packed.byteOffset + PACKED_HEAD_BYTES, sums.length);
  for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] as number) + (values[at] as number) * factor;
}

const bytesOf = (words: Uint32Array): Uint8Array => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
const unpacked = (packed: string): Float32Array => unpackVector(Buffer.from(packed, 'base64'));
const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
