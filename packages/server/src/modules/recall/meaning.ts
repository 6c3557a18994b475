import type { Glob } from '@mem-service/contract';
import type { Sql } from '../../db/index.ts';
import { type ReadContext, readAccount, readCursor } from '../../kernel/index.ts';
import { findDocuments } from '../entries/index.ts';
import type { FoundRow } from '../search/index.ts';
import type { RecallEntries } from './candidates.ts';
import type { EmbedderThread } from './embedder-thread.ts';
import { CONSUMER, EMBEDDER, EMBEDDER_NUMBER } from './follow-log.ts';
import { axesOf } from './models/rules/axes.ts';
import type { ModelQuestion } from './models/served-model.ts';
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
  /** All vectors to compare, where they are few. */
  few: readonly queries.StoredVector[] | undefined;
  tail: readonly queries.StoredVector[];
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
  const question = await thread.run('question', options.text);
  if (question.every((value) => value === 0)) return undefined;
  const [stored, { tail, behind, end }] = await Promise.all([fewVectors(options, embedder), tailOf(options)]);
  const few = stored && [...stored, ...tail].sort((a, b) => a.seq - b.seq);
  const known = few ?? (await vectorsOf(context, embedder, spread(end)));
  const sample = known.length < LEAST_SAMPLE ? [] : known;
  const centred = await thread.run('centre', { question, vectors: sample.map(({ vector }) => vector) });
  return { ...options, by: 'builtin', name: EMBEDDER, embedder, question: centred, few, tail, behind };
}

/** What it has no vectors of is compared by the built-in embedder. */
async function openModel(options: MeaningOptions): Promise<MeaningSearch | undefined> {
  if (options.model === undefined) return undefined;
  const { vector: question, embedder, name } = options.model;
  const few = await fewVectors(options, embedder);
  return { ...options, by: 'model', name, embedder, question, few, tail: [], behind: 0 };
}

/** Numbers of entries spread over the log; not each is one. */
const spread = (end: number): number[] =>
  Array.from({ length: SAMPLE }, (_, at) => 1 + Math.floor((at * Math.max(end, 1)) / SAMPLE));

/** More rows than this are fetched off the main thread. */
const MANY_ROWS = 200;

const vectorsOf = (context: ReadContext, embedder: number, ids: readonly number[]): Promise<queries.StoredVector[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : queries.listVectors(ids.length > MANY_ROWS ? context.scan : context.read, vectorScope(context, embedder), ids);

/** The vectors of all entries that pass the filters; undefined where they are not few. */
async function fewVectors({ context, paths, filters, shown }: MeaningOptions, embedder: number) {
  const { scan, view } = context;
  if (paths === undefined && view.scope === undefined && shown > FEW) return undefined;
  const looked = await queries.listFew(scan, view, { paths, filters, most: FEW + 1 });
  if (looked.length > FEW) return undefined;
  const passing = looked.filter(({ passes }) => passes === 1);
  const current = new Set(passing.map(({ seq }) => seq));
  const stored = await vectorsOf(
    context,
    embedder,
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
  await addNearestBy(search, entries);
  if (search.beside) await addNearestBy(search.beside, entries);
  await compareOthers(search, entries);
  if (search.by === 'model' || search.beside) entries.preferModel();
}

async function addNearestBy(search: MeaningSearch, entries: RecallEntries): Promise<void> {
  const cosines = await compare(search, search.few ?? [...(await nearVectors(search)), ...search.tail]);
  entries.compare(cosines, search.by);
  const ranked = [...cosines].sort(([, a], [, b]) => b - a).map(([seq]) => seq);
  // Filters may drop some of the nearest.
  for (let from = 0, found = 0; from < ranked.length && found < NEAREST; from += NEAREST) {
    const rows = await search.fetch(ranked.slice(from, from + NEAREST));
    found += rows.length;
    await entries.add(rows);
    entries.compare(cosines, search.by);
  }
}

/** Compares the entries that have not been. */
export async function compareOthers(search: MeaningSearch, entries: RecallEntries): Promise<void> {
  for (const one of search.beside ? [search, search.beside] : [search]) {
    const others = entries.all.filter(({ cosines }) => cosines[one.by] === undefined).map(({ row }) => row.entry_id);
    if (others.length === 0) continue;
    entries.compare(await compare(one, await vectorsOf(one.context, one.embedder, others)), one.by);
  }
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
async function nearVectors(search: MeaningSearch): Promise<queries.StoredVector[]> {
  const { context, thread, question, shown, embedder } = search;
  const axes = search.by === 'model' ? axesOf(question) : question;
  const clusters = shown > MANY ? nearestClusters(axes, PROBED_CLUSTERS) : undefined;
  const codes = await queries.readCodes(context.scan, vectorScope(context, embedder), { clusters, most: MAX_CODES });
  return vectorsOf(context, embedder, await thread.run('nearest', { codes, question, most: FIRST_PASS }));
}
