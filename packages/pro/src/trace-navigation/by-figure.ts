import { cursorsOf, Fault, pause, type Query, type ReadContext } from '@mem-service/server/module';
import { isInRange, type Matches, type TraceCandidate } from './matches.ts';
import {
  listByFigure,
  listPlacesOf,
  listWithoutFigure,
  type SeqRange,
  type TraceFigure,
  type TracePlace,
} from './queries.ts';
import type { TraceSearchInput } from './terms.ts';

/** Candidates that one call looks at; the cursor goes on from there. */
export const MAX_LOOKED_AT = 4000;
const MAX_CHUNK = 1000;
/** Matches that are put in order with each call: more are found by the index of the figure. */
const MAX_SORTED = 1000;

export const nextChunk = (chunk: number): number => Math.min(MAX_CHUNK, 4 * chunk);

/** `cursorAfter`: where the next page begins if this one ends with the item at a place. */
export type FoundPage = { items: TraceCandidate[]; next_cursor: string | null; cursorAfter: (at: number) => string };

export const isFigure = (order: TraceSearchInput['sort_by']): order is TraceFigure =>
  order === 'cost' || order === 'duration';

/** With the end of the log when the first page was read, so that pages show nothing twice. */
const cursors = {
  cost: cursorsOf('traces.search by cost', ['number', 'string', 'number']),
  duration: cursorsOf('traces.search by duration', ['number', 'string', 'number']),
};

const UNKNOWN = 'unknown';

const placeOf: Record<TraceFigure, (trace: TraceCandidate) => TracePlace> = {
  cost: ({ cost_usd, seq }) => ({ value: cost_usd, seq }),
  duration: ({ duration_ms, seq }) => ({ value: duration_ms, seq }),
};

/** What is not known comes last. */
const inOrder = (a: TracePlace, b: TracePlace): number => (b.value ?? -1) - (a.value ?? -1) || b.seq - a.seq;
const isAfter = (one: TracePlace, after: TracePlace | undefined): boolean =>
  after === undefined || inOrder(one, after) > 0;

type FigureSearch = { input: TraceSearchInput; range: SeqRange; figure: TraceFigure };

/** The traces that match, those that cost or took the most first. */
export async function pageByFigure(
  context: ReadContext,
  matches: Matches,
  { input, range, figure }: FigureSearch,
): Promise<FoundPage> {
  const { limit, cursor } = input;
  const start = cursor === undefined ? { before: range.before, after: undefined } : startOf(figure, cursor);
  const before = Math.min(range.before, start.before);
  const next = await openOrder(context, matches, { range: { ...range, before }, figure });
  const found: TraceCandidate[] = [];
  let end: TracePlace | null | undefined = start.after;
  for (let looked = 0, chunk = limit + 1; looked < MAX_LOOKED_AT; looked += chunk, chunk = nextChunk(chunk)) {
    const page = await next(end ?? undefined, chunk);
    found.push(...(await matches.passing(await loadPlaces(matches, page.places))));
    end = page.end;
    if (end === null || found.length > limit) break;
    await pause();
  }
  const items = found.slice(0, limit);
  const cursorTo = ({ value, seq }: TracePlace) =>
    cursors[figure].to([before, value === null ? UNKNOWN : String(value), seq]);
  const cursorAfter = (at: number) => cursorTo(placeOf[figure](items[at] as TraceCandidate));
  if (found.length > limit) return { items, next_cursor: cursorAfter(items.length - 1), cursorAfter };
  return { items, next_cursor: end ? cursorTo(end) : null, cursorAfter };
}

function startOf(figure: TraceFigure, cursor: string): { before: number; after: TracePlace } {
  const [before, text, seq] = cursors[figure].from(cursor);
  const value = text === UNKNOWN ? null : Number(text);
  if (value === null || (figure === 'cost' ? Number.isFinite(value) : Number.isSafeInteger(value)))
    return { before, after: { value, seq } };
  throw new Fault('invalid_cursor', 'cursor: hand back `next_cursor` of the page before, unchanged');
}

/** Traces in order, and the place up to which all were looked at; null at the end. */
type OrderedPage = { places: TracePlace[]; end: TracePlace | null };
type NextOrdered = (after: TracePlace | undefined, limit: number) => Promise<OrderedPage>;

/** Where few match, they are put in order; else those that match are chosen from the index of the figure. */
async function openOrder(
  { scan, dialect, caller }: ReadContext,
  matches: Matches,
  { range, figure }: Pick<FigureSearch, 'range' | 'figure'>,
): Promise<NextOrdered> {
  const { account_id } = caller;
  const fresh = matches.unindexed.filter((one) => isInRange(range, one)).map(placeOf[figure]);
  const newest = await matches.indexed({ range, limit: MAX_SORTED + 1 });
  if (newest.length <= MAX_SORTED) {
    const indexed = await listPlacesOf(scan, account_id, { figure, seqs: dialect.numbers(newest) });
    const all = [...fresh, ...indexed].sort(inOrder);
    return async (after, limit) => {
      const left = all.filter((one) => isAfter(one, after));
      return { places: left.slice(0, limit), end: left.length > limit ? (left[limit - 1] ?? null) : null };
    };
  }
  const isNew = new Set(fresh.map(({ seq }) => seq));
  return async (after, limit) => {
    const read = await readOrder(scan, account_id, { figure, after, limit });
    const end = read.length < limit ? null : (read.at(-1) ?? null);
    const inRange = read.filter((one) => isInRange(range, one) && !isNew.has(one.seq));
    const having = await matches.having(inRange.map(({ seq }) => seq));
    const found = inRange.filter(({ seq }) => having.has(seq));
    const between = fresh.filter((one) => isAfter(one, after) && (end === null || !isAfter(one, end)));
    return { places: [...found, ...between].sort(inOrder), end };
  };
}

/** The next traces by the index of a figure. */
async function readOrder(
  scan: Query,
  accountId: string,
  { figure, after, limit }: { figure: TraceFigure; after: TracePlace | undefined; limit: number },
): Promise<TracePlace[]> {
  if (after?.value === null) return listWithoutFigure(scan, accountId, { figure, before: after.seq, limit });
  const known = await listByFigure(scan, accountId, { figure, after, limit });
  if (known.length === limit) return known;
  const rest = { figure, before: Number.MAX_SAFE_INTEGER, limit: limit - known.length };
  return [...known, ...(await listWithoutFigure(scan, accountId, rest))];
}

/** In the order of the places, without traces that were removed in the meantime. */
async function loadPlaces(matches: Matches, places: readonly TracePlace[]): Promise<TraceCandidate[]> {
  const fresh = new Map(matches.unindexed.map((one) => [one.seq, one]));
  const seqs = places.map(({ seq }) => seq);
  const loaded = await matches.load(seqs.filter((seq) => !fresh.has(seq)));
  const bySeq = new Map([...fresh, ...loaded.map((one) => [one.seq, one] as const)]);
  return seqs.flatMap((seq) => bySeq.get(seq) ?? []);
}
