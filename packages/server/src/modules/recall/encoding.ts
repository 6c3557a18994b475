import { type Embedder, PACKED_HEAD_BYTES, packedDot, packVector, signBits } from '@mem-service/embedder';
import { bestPassage } from './rules/best-passage.ts';
import { clusterOf } from './rules/clusters.ts';
import { nearestRecords } from './rules/code-records.ts';
import { passagesOf, textOfValue } from './rules/passages.ts';
import { withoutCommon } from './rules/score.ts';
import { weightOfWord } from './rules/word-weights.ts';
import { type EmbeddedPart, storedPart } from './stored-part.ts';
import type { EmbeddedText, EncodedQuestion, PassageQuestion, QuestionText } from './thread-tasks.ts';

/** What follows these parts of a long text is found by its words alone. */
const MAX_PARTS = 32;
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
      this.#vectorsOf(document).map((vector, part) =>
        storedPart({ entry_id, part, vector, cluster: clusterOf(vector) }),
      ),
    );
  }

  #vectorsOf(document: string): Float32Array[] {
    const vectors = textsOf(document).map((text) => this.#embedder.encode(text));
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

/** The texts that vectors are made of: each passage with the path and the key, which often name what it is about. */
export function textsOf(document: string): string[] {
  const { name, text } = partsOf(document);
  return passagesOf(text, MAX_PARTS).map((passage) => `${name}\n${passage}`);
}

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
