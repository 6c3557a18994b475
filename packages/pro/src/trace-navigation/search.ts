import {
  cursorsOf,
  fromIso,
  inTurns,
  invalidInput,
  listSealed,
  type Output,
  pageBytes,
  parseGlob,
  pause,
  type ReadContext,
  reads,
  type SealedRow,
  seqAt,
  sessionIdOf,
  type TraceHeader,
  toIso,
  withinPage,
} from '@mem-service/server/module';
import { type Matches, openMatches, type TraceCandidate } from './matches.ts';
import type { SeqRange } from './queries.ts';
import { facetsOf } from './rules/facets.ts';
import type { TraceSearchInput } from './terms.ts';

type FoundTrace = Output<'traces.search'>['traces'][number];

/** Matches that are sorted, and counted by facets. */
const MAX_SORTED = 1000;
/** Candidates that one call looks at; the cursor goes on from there. */
const MAX_LOOKED_AT = 4000;
const TEXT_CHARS = 500;

const newest = cursorsOf('traces.search', ['number']);
const sorted = cursorsOf('traces.search sorted', ['number', 'number']);

export const search = reads<'traces.search'>(async (context, input) => {
  requireWhole(input);
  const matches = await openMatches(context, input);
  const range = await rangeOf(context, input, matches);
  const isSorted = input.sort_by !== 'newest';
  const many = isSorted || input.facets.length > 0 ? await collect(matches, range, MAX_SORTED) : undefined;
  const page = isSorted ? sortedPage(input, many?.found ?? [], range) : await newestPage(matches, range, input);
  const shown = withinPage(context.services, await render(context, page.items), ({ trace }) => [JSON.stringify(trace)]);
  const last = shown.rows.at(-1);
  const next_cursor = shown.more && last ? page.cursorAfter(last.at) : page.next_cursor;
  const counted = input.facets.length > 0 && many ? many.found : undefined;
  return {
    traces: shown.rows.map(({ trace }) => trace),
    facets: counted ? await inTurns(facetsOf(input.facets, counted)) : [],
    counted: counted?.length ?? null,
    complete: matches.isComplete && (many?.end ?? null) === null,
    next_cursor,
    has_more: next_cursor !== null,
  };
});

function requireWhole({ entity_path, key, version }: TraceSearchInput): void {
  const isOne = entity_path !== undefined && parseGlob(entity_path)?.kind === 'exact';
  if (key !== undefined && !isOne)
    throw invalidInput([{ path: 'key', message: 'names an entry together with entity_path, which must be one path' }]);
  if (version !== undefined && key === undefined)
    throw invalidInput([{ path: 'version', message: 'is that of an entry: give entity_path and key too' }]);
}

/** The part of the log that is asked for; that of a sorted list begins where its first page did. */
async function rangeOf({ read, caller }: ReadContext, input: TraceSearchInput, matches: Matches): Promise<SeqRange> {
  const seqOf = (time: string) => seqAt(read, caller.account_id, fromIso(time));
  const from = input.since ? await seqOf(input.since) : 0;
  const until = input.until ? await seqOf(input.until) : matches.newest + 1;
  if (input.cursor === undefined || input.sort_by === 'newest') return { from, before: until };
  return { from, before: Math.min(until, sorted.from(input.cursor)[0]) };
}

type CollectedTraces = { found: TraceCandidate[]; end: number | null };

/**
 * Looks at candidates until enough of them pass, first at as many as are wanted and then at ever more; `end` is where to go on,
 * null where there are no more.
 */
async function collect(matches: Matches, range: SeqRange, wanted: number): Promise<CollectedTraces> {
  const found: TraceCandidate[] = [];
  let { before } = range;
  for (let looked = 0, chunk = wanted; looked < MAX_LOOKED_AT; looked += chunk, chunk = nextChunk(chunk)) {
    const { candidates, end } = await matches.next({ ...range, before }, chunk);
    found.push(...(await matches.passing(candidates)));
    if (end === null) return found.length > wanted ? cutAt(found, wanted) : { found, end: null };
    if (found.length >= wanted) return cutAt(found, wanted);
    before = end;
    await pause();
  }
  return { found, end: before };
}

const nextChunk = (chunk: number): number => Math.min(MAX_SORTED, 4 * chunk);

const cutAt = (found: readonly TraceCandidate[], wanted: number): CollectedTraces => {
  const first = found.slice(0, wanted);
  return { found: first, end: first.at(-1)?.seq ?? null };
};

