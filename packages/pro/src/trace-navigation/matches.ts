import {
  fragment,
  isLoggedIn,
  listInScope,
  listReadersAt,
  listSeqsAfter,
  listThatRead,
  parseGlob,
  parseQuery,
  pause,
  type ReadContext,
  readAccount,
  type Sql,
  scopedPathConditions,
  sql,
  syntaxOf,
  type Term,
  type Viewer,
  viewerOf,
} from '@mem-service/server/module';
import type { TraceFacets } from './document-builder.ts';
import { type IndexedDocument, readDocumentsWithin } from './documents.ts';
import { indexTraces } from './follow-log.ts';
import * as queries from './queries.ts';
import { expressionOf, hasTerms, NOTHING, type TraceSearchInput, termsOf } from './terms.ts';

/** A trace that has the words; whether the caller may see it is another question. */
export type TraceCandidate = Omit<queries.IndexedTraceRow, 'account_id' | 'facts'> & { facts: TraceFacets };

/** Some candidates in order, and the place in the log up to which all were looked at; null at the end. */
export type CandidatePage = { candidates: TraceCandidate[]; end: number | null };

/** The first traces of a part of the log, from its newest end or its oldest. */
export type PartOfLog = { range: queries.SeqRange; limit: number; oldest_first?: boolean };

export type Matches = {
  /** No trace is newer. */
  newest: number;
  /** All traces are indexed or were read. */
  isComplete: boolean;
  /** Those that have the words and are not in the index yet, newest first. */
  unindexed: readonly TraceCandidate[];
  next(part: PartOfLog): Promise<CandidatePage>;
  /** Those of the index that have the words. */
  indexed(part: PartOfLog): Promise<number[]>;
  /** Those of some traces of the index that have the words. */
  having(seqs: readonly number[]): Promise<ReadonlySet<number>>;
  /** Traces of the index, newest first. */
  load(seqs: readonly number[]): Promise<TraceCandidate[]>;
  /** Those of the candidates that the caller may see and the other filters leave. */
  passing(candidates: readonly TraceCandidate[]): Promise<TraceCandidate[]>;
};

/** Traces that the index does not have yet: so many of the newest are read instead, up to so many megabytes. */
const MAX_UNINDEXED = 100;
const MAX_UNINDEXED_PAGES = 4;

export async function openMatches(context: ReadContext, input: TraceSearchInput): Promise<Matches> {
  const { read, dialect, caller } = context;
  const { account_id } = caller;
  const account = await readAccount(read, account_id);
  const terms = withoutWords(input) ? [NOTHING] : termsOf(input, parseQuery);
  const indexed = await queries.getIndexedSeq(read, account_id, indexTraces.name);
  const tail = await readTail(context, indexed, terms);
  const expression = account && expressionOf(syntaxOf(dialect.engine), account.number, terms);
  const viewer = viewerOf(context);
  const source = { context, input, account, indexed, expression, isFree: terms.length === 0 };
  const parts: Pick<Matches, 'unindexed' | 'indexed' | 'load'> = {
    unindexed: tail.candidates,
    indexed: (part) => listIndexed(source, part),
    load: (seqs) => loadIndexed(context, seqs),
  };
  return {
    ...parts,
    newest: account?.seq ?? 0,
    isComplete: tail.isComplete,
    next: (part) => (part.oldest_first ? nextUpwards(parts, part) : nextDownwards(parts, part)),
    having: (seqs) => havingWords(source, seqs),
    passing: (candidates) => passing(context, viewer, { input, candidates }),
  };
}

/** The newest traces, which the index does not have yet. */
async function readTail({ scan, dialect, caller }: ReadContext, indexed: number, terms: readonly Term[]) {
  const { account_id } = caller;
  const after = await listSeqsAfter(scan, { account_id, after: indexed, limit: MAX_UNINDEXED + 1 });
  const unindexed = after.slice(0, MAX_UNINDEXED);
  const source = { query: scan, dialect, account_id };
  const { documents, isCut } = await readDocumentsWithin(source, unindexed, MAX_UNINDEXED_PAGES);
  const candidates = documents
    .filter(({ words }) => hasTerms(words, terms))
    .map(toTraceCandidate)
    .sort((a, b) => b.seq - a.seq);
  return { candidates, isComplete: after.length === unindexed.length && !isCut };
}

type IndexedSource = {
  context: ReadContext;
  input: TraceSearchInput;
  account: { account_id: string; number: number } | undefined;
  /** Up to which `seq` traces are indexed. */
  indexed: number;
  expression: string | undefined;
  /** No words are asked for. */
  isFree: boolean;
};

async function listIndexed(source: IndexedSource, part: PartOfLog): Promise<number[]> {
  const { context, input, account, indexed, expression } = source;
  if (!account) return [];
  const { from, before } = part.range;
  const within = { ...part, range: { from, before: Math.min(before, indexed + 1) } };
  if (source.isFree && input.entity_path !== undefined && isOnePath(input.entity_path))
    return readersIn(context, input, within);
  return queries.listMatching(context.scan, context.dialect, { ...within, account, expression });
}

async function havingWords(source: IndexedSource, seqs: readonly number[]): Promise<ReadonlySet<number>> {
  const { account, expression, context } = source;
  if (!account || expression === undefined || seqs.length === 0) return new Set(seqs);
  return new Set(await queries.listHaving(context.scan, context.dialect, { account, seqs, expression }));
}

