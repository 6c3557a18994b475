import {
  type Dialect,
  findSealed,
  inTurns,
  listSpokenParts,
  parseQuery,
  pause,
  type Query,
  type SealedRow,
  totalsOf,
  wordsOfValuesInSteps,
} from '@mem-service/server/module';
import { DocumentBuilder, type TraceDocument } from './document-builder.ts';

/** A trace as it is indexed: its document, and all words. */
export type IndexedDocument = { row: SealedRow; document: Omit<TraceDocument, 'values' | 'tokens'>; words: string[] };

export type DocumentSource = { query: Query; dialect: Dialect; account_id: string };

const PAGE_BYTES = 1024 * 1024;
const PARTS_PER_STEP = 16;
/** More words of one trace are not indexed. */
const MAX_WORDS = 16_000;

/** The words of a name as a query for it is split. */
const wordsIn = (name: string): string[] => parseQuery(`"${name.replaceAll('"', ' ')}"`)[0]?.words ?? [];

/** What some traces are found by, as they are now. */
export async function readDocuments(source: DocumentSource, seqs: readonly number[]): Promise<IndexedDocument[]> {
  return (await readDocumentsWithin(source, seqs, Number.POSITIVE_INFINITY)).documents;
}

/** The same, as far as so many pages of parts go; `isCut` says that they did not suffice. */
export async function readDocumentsWithin(source: DocumentSource, seqs: readonly number[], pages: number) {
  const { query, account_id } = source;
  const rows = await findSealed(query, account_id, seqs);
  const builders = new Map(rows.map((row) => [row.seq, { row, builder: new DocumentBuilder(row) }]));
  const isCut = await addParts(source, builders, pages);
  const documents: IndexedDocument[] = [];
  for (const { row, builder } of builders.values()) {
    const { values, tokens, ...document } = builder.finish(totalsOf, wordsIn);
    const texts = await inTurns(wordsOfValuesInSteps(values));
    documents.push({ row, document, words: [...tokens, ...texts].slice(0, MAX_WORDS) });
  }
  return { documents, isCut };
}

type Builders = ReadonlyMap<number, { builder: DocumentBuilder }>;

/** In the order of the log; the rest of a trace that is full is skipped. */
async function addParts(
  { query, dialect, account_id }: DocumentSource,
  builders: Builders,
  pages: number,
): Promise<boolean> {
  if (builders.size === 0) return false;
  const seqs = dialect.numbers([...builders.keys()]);
  let after: readonly [number, number] = [0, -1];
  for (let page = 0; page < pages; page++) {
    const { rows, more } = await listSpokenParts(query, { account_id, seqs, after, bytes: PAGE_BYTES });
    for (const [i, part] of rows.entries()) {
      builders.get(part.seq)?.builder.add(part);
      if (i % PARTS_PER_STEP === PARTS_PER_STEP - 1) await pause();
    }
    const last = rows.at(-1);
    if (!last || (!more && rows.length < PARTS_AT_ONCE)) return false;
    const isFull = builders.get(last.seq)?.builder.isFull === true;
    after = isFull ? [last.seq + 1, -1] : [last.seq, last.no];
  }
  return true;
}

const PARTS_AT_ONCE = 5000;
