import type { Input, Output } from '@mem-service/contract';
import { globsOf } from '@mem-service/contract';
import {
  branchOf,
  type Handlers,
  noteQuery,
  pageBytes,
  type ReadContext,
  reads,
  startWithin,
  toIso,
} from '../../kernel/index.ts';
import { countShown } from '../counts/index.ts';
import { candidatesOf, fetchIn, findByWords, type SearchInput } from '../search/index.ts';
import type { Term } from '../text/index.ts';
import { answerabilityOf } from './answerability.ts';
import { RecallEntries } from './candidates.ts';
import { embedderOf } from './embedder-thread.ts';
import { addNearest, type MeaningSearch, openMeaning } from './meaning.ts';
import { type AskedModel, askModel } from './models/served-model.ts';
import { type AuthorPlaces, addNeighbours, NO_PLACES, relateBest } from './neighbours.ts';
import { entriesOfTime } from './of-time.ts';
import { showEntries } from './passages.ts';
import { aroundBest, rankEntries } from './rank.ts';
import { type Reranked, rerankBest } from './rerank.ts';
import { questionTerms } from './rules/question.ts';
import { type QuestionTime, questionTime, type TimedQuestion } from './rules/question-time.ts';
import { rarity } from './rules/score.ts';
import { OutOfTime } from './task-turns.ts';
import type { QuestionText } from './thread-tasks.ts';
import { type RetrieveInput, withWeights } from './weights.ts';

export type RetrieveAnswer = Output<'entries.retrieve'>;

/** Entries that are found by words. */
const BY_WORDS = 40;
/** Among fewer entries a word that all of them have would weigh nothing beside one that is missing, and be no sign of an answer. */
const FEW_ENTRIES = 20;
/** Terms are counted up to this number: a more common one says little. */
const MOST_COUNTED = 1_000;

/** Answers a question. */
export async function retrieve(context: ReadContext, given: Input<'entries.retrieve'>): Promise<RetrieveAnswer> {
  const asked = questionTime(given.query, context.now);
  const { account_id, agent_id } = context.view;
  const [{ input, source }, size] = await Promise.all([
    withWeights(context, given),
    countShown(context.read, { account_id, agent_id, branch: branchOf(context.view) }),
  ]);
  const budget = budgetOf(context, input.max_ms);
  const { skipped, timeLeft, within } = budget;
  const gathered = await gatherOrList(context, asked, { input, size, text: asked.text, budget });
  const { entries, terms, weights, places, meaning, model, isListed } = gathered;
  const options = { input, weights, places, time: asked.time, isListed, context };
  const first = rankEntries(entries.all, options);
  const weighted = terms.map((term, at) => ({ term, weight: weights[at] as number }));
  const best = { query: input.query, hits: first.hits, terms: weighted, meaning, maxMs: timeLeft() };
  const { moves, reranker }: Reranked =
    (hasReranker(context) ? await within('rerank', () => rerankBest(context, best)) : undefined) ?? {};
  const ranked = moves ? rankEntries(entries.all, { ...options, rerank: moves }) : first;
  const wanted = (input.adaptive_k ? aroundBest(ranked.hits) : ranked.hits).slice(0, input.limit);
  const page = startWithin(wanted, pageBytes(context.services), ({ row }) => row.document_bytes);
  const show = (question: MeaningSearch | undefined) =>
    showEntries(context, { input, page, avoid: ranked.avoid, terms: weighted, meaning: question });
  const shown = (await within('passages', () => show(meaning))) ?? (await show(undefined));
  noteShown(context, input, shown.noted);
  const { semantic_weight, confidence_weight, evidence_weight } = input;
  const isUnknown = skipped.includes('meaning') || isListed;
  return {
    ...shown.answer,
    answerability: answerabilityOf(ranked.hits, entries, { weights, isCompared: meaning !== undefined, isUnknown }),
    time: toAnswerTime(asked.time),
    index: indexOf(meaning, model),
    weights: { source, semantic_weight, confidence_weight, evidence_weight },
    skipped,
    ...(reranker ? { reranker } : {}),
    truncated: gathered.truncated || page.length < wanted.length,
  };
}

type GatheredEntries = {
  entries: RecallEntries;
  terms: readonly Term[];
  weights: readonly number[];
  places: AuthorPlaces;
  meaning: MeaningSearch | undefined;
  model: AskedModel;
  truncated: boolean;
};

/**
 * What may answer a question. One that asks for nothing but what was written at a time is answered by that; by entries about
 * that time, too, where it has a name that they may have.
 */
async function gatherOrList(
  context: ReadContext,
  { time, isOnlyTime }: TimedQuestion,
  options: GatherOptions,
): Promise<GatheredEntries & { isListed: boolean }> {
  const { input } = options;
  const wanted = input.limit + 1;
  const listed = time && isOnlyTime ? await entriesOfTime(context, searchInput(input), { time, wanted }) : undefined;
  const isOnlyList = listed !== undefined && !time?.isNamed;
  const gathered = isOnlyList
    ? { ...NOTHING_GATHERED, entries: new RecallEntries(context, []) }
    : await gather(context, options);
  if (!listed) return { ...gathered, isListed: false };
  await gathered.entries.add(listed.rows);
  return { ...gathered, isListed: true, truncated: gathered.truncated || listed.truncated };
}

type GatherOptions = {
  input: RetrieveInput;
  text: string;
  /** How many entries the caller may see, and how many it may not. */
  size: Awaited<ReturnType<typeof countShown>>;
  budget: ReturnType<typeof budgetOf>;
};