async function loadIndexed({ scan, dialect, caller }: ReadContext, seqs: readonly number[]): Promise<TraceCandidate[]> {
  if (seqs.length === 0) return [];
  return parsed(await queries.listIndexed(scan, caller.account_id, dialect.numbers(seqs)));
}

type MatchParts = Pick<Matches, 'unindexed' | 'indexed' | 'load'>;

export const isInRange = ({ from, before }: queries.SeqRange, { seq }: { seq: number }): boolean =>
  seq >= from && seq < before;

async function nextDownwards(parts: MatchParts, { range, limit }: PartOfLog): Promise<CandidatePage> {
  const first = parts.unindexed.filter((one) => isInRange(range, one)).slice(0, limit);
  if (first.length === limit) return { candidates: first, end: first.at(-1)?.seq ?? null };
  const rest = limit - first.length;
  const seqs = await parts.indexed({ range, limit: rest });
  return {
    candidates: [...first, ...(await parts.load(seqs))],
    end: seqs.length < rest ? null : (seqs.at(-1) ?? null),
  };
}

async function nextUpwards(parts: MatchParts, part: PartOfLog): Promise<CandidatePage> {
  const { range, limit } = part;
  const seqs = await parts.indexed(part);
  const fresh = parts.unindexed.filter((one) => isInRange(range, one)).toReversed();
  const last = fresh.slice(0, limit - seqs.length);
  return {
    candidates: [...(await parts.load(seqs)).toReversed(), ...last],
    end: seqs.length + last.length < limit ? null : (last.at(-1)?.seq ?? seqs.at(-1) ?? null),
  };
}

async function parsed(rows: readonly queries.IndexedTraceRow[]): Promise<TraceCandidate[]> {
  const found: TraceCandidate[] = [];
  for (const { account_id: _, facts, ...row } of rows) {
    found.push({ ...row, facts: JSON.parse(facts) as TraceFacets });
    await pause();
  }
  return found;
}

/** A query of nothing but signs has no words, and is found nowhere. */
const withoutWords = ({ query = '' }: TraceSearchInput): boolean =>
  query.trim() !== '' && parseQuery(query).length === 0;

const isOnePath = (path: string): boolean => parseGlob(path)?.kind === 'exact';

function toTraceCandidate({ row, document }: IndexedDocument): TraceCandidate {
  const { seq, agent_id, branch, visible_to } = row;
  const { duration_ms, cost_usd, facts } = document;
  return { seq, agent_id, branch, visible_to, duration_ms, cost_usd, facts };
}

type Filtered = { input: TraceSearchInput; candidates: readonly TraceCandidate[] };

async function passing(
  context: ReadContext,
  viewer: Viewer,
  { input, candidates }: Filtered,
): Promise<TraceCandidate[]> {
  const { view, scan, dialect } = context;
  const isSeen = ({ visible_to }: TraceCandidate) => visible_to === '' || visible_to === viewer.agent_id;
  let left = candidates.filter((one) => isLoggedIn(view, one) && isSeen(one) && isWithin(input, one));
  const keep = async (list: (seqs: Sql) => Promise<{ seq: number }[]>) => {
    if (left.length === 0) return;
    const kept = new Set((await list(dialect.numbers(left.map(({ seq }) => seq)))).map(({ seq }) => seq));
    left = left.filter(({ seq }) => kept.has(seq));
  };
  if (viewer.scope !== undefined) await keep((seqs) => listInScope(scan, viewer, seqs));
  const where = readConditions(context, viewer, input);
  if (where) await keep((seqs) => listThatRead(scan, viewer, { seqs, where }));
  return left;
}

function isWithin(input: TraceSearchInput, { cost_usd, duration_ms }: TraceCandidate): boolean {
  const isIn = (value: number | null, least: number | undefined, most: number | undefined) =>
    (least === undefined && most === undefined) ||
    (value !== null && value >= (least ?? 0) && value <= (most ?? Number.POSITIVE_INFINITY));
  return (
    isIn(cost_usd, input.min_cost_usd, input.max_cost_usd) &&
    isIn(duration_ms, input.min_duration_ms, input.max_duration_ms)
  );
}

/** Conditions on what was read; undefined where nothing is asked about it. */
function readConditions({ dialect }: ReadContext, { scope }: Viewer, input: TraceSearchInput): Sql[] | undefined {
  const { entity_path, key, version } = input;
  if (entity_path === undefined) return undefined;
  const readVersion = fragment(dialect.jsonMember('data', ['version'], 'text'));
  return [
    ...scopedPathConditions(scope, parseGlob(entity_path)),
    ...(key === undefined ? [] : [sql`key = ${key}`]),
    ...(version === undefined ? [] : [sql`CAST(${readVersion} AS BIGINT) = ${version}`]),
  ];
}

/** Where nothing but a path is asked for, its own index has the traces. */
async function readersIn(
  context: ReadContext,
  input: TraceSearchInput,
  { range, limit, oldest_first = false }: PartOfLog,
): Promise<number[]> {
  const viewer = viewerOf(context);
  const where = [...(readConditions(context, viewer, input) ?? []), sql`seq >= ${range.from}`];
  const at = { entity_path: input.entity_path as string, before: range.before, limit, where, oldest_first };
  return listReadersAt(context.scan, viewer, at);
}
