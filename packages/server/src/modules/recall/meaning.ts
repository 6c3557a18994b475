import type { Glob } from '@mem-service/contract';
import { packedDots } from '@mem-service/embedder';
import type { Sql } from '../../db/index.ts';
import { isNewestOfOneBranch, type ReadContext, readAccount, readCursor } from '../../kernel/index.ts';
import { findDocuments } from '../entries/index.ts';
import type { FoundRow } from '../search/index.ts';
import type { RecallEntries } from './candidates.ts';
import type { EmbedderThread } from './embedder-thread.ts';
import { CONSUMER, EMBEDDER, EMBEDDER_NUMBER } from './follow-log.ts';
import { axesOf } from './models/rules/axes.ts';
import type { ModelQuestion } from './models/served-model.ts';
import * as queries from './queries.ts';
import { readClusters } from './read-clusters.ts';
import { clustersBySigns, clustersToRead } from './rules/clusters.ts';
import { unpackTexts } from './rules/packed-texts.ts';
import type { EncodedQuestion, QuestionText } from './thread-tasks.ts';
import { ownerNumber } from './vector-names.ts';

/** As many entries are compared one by one. */
const MAX_COMPARED = 1_500;
/** Entries that the first pass leaves to the second. */
const FIRST_PASS = 100;
/** Entries that the second pass leaves to be weighed with words. */
const NEAREST = 30;
/** Entries written since the index was brought up to date that are embedded on the way. */
const MAX_TAIL = 200;
const MAX_BEHIND = 1_000;
const MAX_TAIL_EVENTS = 5_000;

export type MeaningOptions = {
  context: ReadContext;
  thread: EmbedderThread;
  text: QuestionText;
  paths: readonly Glob[] | undefined;
  filters: readonly Sql[];
  /** How many entries the caller may see. */
  shown: number;
  /** The question as a model outside the service sees it. */
  model: ModelQuestion | undefined;
  /** Loads those of the entries with some `seq` that pass the filters. */
  fetch(seqs: readonly number[]): Promise<FoundRow[]>;
};

/** A question that entries are compared with, by one embedder. */
export type MeaningSearch = MeaningOptions & {
  by: 'builtin' | 'model';
  /** The name of the embedder, and its number. */
  name: string;
  embedder: number;
  /** The same question by a model outside the service. */
  beside?: MeaningSearch | undefined;
  question: EncodedQuestion;
  /** Clusters of vectors, nearest first, and the sums of all vectors; none where all entries are compared. */
  clusters: readonly number[];
  sums: readonly queries.OwnerSums[];
  /** How far the index had come in the log before anything of it was read. */
  indexed: number;
  /** By `seq`: of all entries to compare where they are few, otherwise of those that have no vector yet. */
  cosines: ReadonlyMap<number, number>;
  isAll: boolean;
  /** Entries that have no vector yet. */
  behind: number;
};

const vectorScope = ({ view }: ReadContext, embedder: number): queries.VectorScope => ({
  view,
  embedder,
  owner: ownerNumber(view.agent_id),
});

/** Undefined where the question has no word that the built-in embedder knows, and no other one is there. */
export async function openMeaning(options: MeaningOptions): Promise<MeaningSearch | undefined> {
  const [builtin, model] = await Promise.all([openBuiltin(options), openModel(options)]);
  return builtin ? { ...builtin, beside: model } : model;
}

async function openBuiltin(options: MeaningOptions): Promise<MeaningSearch | undefined> {
  const { context, thread } = options;
  const embedder = EMBEDDER_NUMBER;
  const [stored, { tail, behind, indexed }] = await Promise.all([fewVectors(options, embedder), tailOf(options)]);
  const isAll = stored !== undefined;
  const sums = isAll ? [] : await queries.readSums(context.read, vectorScope(context, embedder));
  const known = joinVectors(stored ?? queries.NO_VECTORS, tail);
  const asked = await thread.run('ask', { ...options.text, vectors: known.vectors, count: known.seqs.length, sums });
  if (asked === undefined) return undefined;
  const of = { by: 'builtin', name: EMBEDDER, embedder } as const;
  const { question, clusters, cosines } = asked;
  const found = { question, clusters, sums, indexed, cosines: highest(known.seqs, cosines) };
  return { ...options, ...of, ...found, isAll, behind };
}