/** The entries that may answer a question: by words, by meaning, and next to those. */
async function gather(context: ReadContext, { input, text, size, budget }: GatherOptions): Promise<GatheredEntries> {
  const { skipped, timeLeft, within } = budget;
  const terms = questionTerms(text);
  const [found, model] = await Promise.all([
    findByWords(context, searchInput(input), { terms, wanted: BY_WORDS, size, cap: MOST_COUNTED }),
    input.semantic_weight > 0 ? askModel(context, text, timeLeft()) : NOT_ASKED,
  ]);
  const among = Math.max(found.shown, FEW_ENTRIES);
  const weights = terms.map((_, at) => rarity(among, found.counts[at] ?? 0));
  const entries = new RecallEntries(context, terms);
  await entries.add(found.hits.map(({ row }) => ({ ...row, document: row.document ?? null })));
  const asked = questionText(text, { terms, weights, among });
  const compared = { text: asked, shown: found.shown, model, entries, timeLeft };
  const meaning =
    input.semantic_weight > 0 && context.services.settings.embedder !== 'off'
      ? await within('meaning', () => compareWith(context, input, compared))
      : undefined;
  const places = meaning ? await lookAround(meaning, entries, { input, weights, within }) : NO_PLACES;
  // What builds on a step that was skipped is skipped as well.
  if (skipped.includes('meaning'))
    skipped.push(...(input.neighbours === false ? [] : ['neighbours' as const]), 'related');
  return { entries, terms, weights, places, meaning, model, truncated: found.truncated };
}

const toAnswerTime = (time: QuestionTime | null): RetrieveAnswer['time'] =>
  time && { phrase: time.phrase, since: toIso(time.since), until: toIso(time.until) };

type SkippedStep = RetrieveAnswer['skipped'][number];

/** Steps that there is no time left for are skipped, also those that wait for a thread that others use. */
function budgetOf(context: ReadContext, maxMs = Number.POSITIVE_INFINITY) {
  const skipped: SkippedStep[] = [];
  const timeLeft = () => maxMs - context.elapsed();
  const within = async <T>(step: SkippedStep, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      if (timeLeft() > 0) return await work();
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
    }
    skipped.push(step);
    return undefined;
  };
  return { skipped, timeLeft, within };
}

type AroundOptions = { input: RetrieveInput; weights: readonly number[] } & Pick<ReturnType<typeof budgetOf>, 'within'>;

/** Adds what was written around the best entries, and compares the words of the best. */
async function lookAround(
  meaning: MeaningSearch,
  entries: RecallEntries,
  { input, weights, within }: AroundOptions,
): Promise<AuthorPlaces> {
  const addThem = () => addNeighbours(meaning, entries, { input, weights });
  const places = (input.neighbours === false ? undefined : await within('neighbours', addThem)) ?? NO_PLACES;
  await within('related', () => relateBest(meaning, entries, { input, weights, places }));
  return places;
}

const NOT_ASKED: AskedModel = {};
const NOTHING_GATHERED = {
  terms: [],
  weights: [],
  places: NO_PLACES,
  meaning: undefined,
  model: NOT_ASKED,
  truncated: false,
};

const hasReranker = ({ services }: ReadContext): boolean => services.settings.reranking_server !== null;

/** What meaning was compared with. */
const indexOf = (meaning: MeaningSearch | undefined, { fallback }: AskedModel): RetrieveAnswer['index'] => ({
  embedder: (meaning?.beside ?? meaning)?.name ?? null,
  behind: meaning?.behind ?? 0,
  ...(fallback ? { fallback } : {}),
});

type WeighedTerms = { terms: readonly Term[]; weights: readonly number[]; among: number };

function questionText(text: string, { terms, weights, among }: WeighedTerms): QuestionText {
  const known = terms.flatMap(({ words }, at) => words.map((word) => [word, weights[at] as number] as const));
  return { text, weights: { known, others: rarity(among, 0) } };
}

type ComparedQuestion = {
  text: QuestionText;
  shown: number;
  model: AskedModel;
  entries: RecallEntries;
  timeLeft: () => number;
};

/** Adds the entries nearest to a question. */
async function compareWith(
  context: ReadContext,
  input: RetrieveInput,
  { text, shown, model, entries, timeLeft }: ComparedQuestion,
): Promise<MeaningSearch | undefined> {
  const { account_id } = context.view;
  const thread = embedderOf(context.services, { account_id, isQuestion: true, timeLeft });
  if (!thread) return undefined;
  const search = searchInput(input);
  const { filters } = candidatesOf(context, search);
  const question = { text, model: model.question };
  const candidates = { paths: globsOf(input), filters, shown, fetch: fetchIn(context, search) };
  const meaning = await openMeaning({ context, thread, ...question, ...candidates });
  if (meaning) await addNearest(meaning, entries);
  return meaning;
}

/** The same filters, for the words of the question. */
const searchInput = (input: RetrieveInput): SearchInput => ({
  query: input.query,
  entity_path: input.entity_path,
  include_descendants: input.include_descendants,
  branch: input.branch,
  agent_id: input.agent_id,
  memory_type: input.memory_type,
  pattern_ref: input.pattern_ref,
  min_confidence: input.min_confidence,
  max_confidence: input.max_confidence,
  since: input.since,
  until: input.until,
  include_artifacts: input.include_artifacts,
  limit: BY_WORDS,
});

type NotedEntry = { entry_id: number; version: number; shared: number };

/** Only the first entry counts as recalled; whether others helped, the caller says. */
function noteShown(context: ReadContext, input: RetrieveInput, rows: readonly NotedEntry[]): void {
  const isPrivate = rows.some(({ shared }) => shared === 0);
  noteQuery(context, 'retrieve', { input, result_count: rows.length, isPrivate, shown: rows });
  if (rows[0]) context.note({ kind: 'recall', entry_id: rows[0].entry_id });
}

export const handlers: Handlers = { 'entries.retrieve': reads(retrieve) };
