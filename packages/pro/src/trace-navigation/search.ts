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
import { type FoundPage, isFigure, MAX_LOOKED_AT, nextChunk, pageByFigure } from './by-figure.ts';
import { type Matches, openMatches, type PartOfLog, type TraceCandidate } from './matches.ts';
import type { SeqRange } from './queries.ts';
import { facetsOf } from './rules/facets.ts';
import type { TraceSearchInput } from './terms.ts';

type FoundTrace = Output<'traces.search'>['traces'][number];

/** Matches that are counted by facets. */
const MAX_COUNTED = 1000;
const TEXT_CHARS = 500;

const newest = cursorsOf('traces.search', ['number']);
const oldest = cursorsOf('traces.search oldest', ['number']);

export const search = reads<'traces.search'>(async (context, input) => {
  requireWhole(input);
  const matches = await openMatches(context, input);
  const range = await rangeOf(context, input, matches);
  const many = input.facets.length > 0 ? await collect(matches, { range, limit: MAX_COUNTED }) : undefined;
  const page = await (isFigure(input.sort_by)
    ? pageByFigure(context, matches, { input, range, figure: input.sort_by })
    : pageByTime(matches, range, input));
  const shown = withinPage(context.services, await render(context, page.items), ({ trace }) => [JSON.stringify(trace)]);
  const last = shown.rows.at(-1);
  const next_cursor = shown.more && last ? page.cursorAfter(last.at) : page.next_cursor;
  return {
    traces: shown.rows.map(({ trace }) => trace),
    facets: many ? await inTurns(facetsOf(input.facets, many.found)) : [],
    counted: many?.found.length ?? null,
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

/** The part of the log that is asked for. */
async function rangeOf({ read, caller }: ReadContext, input: TraceSearchInput, matches: Matches): Promise<SeqRange> {
  const seqOf = (time: string) => seqAt(read, caller.account_id, fromIso(time));
  const from = input.since ? await seqOf(input.since) : 0;
  return { from, before: input.until ? await seqOf(input.until) : matches.newest + 1 };
}

type CollectedTraces = { found: TraceCandidate[]; end: number | null };

/**
 * Looks at candidates until enough of them pass, first at as many as are wanted and then at ever more; `end` is where to go on,
 * null where there are no more.
 */
async function collect(matches: Matches, { range, limit, oldest_first = false }: PartOfLog): Promise<CollectedTraces> {
  const found: TraceCandidate[] = [];
  let left = range;
  for (let looked = 0, chunk = limit; looked < MAX_LOOKED_AT; looked += chunk, chunk = nextChunk(chunk)) {
    const { candidates, end } = await matches.next({ range: left, limit: chunk, oldest_first });
    found.push(...(await matches.passing(candidates)));
    if (end === null) return found.length > limit ? cutAt(found, limit) : { found, end: null };
    if (found.length >= limit) return cutAt(found, limit);
    left = beyond(left, end, oldest_first);
    await pause();
  }
  return { found, end: oldest_first ? left.from - 1 : left.before };
}

const beyond = ({ from, before }: SeqRange, seq: number, oldestFirst: boolean): SeqRange =>
  oldestFirst ? { from: Math.max(from, seq + 1), before } : { from, before: Math.min(before, seq) };

const cutAt = (found: readonly TraceCandidate[], wanted: number): CollectedTraces => {
  const first = found.slice(0, wanted);
  return { found: first, end: first.at(-1)?.seq ?? null };
};

async function pageByTime(
  matches: Matches,
  range: SeqRange,
  { cursor, limit, sort_by }: TraceSearchInput,
): Promise<FoundPage> {
  const oldest_first = sort_by === 'oldest';
  const cursors = oldest_first ? oldest : newest;
  const left = cursor === undefined ? range : beyond(range, cursors.from(cursor)[0], oldest_first);
  const { found, end } = await collect(matches, { range: left, limit: limit + 1, oldest_first });
  const items = found.slice(0, limit);
  const cursorAfter = (at: number) => cursors.to([items[at]?.seq ?? 0]);
  if (found.length > limit) return { items, next_cursor: cursorAfter(items.length - 1), cursorAfter };
  return { items, next_cursor: end === null ? null : cursors.to([end]), cursorAfter };
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