const joinVectors = (a: queries.JoinedVectors, b: queries.JoinedVectors): queries.JoinedVectors => ({
  seqs: [...a.seqs, ...b.seqs],
  vectors: a.vectors + b.vectors,
});

/** What it has no vectors of is compared by the built-in embedder. */
async function openModel(options: MeaningOptions): Promise<MeaningSearch | undefined> {
  if (options.model === undefined) return undefined;
  const { vector: question, embedder, name } = options.model;
  const stored = await fewVectors(options, embedder);
  const isAll = stored !== undefined;
  const { seqs, vectors } = stored ?? queries.NO_VECTORS;
  const compared =
    seqs.length === 0 ? [] : await options.thread.run('compare', { vectors, count: seqs.length, question });
  const clusters = isAll ? [] : clustersBySigns.nearest(axesOf(question));
  const sums = isAll ? [] : await queries.readSums(options.context.read, vectorScope(options.context, embedder));
  const of = { by: 'model', name, embedder } as const;
  const found = { question, clusters, sums, indexed: 0, cosines: highest(seqs, compared) };
  return { ...options, ...of, ...found, isAll, behind: 0 };
}

/** More rows than this are fetched off the main thread. */
const MANY_ROWS = 300;

const vectorsOf = (context: ReadContext, embedder: number, ids: readonly number[]): Promise<queries.JoinedVectors> =>
  ids.length === 0
    ? Promise.resolve(queries.NO_VECTORS)
    : queries.readVectors(ids.length > MANY_ROWS ? context.scan : context.read, vectorScope(context, embedder), ids);

/** The vectors of all entries that pass the filters; undefined where they are not few. */
async function fewVectors({ context, paths, filters, shown }: MeaningOptions, embedder: number) {
  const { scan, view, services } = context;
  const few = services.limits.max_compared_entries ?? MAX_COMPARED;
  const isWhole = paths === undefined && view.scope === undefined && isNewestOfOneBranch(view);
  if (isWhole && shown > few) return undefined;
  const { looked, ids, seqs } = await queries.readFew(scan, view, { paths, filters, most: few + 1 });
  if (looked > few) return undefined;
  return withoutOthers(await vectorsOf(context, embedder, ids), new Set(seqs));
}

/** Those vectors alone that were made of some versions. */
function withoutOthers(stored: queries.JoinedVectors, current: ReadonlySet<number>): queries.JoinedVectors {
  const { seqs, vectors } = stored;
  if (seqs.every((seq) => current.has(seq))) return stored;
  const length = vectors.length / seqs.length;
  const kept = seqs.flatMap((seq, at) => (current.has(seq) ? [at] : []));
  return {
    seqs: kept.map((at) => seqs[at] as number),
    vectors: kept.map((at) => vectors.slice(at * length, (at + 1) * length)).join(''),
  };
}

/**
 * What the index has no vectors of: entries written since it was brought up to date and, for an earlier state, what entries
 * said that were changed since. The newest of it is embedded now, as it will be or was stored.
 */
