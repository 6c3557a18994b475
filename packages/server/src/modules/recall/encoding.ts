import { type Embedder, packedDot, packVector, signBits } from '@mem-service/embedder';
import { bestPassage } from './rules/best-passage.ts';
import { clusterOf } from './rules/clusters.ts';
import { HEAD_BYTES, nearestRecords, RECORD_BYTES, writeHead } from './rules/code-records.ts';
import { passagesOf, textOfValue } from './rules/passages.ts';
import { weightOfWord } from './rules/word-weights.ts';
import type { EmbeddedPart, EmbeddedText, EncodedQuestion, PassageQuestion, QuestionText } from './thread-tasks.ts';

/** What follows these parts of a long text is found by its words alone. */
const MAX_PARTS = 32;

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

  #vectorsOf(document: string): Float32Array[] {
    const vectors = passagesOf(textOf(document), MAX_PARTS).map((passage) => this.#embedder.encode(passage));
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

  /** As if the vectors were stored, so that a score does not change when they are. */
  compareDocuments(documents: readonly string[], question: EncodedQuestion): (number | null)[] {
    return documents.map((document) => {
      const cosines = this.#vectorsOf(document).map((vector) => packedDot(question, packVector(vector)));
      return cosines.length === 0 ? null : Math.max(...cosines);
    });
  }

  bestPassages(documents: readonly string[], { terms, question }: PassageQuestion): string[] {
    const cosine = (passage: string) =>
      question ? packedDot(question, packVector(this.#embedder.encode(passage))) : 0;
    return documents.map((document) => bestPassage(passagesOf(textOf(document)), terms, cosine));
  }
}

const textOf = (document: string): string => textOfValue((JSON.parse(document) as { value: unknown }).value);

const bytesOf = (words: Uint32Array): Uint8Array => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
