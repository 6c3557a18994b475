import { EMBEDDER_DIMENSIONS, EMBEDDER_NAME, readTable, readTableInBackground, type VectorTable } from './table.ts';
import { Tokenizer } from './tokenizer.ts';
import { Vocabulary } from './vocabulary.ts';

/** How much a token counts. */
export type TokenWeight = (token: number) => number;

export type EmbedderOptions = {
  /** The first 64 or 128 dimensions make a smaller, coarser vector. */
  dimensions?: 64 | 128 | 256;
  /** Where the files of the table are, if not in this package. */
  folder?: string;
};

/** Vectors have unit length, or are all zeros where a text has no word. */
export type Embedder = {
  readonly name: string;
  readonly dimensions: number;
  /** Reads the table now, off this thread where it can. Without this the first use reads it. */
  prepare(): Promise<void>;
  encode(text: string): Float32Array<ArrayBuffer>;
  /** The vectors of texts one after another. */
  encodeMany(texts: readonly string[]): Float32Array<ArrayBuffer>;
  /**
   * The vector of a question: each token counts as much as its weight, which is how rare it is in the store that is asked.
   * Texts in the store have no weights, so that their vectors stay valid while the store changes.
   */
  encodeQuestion(text: string, weightOf: TokenWeight): Float32Array<ArrayBuffer>;
  /**
   * Compares a question with texts word by word: the closeness of each word of the question to the closest one of a text,
   * from 0 to 1, on average by their weights. More exact than the vectors, and some hundred times as slow.
   */
  wordMatcher(question: string, weightOf: TokenWeight): (text: string) => number;
  /** The tokens of a text in its order, to count in how many texts of a store each occurs. */
  tokensOf(text: string): number[];
  /** The word or piece (`##ing`) that a token stands for. */
  wordOf(token: number): string;
};

/** Reads nothing yet. */
export function loadEmbedder({ dimensions = EMBEDDER_DIMENSIONS, folder }: EmbedderOptions = {}): Embedder {
  let loaded: LoadedTable | undefined;
  const now = (): LoadedTable => {
    loaded ??= new LoadedTable(readTable(folder), dimensions);
    return loaded;
  };
  return {
    name: EMBEDDER_NAME,
    dimensions,
    async prepare() {
      if (loaded) return;
      const table = await readTableInBackground(folder);
      loaded ??= new LoadedTable(table, dimensions);
    },
    encode: (text) => now().encodeInto(new Float32Array(dimensions), 0, text),
    encodeMany(texts) {
      const vectors = new Float32Array(texts.length * dimensions);
      const table = now();
      texts.forEach((text, at) => {
        table.encodeInto(vectors, at * dimensions, text);
      });
      return vectors;
    },
    encodeQuestion: (text, weightOf) => now().encodeWeighted(text, weightOf),
    wordMatcher: (question, weightOf) => now().wordMatcher(question, weightOf),
    tokensOf: (text) => now().tokensOf(text),
    wordOf: (token) => now().vocabulary.textOf(token),
  };
}

/** Rows that are compared at once, so that the other row is loaded a quarter as often. */
const FOUR = 4;

class LoadedTable {
  readonly vocabulary: Vocabulary;
  readonly #table: VectorTable;
  readonly #dimensions: number;
  readonly #tokenizer: Tokenizer;
  /** In double precision, which spares a rounding for each token and dimension. */
  readonly #sums: Float64Array;
  /** Zero where it is not known yet. */
  readonly #rowLengths: Float32Array;

  constructor(table: VectorTable, dimensions: number) {
    this.#table = table;
    this.#dimensions = dimensions;
    this.vocabulary = new Vocabulary(table.vocabulary, table.tokens);
    this.#tokenizer = new Tokenizer(this.vocabulary);
    this.#sums = new Float64Array(dimensions);
    this.#rowLengths = new Float32Array(table.tokens);
  }

  tokensOf(text: string): number[] {
    const { values, length } = this.#tokenizer.split(text);
    return Array.from(values.subarray(0, length));
  }

  encodeInto<Vectors extends Float32Array>(vectors: Vectors, from: number, text: string): Vectors {
    const { values, length } = this.#tokenizer.split(text);
    this.#sums.fill(0);
    for (let at = 0; at < length; at += 4) this.#addFour(values, at, length);
    this.#writeUnit(vectors, from);
    return vectors;
  }