async function tailOf({ context, thread, paths, filters }: MeaningOptions) {
  const { read, view } = context;
  const { account_id } = view;
  const [cursor, account] = await Promise.all([
    readCursor(read, { account_id, consumer: CONSUMER }),
    readAccount(read, account_id),
  ]);
  const after = cursor?.seq ?? 0;
  const end = account?.seq ?? 0;
  const isNewest = isNewestOfOneBranch(view);
  if (isNewest && after >= end) return { tail: queries.NO_VECTORS, behind: 0, indexed: after };
  const isFar = isNewest && end - after > MAX_TAIL_EVENTS;
  const until = { after: isFar ? end - MAX_TAIL_EVENTS : after, most: MAX_BEHIND };
  const written = await queries.listTail(read, view, { paths, filters, ...until });
  const embedded = written.slice(0, MAX_TAIL);
  const documents = await findDocuments(read, account_id, embedded);
  const texts = embedded.flatMap(({ entry_id }, at) => {
    const document = documents[at];
    return document === undefined ? [] : [{ entry_id, document }];
  });
  const parts = await thread.embed(texts);
  const seqs = new Map(embedded.map(({ entry_id, seq }) => [entry_id, seq]));
  const tail = {
    seqs: parts.map(({ entry_id }) => seqs.get(entry_id) as number),
    vectors: parts.map(({ vector }) => vector).join(''),
  };
  return { tail, behind: isFar ? MAX_BEHIND : written.length - embedded.length, indexed: after };
}

/** Adds the entries nearest to a question, and compares those that were found by their words. */
export async function addNearest(search: MeaningSearch, entries: RecallEntries): Promise<void> {
  await addNearestBy(search, entries);
  if (search.beside) await addNearestBy(search.beside, entries);
  await compareOthers(search, entries);
  if (search.by === 'model' || search.beside) entries.preferModel();
}

async function addNearestBy(search: MeaningSearch, entries: RecallEntries): Promise<void> {
  const cosines = new Map(search.cosines);
  if (!search.isAll) {
    const found = entries.all.map(({ row }) => row.entry_id);
    const near = [...new Set([...(await nearestEntries(search)), ...found])];
    for (const [seq, cosine] of await compare(search, near)) cosines.set(seq, cosine);
  }
  entries.compare(cosines, search.by);
  const others = [...cosines].filter(([seq]) => !entries.has(seq)).sort(([, a], [, b]) => b - a);
  // Filters may drop some of the nearest.
  for (let from = 0, found = 0; from < others.length && found < NEAREST; from += NEAREST) {
    const rows = await search.fetch(others.slice(from, from + NEAREST).map(([seq]) => seq));
    found += rows.length;
    await entries.add(rows);
    entries.compare(cosines, search.by);
  }
}

/** Compares the entries that have not been. */
export async function compareOthers(search: MeaningSearch, entries: RecallEntries): Promise<void> {
  for (const one of search.beside ? [search, search.beside] : [search]) {
    const { by } = one;
    entries.compare(one.cosines, by);
    const others = entries.all.filter(({ cosines, isCompared }) => cosines[by] === undefined && !isCompared[by]);
    for (const entry of others) entry.isCompared[by] = true;
    const ids = others.map(({ row }) => row.entry_id);
    if (ids.length > 0) entries.compare(await compare(one, ids), by);
  }
}

/** Cosines of entries by `seq`. */
async function compare(
  { context, question, embedder }: MeaningSearch,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const { seqs, vectors } = await vectorsOf(context, embedder, ids);
  // A few hundred take less time than sending them to the thread.
  return highest(seqs, packedDots(question, unpackTexts(vectors, seqs.length)));
}

/** Cosines by `seq`, the highest of the passages of an entry. */
function highest(seqs: readonly number[], cosines: readonly number[]): Map<number, number> {
  const found = new Map<number, number>();
  seqs.forEach((seq, at) => {
    found.set(seq, Math.max(found.get(seq) ?? -1, cosines[at] as number));
  });
  return found;
}

/** The entries that a first pass over bits leaves. */
async function nearestEntries(search: MeaningSearch): Promise<number[]> {
  const { context, thread, question, clusters, shown, sums, embedder, indexed } = search;
  const of = { embedder, indexed, clusters: clusters.slice(0, clustersToRead(shown)) };
  const blocks = await Promise.all(sums.map((owner) => readClusters(context, owner, of)));
  const all = blocks.flatMap((byCluster) => [...byCluster.values()]);
  return thread.run('nearest', { blocks: all, question, most: FIRST_PASS });
}
