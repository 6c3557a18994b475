import type { Glob } from '@mem-service/contract';
import type { Sql } from '../../db/index.ts';
import { type ReadContext, readAccount, readCursor } from '../../kernel/index.ts';
import { findDocuments } from '../entries/index.ts';
import type { FoundRow } from '../search/index.ts';
import type { RecallEntries } from './candidates.ts';
import type { EmbedderThread } from './embedder-thread.ts';
import { CONSUMER, EMBEDDER_NUMBER } from './follow-log.ts';
import * as queries from './queries.ts';
import { nearestClusters } from './rules/clusters.ts';
import type { EncodedQuestion, QuestionText } from './thread-tasks.ts';
import { ownerNumber } from './vector-names.ts';

/** As many entries are compared one by one. */
const FEW = 2_000;
/** Beyond this many entries only the nearest clusters are read. */
const MANY = 30_000;
const PROBED_CLUSTERS = 20;
/** Vectors that the first pass compares at most. */
const MAX_CODES = 400_000;
/** Entries that the first pass leaves to the second. */
const FIRST_PASS = 500;
/** Entries that the second pass leaves to be weighed with words. */
const NEAREST = 120;
/** Entries written since the index was brought up to date that are embedded on the way. */
const MAX_TAIL = 200;
const MAX_BEHIND = 1_000;
const MAX_TAIL_EVENTS = 5_000;
/** Vectors that show what the entries of a large account have in common. */
const SAMPLE = 300;
/** Fewer have nothing in common that could be taken out without taking out what they say. */
const LEAST_SAMPLE = 20;

export type MeaningOptions = {
  context: ReadContext;
  thread: EmbedderThread;
  text: QuestionText;
  paths: readonly Glob[] | undefined;
  filters: readonly Sql[];
  /** How many entries the caller may see. */
  shown: number;
  /** Loads those of the entries with some `seq` that pass the filters. */
  fetch(seqs: readonly number[]): Promise<FoundRow[]>;
};

/** A question that entries are compared with. */
export type MeaningSearch = MeaningOptions & {
  question: EncodedQuestion;
  /** All vectors to compare, where they are few. */
  few: readonly queries.StoredVector[] | undefined;
  tail: readonly queries.StoredVector[];
  /** Entries that have no vector yet. */
  behind: number;
};

const vectorScope = ({ view }: ReadContext): queries.VectorScope => ({
  view,
  embedder: EMBEDDER_NUMBER,
  owner: ownerNumber(view.agent_id),
});

/** Undefined where the question has no word that the embedder knows. */
export async function openMeaning(options: MeaningOptions): Promise<MeaningSearch | undefined> {
  const { context, thread } = options;
  const question = await thread.run('question', options.text);
  if (question.every((value) => value === 0)) return undefined;
  const [stored, { tail, behind, end }] = await Promise.all([fewVectors(options), tailOf(options)]);
  const few = stored && [...stored, ...tail].sort((a, b) => a.seq - b.seq);
  const known = few ?? (await vectorsOf(context, spread(end)));
  const sample = known.length < LEAST_SAMPLE ? [] : known;
  const centred = await thread.run('centre', { question, vectors: sample.map(({ vector }) => vector) });
  return { ...options, question: centred, few, tail, behind };
}

/** Numbers of entries spread over the log; not each is one. */
const spread = (end: number): number[] =>
  Array.from({ length: SAMPLE }, (_, at) => 1 + Math.floor((at * Math.max(end, 1)) / SAMPLE));

/** More rows than this are fetched off the main thread. */
const MANY_ROWS = 200;