  encodeWeighted(text: string, weightOf: TokenWeight): Float32Array<ArrayBuffer> {
    // A copy: the weights may come from code that uses this embedder.
    const tokens = this.tokensOf(text);
    const weights = tokens.map((token) => weightOf(token));
    const { rows, scales } = this.#table;
    const sums = this.#sums.fill(0);
    tokens.forEach((token, at) => {
      const scale = (scales[token] as number) * (weights[at] as number);
      const row = token * EMBEDDER_DIMENSIONS;
      for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] as number) + (rows[row + at] as number) * scale;
    });
    const vector = new Float32Array(this.#dimensions);
    this.#writeUnit(vector, 0);
    return vector;
  }

  wordMatcher(question: string, weightOf: TokenWeight): (text: string) => number {
    const asked = [...new Set(this.tokensOf(question))]
      .map((token) => ({ token, weight: weightOf(token) }))
      .filter(({ weight }) => weight > 0);
    const total = asked.reduce((sum, { weight }) => sum + weight, 0);
    const tokens = asked.map(({ token }) => token);
    const together = this.#rowsTogether(tokens);
    // Texts about the same share most of their words, so each word is compared once.
    const known = new Map<number, Float32Array>();
    const closenessOf = (token: number): Float32Array => {
      const closeness = known.get(token) ?? this.#closeness(token, tokens, together);
      known.set(token, closeness);
      return closeness;
    };
    const closest = new Float32Array(asked.length);
    return (text) => {
      if (total === 0) return 0;
      const { values, length } = this.#tokenizer.split(text);
      closest.fill(0);
      for (let at = 0; at < length; at++) {
        const closeness = closenessOf(values[at] as number);
        for (let one = 0; one < closest.length; one++)
          if ((closeness[one] as number) > (closest[one] as number)) closest[one] = closeness[one] as number;
      }
      return asked.reduce((sum, { weight }, one) => sum + weight * (closest[one] as number), 0) / total;
    };
  }

  /** Rows in groups of four, by dimension: so a row is compared with four others in one pass. Rows beyond the last are zeros. */
  #rowsTogether(tokens: readonly number[]): Int32Array {
    const dimensions = this.#dimensions;
    const groups = Math.ceil(tokens.length / FOUR);
    const together = new Int32Array(groups * FOUR * dimensions);
    tokens.forEach((token, place) => {
      const start = Math.floor(place / FOUR) * FOUR * dimensions + (place % FOUR);
      for (let at = 0; at < dimensions; at++)
        together[start + FOUR * at] = this.#table.rows[token * EMBEDDER_DIMENSIONS + at] as number;
    });
    return together;
  }

  /** How close a token is to each of some others. Rows are compared as they are stored: their scales do not change an angle. */
  #closeness(token: number, tokens: readonly number[], together: Int32Array): Float32Array {
    const { rows } = this.#table;
    const row = token * EMBEDDER_DIMENSIONS;
    const dimensions = this.#dimensions;
    const closeness = new Float32Array(tokens.length);
    for (let place = 0; place < tokens.length; place += FOUR) {
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let at = 0, from = place * dimensions; at < dimensions; at++, from += FOUR) {
        const value = rows[row + at] as number;
        a = (a + Math.imul(value, together[from] as number)) | 0;
        b = (b + Math.imul(value, together[from + 1] as number)) | 0;
        c = (c + Math.imul(value, together[from + 2] as number)) | 0;
        d = (d + Math.imul(value, together[from + 3] as number)) | 0;
      }
      // What is beyond the last is left out by the list.
      closeness[place] = a;
      closeness[place + 1] = b;
      closeness[place + 2] = c;
      closeness[place + 3] = d;
    }
    const length = this.#rowLength(token);
    return closeness.map((product, place) => {
      const other = tokens[place] as number;
      return other === token ? 1 : product / (this.#rowLength(other) * length);
    });
  }

  /** Of rows as they are stored: their scales do not change an angle. */
  #rowDot(a: number, b: number): number {
    const { rows } = this.#table;
    const fromA = a * EMBEDDER_DIMENSIONS;
    const fromB = b * EMBEDDER_DIMENSIONS;
    const dimensions = this.#dimensions;
    let sum = 0;
    for (let at = 0; at < dimensions; at++) sum += Math.imul(rows[fromA + at] as number, rows[fromB + at] as number);
    return sum;
  }

  #rowLength(token: number): number {
    this.#rowLengths[token] ||= Math.sqrt(this.#rowDot(token, token)) || 1;
    return this.#rowLengths[token] as number;
  }

  /** Four rows at once, so that sums are loaded and stored a quarter as often. Rows beyond the last token count nothing. */
  #addFour(tokens: Int32Array, from: number, end: number): void {
    const { rows, scales } = this.#table;
    const sums = this.#sums;
    const a = tokens[from] as number;
    const b = from + 1 < end ? (tokens[from + 1] as number) : a;
    const c = from + 2 < end ? (tokens[from + 2] as number) : a;
    const d = from + 3 < end ? (tokens[from + 3] as number) : a;
    const scaleA = scales[a] as number;
    const scaleB = from + 1 < end ? (scales[b] as number) : 0;
    const scaleC = from + 2 < end ? (scales[c] as number) : 0;
    const scaleD = from + 3 < end ? (scales[d] as number) : 0;
    const rowA = a * EMBEDDER_DIMENSIONS;
    const rowB = b * EMBEDDER_DIMENSIONS;
    const rowC = c * EMBEDDER_DIMENSIONS;
    const rowD = d * EMBEDDER_DIMENSIONS;
    for (let at = 0; at < sums.length; at++)
      sums[at] =
        (sums[at] as number) +
        (rows[rowA + at] as number) * scaleA +
        (rows[rowB + at] as number) * scaleB +
        (rows[rowC + at] as number) * scaleC +
        (rows[rowD + at] as number) * scaleD;
  }

  #writeUnit(vectors: Float32Array, from: number): void {
    const sums = this.#sums;
    let squares = 0;
    for (let at = 0; at < sums.length; at++) squares += (sums[at] as number) * (sums[at] as number);
    if (squares === 0) return;
    const factor = 1 / Math.sqrt(squares);
    for (let at = 0; at < sums.length; at++) vectors[from + at] = (sums[at] as number) * factor;
  }
}
