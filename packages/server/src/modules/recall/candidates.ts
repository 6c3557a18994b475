import type { ReadContext } from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { findDocuments } from '../entries/index.ts';
import type { FoundRow } from '../search/index.ts';
import { type CountedText, type Term, termCounter, wordsOfParsed } from '../text/index.ts';
import { type CosinePair, scaleOf } from './models/rules/scale.ts';
import { sequenceOf } from './rules/places.ts';

/** An entry that may answer a question. */
export type RecallEntry = {
  row: FoundRow;
  counted: CountedText;
  /** What it was written in. */
  sequence: string;
  /** Undefined where its meaning was not compared, or where it has no vector. Cosines of a model are on the scale of the built-in embedder. */
  cosine: number | undefined;
  cosines: EmbedderCosines;
  /** Whether its vectors were looked up. */
  isCompared: Partial<Record<keyof EmbedderCosines, boolean>>;
  /** Undefined where its words were not compared one by one. */
  related: number | undefined;
  /** How near its path and key are; compared with the same ones. */
  name: number | undefined;
};

/** As each embedder compared it. */
export type EmbedderCosines = { builtin?: number | undefined; model?: number | undefined };

/** The entries that may answer a question, each once. */
export class RecallEntries {
  readonly #context: ReadContext;
  readonly #count: (words: readonly string[]) => CountedText;
  readonly #entries = new Map<number, RecallEntry>();
  #scale: ((cosine: number) => number) | undefined;

  constructor(context: ReadContext, terms: readonly Term[]) {
    this.#context = context;
    this.#count = termCounter(terms);
  }

  get all(): RecallEntry[] {
    return [...this.#entries.values()];
  }

  has(seq: number): boolean {
    return this.#entries.has(seq);
  }

  get(seq: number): RecallEntry | undefined {
    return this.#entries.get(seq);
  }

  async add(rows: readonly FoundRow[]): Promise<void> {
    for (const row of rows) {
      if (this.#entries.has(row.seq)) continue;
      const text = this.#read(row);
      const { counted, sequence } = text instanceof Promise ? await text : text;
      const fresh = { cosine: undefined, cosines: {}, isCompared: {}, related: undefined, name: undefined };
      this.#entries.set(row.seq, { row, counted, sequence, ...fresh });
      const turn = pause();
      if (turn !== undefined) await turn;
    }
  }

  drop(seqs: readonly number[]): void {
    for (const seq of seqs) this.#entries.delete(seq);
  }

  /** Cosines by `seq`. */
  compare(cosines: ReadonlyMap<number, number>, by: keyof EmbedderCosines): void {
    for (const [seq, entry] of this.#entries) {
      entry.cosines[by] ??= cosines.get(seq);
      entry.cosine = this.#cosineOf(entry);
    }
  }

  /** From here on a model outside the service is believed rather than the built-in embedder. */
  preferModel(): void {
    const compared = this.all.map(({ cosines }) => cosines);
    const isPair = (one: EmbedderCosines): one is CosinePair => one.builtin !== undefined && one.model !== undefined;
    const models = compared.flatMap(({ model }) => model ?? []);
    this.#scale = scaleOf(compared.filter(isPair), models);
    for (const entry of this.#entries.values()) entry.cosine = this.#cosineOf(entry);
  }

  #cosineOf({ cosines: { builtin, model } }: RecallEntry): number | undefined {
    return model === undefined || this.#scale === undefined ? builtin : this.#scale(model);
  }

  #read(row: FoundRow): ReadText | Promise<ReadText> {
    return row.document === null ? this.#readLong(row) : this.#readDocument(row.document);
  }

  /** A long document is loaded for its words alone: all of them together may have hundreds of megabytes. */
  async #readLong(row: FoundRow): Promise<ReadText> {
    const { scan, view } = this.#context;
    const [document] = await findDocuments(scan, view.account_id, [row]);
    return document === undefined ? { counted: this.#count([]), sequence: '' } : this.#readDocument(document);
  }

  #readDocument(document: string): ReadText | Promise<ReadText> {
    const { provenance, entity_path, key, value } = JSON.parse(document) as StoredDocument;
    const { agent_id, session_id } = provenance;
    const sequence = sequenceOf({ agent_id, session_id, entity_path });
    const words = wordsOfParsed({ entity_path, key, value }, document.length);
    if (Array.isArray(words)) return { counted: this.#count(words), sequence };
    return words.then((all) => ({ counted: this.#count(all), sequence }));
  }
}

type ReadText = Pick<RecallEntry, 'counted' | 'sequence'>;

type StoredDocument = {
  entity_path: string;
  key: string;
  value: unknown;
  provenance: { agent_id: string; session_id: string | null };
};