const vectorsOf = (context: ReadContext, ids: readonly number[]): Promise<queries.StoredVector[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : queries.listVectors(ids.length > MANY_ROWS ? context.scan : context.read, vectorScope(context), ids);

/** The vectors of all entries that pass the filters; undefined where they are not few. */
async function fewVectors({ context, paths, filters, shown }: MeaningOptions) {
  const { scan, view } = context;
  if (paths === undefined && view.scope === undefined && shown > FEW) return undefined;
  const looked = await queries.listFew(scan, view, { paths, filters, most: FEW + 1 });
  if (looked.length > FEW) return undefined;
  const passing = looked.filter(({ passes }) => passes === 1);
  const current = new Set(passing.map(({ seq }) => seq));
  const stored = await vectorsOf(
    context,
    passing.map(({ entry_id }) => entry_id),
  );
  return stored.filter(({ seq }) => current.has(seq));
}

/** What was written since the index was brought up to date: the newest of it is embedded now, as it will be stored. */
async function tailOf({ context, thread, paths, filters }: MeaningOptions) {
  const { read, view } = context;
  const { account_id } = view;
  const [cursor, account] = await Promise.all([
    readCursor(read, { account_id, consumer: CONSUMER }),
    readAccount(read, account_id),
  ]);
  const after = cursor?.seq ?? 0;
  const end = account?.seq ?? 0;
  if (after >= end) return { tail: [], behind: 0, end };
  const isFar = end - after > MAX_TAIL_EVENTS;
  const until = { after: isFar ? end - MAX_TAIL_EVENTS : after, most: MAX_BEHIND };
  const written = await queries.listNewestAfter(read, view, { paths, filters, ...until });
  const embedded = written.slice(0, MAX_TAIL);
  const documents = await findDocuments(read, account_id, embedded);
  const texts = embedded.flatMap(({ entry_id }, at) => {
    const document = documents[at];
    return document === undefined ? [] : [{ entry_id, document }];
  });
  const parts = texts.length === 0 ? [] : await thread.run('embed', { texts });
  const seqs = new Map(embedded.map(({ entry_id, seq }) => [entry_id, seq]));
  const tail = parts.map(({ entry_id, vector }) => ({ entry_id, seq: seqs.get(entry_id) as number, vector }));
  return { tail, behind: isFar ? MAX_BEHIND : written.length - embedded.length, end };
}

/** Adds the entries nearest to a question, and compares those that were found by their words. */
export async function addNearest(search: MeaningSearch, entries: RecallEntries): Promise<void> {
  const cosines = await compare(search, search.few ?? [...(await nearVectors(search)), ...search.tail]);
  entries.compare(cosines);
  const ranked = [...cosines].sort(([, a], [, b]) => b - a).map(([seq]) => seq);
  // Filters may drop some of the nearest.
  for (let from = 0, found = 0; from < ranked.length && found < NEAREST; from += NEAREST) {
    const rows = await search.fetch(ranked.slice(from, from + NEAREST));
    found += rows.length;
    await entries.add(rows);
    entries.compare(cosines);
  }
  await compareOthers(search, entries);
}

/** Compares the entries that have not been. */
export async function compareOthers(search: MeaningSearch, entries: RecallEntries): Promise<void> {
  const others = entries.all.filter(({ cosine }) => cosine === undefined).map(({ row }) => row.entry_id);
  if (others.length > 0) entries.compare(await compare(search, await vectorsOf(search.context, others)));
}

/** Cosines by `seq`, the highest of the passages of an entry. */
async function compare(
  { thread, question }: MeaningSearch,
  stored: readonly queries.StoredVector[],
): Promise<Map<number, number>> {
  if (stored.length === 0) return new Map();
  const compared = await thread.run('compare', { vectors: stored.map(({ vector }) => vector), question });
  const cosines = new Map<number, number>();
  stored.forEach(({ seq }, at) => {
    cosines.set(seq, Math.max(cosines.get(seq) ?? -1, compared[at] as number));
  });
  return cosines;
}

/** The vectors that a first pass over bits leaves. */
async function nearVectors({ context, thread, question, shown }: MeaningSearch): Promise<queries.StoredVector[]> {
  const clusters = shown > MANY ? nearestClusters(question, PROBED_CLUSTERS) : undefined;
  const codes = await queries.readCodes(context.scan, vectorScope(context), { clusters, most: MAX_CODES });
  return vectorsOf(context, await thread.run('nearest', { codes, question, most: FIRST_PASS }));
}