/** `cursorAfter`: where the next page begins if this one ends with the item at a place. */
type FoundPage = { items: TraceCandidate[]; next_cursor: string | null; cursorAfter: (at: number) => string };

async function newestPage(matches: Matches, range: SeqRange, { cursor, limit }: TraceSearchInput): Promise<FoundPage> {
  const before = cursor === undefined ? range.before : Math.min(range.before, newest.from(cursor)[0]);
  const { found, end } = await collect(matches, { ...range, before }, limit + 1);
  const items = found.slice(0, limit);
  const cursorAfter = (at: number) => newest.to([items[at]?.seq ?? 0]);
  if (found.length > limit) return { items, next_cursor: cursorAfter(items.length - 1), cursorAfter };
  return { items, next_cursor: end === null ? null : newest.to([end]), cursorAfter };
}

const orders: Record<TraceSearchInput['sort_by'], (a: TraceCandidate, b: TraceCandidate) => number> = {
  newest: (a, b) => b.seq - a.seq,
  oldest: (a, b) => a.seq - b.seq,
  cost: (a, b) => highestFirst(a.cost_usd, b.cost_usd) || b.seq - a.seq,
  duration: (a, b) => highestFirst(a.duration_ms, b.duration_ms) || b.seq - a.seq,
};

/** What is not known comes last. */
const highestFirst = (a: number | null, b: number | null): number => (b ?? -1) - (a ?? -1);

function sortedPage(
  { cursor, sort_by, limit }: TraceSearchInput,
  found: readonly TraceCandidate[],
  { before }: SeqRange,
): FoundPage {
  const start = cursor === undefined ? 0 : sorted.from(cursor)[1];
  const items = found.toSorted(orders[sort_by]).slice(start, start + limit);
  const cursorAfter = (at: number) => sorted.to([before, start + at + 1]);
  const hasMore = start + items.length < found.length;
  return { items, next_cursor: hasMore ? cursorAfter(items.length - 1) : null, cursorAfter };
}

/** A trace of the answer, and its place among the candidates. */
type ShownTrace = { at: number; trace: FoundTrace };

/** In the order of the candidates, without those that were removed in the meantime. */
async function render(
  { scan, dialect, caller, services }: ReadContext,
  items: readonly TraceCandidate[],
): Promise<ShownTrace[]> {
  if (items.length === 0) return [];
  const { account_id } = caller;
  const rows = new Map<number, SealedRow>();
  for (let left = items.map(({ seq }) => seq); left.length > 0; ) {
    const page = await listSealed(scan, { account_id, seqs: dialect.numbers(left), bytes: pageBytes(services) });
    for (const row of page.rows) {
      await pause();
      rows.set(row.seq, short(row));
    }
    left = page.more ? left.filter((seq) => !rows.has(seq)) : [];
  }
  return items.flatMap((one, at) => {
    const row = rows.get(one.seq);
    return row ? [{ at, trace: toFound(row, one) }] : [];
  });
}

/** Without what is not shown of its texts, which may be long. */
function short(row: SealedRow): SealedRow {
  const { task_input, response_text } = JSON.parse(row.header) as TraceHeader;
  const cut = (text: string | null) => text?.slice(0, TEXT_CHARS).toWellFormed() ?? null;
  return { ...row, header: JSON.stringify([cut(task_input), cut(response_text)]) };
}

function toFound(row: SealedRow, { facts, cost_usd, duration_ms }: TraceCandidate): FoundTrace {
  const { trace_id, agent_id, branch, outcome_ref, outcome_type, seq } = row;
  const [task_input, response_text] = JSON.parse(row.header) as [string | null, string | null];
  const { attributes, models, tools, has_error, error_count, action_count, span_count, known_cost_usd } = facts;
  return {
    ...{ trace_id, agent_id, session_id: sessionIdOf(row.session), branch, outcome_ref, outcome_type },
    ...{ task_input, response_text, attributes: attributes as FoundTrace['attributes'], models, tools },
    ...{ has_error, error_count, action_count, span_count },
    ...{ total_llm_calls: facts.llm_calls, total_tokens: facts.tokens, total_cost_usd: cost_usd, known_cost_usd },
    ...{ session_duration_ms: duration_ms, created_at: toIso(row.created_at), seq },
  };
}
