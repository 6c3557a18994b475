import { fragment, type Sql, sql } from '../../db/index.ts';
import { pageBytes, type ReadContext } from '../../kernel/index.ts';
import { inTurns, pause } from '../../turns.ts';
import * as queries from './queries.ts';
import { requireTrace } from './read-trace.ts';
import { queryFor, TraceParts } from './render.ts';
import { spanRows } from './rules/span-tree.ts';
import { mergeSpansAndCallsInSteps, type SpannedCall, type TraceSpan } from './rules/spans.ts';
import { viewerOf } from './viewer.ts';

/** A model call has a span of its own. */
const SPANS = fragment(`kind IN ('span', 'llm_call')`);

type SpanRecord = Record<string, unknown>;
type RecordedSpans = { spans: SpanRecord[]; calls: SpannedCall[] };

/** A span without its payloads, and how many spans it lies within. */
export type SpanOutline = Omit<TraceSpan, 'input' | 'output' | 'events'> & { depth: number };

/** The spans of a trace that the caller may read, from top to bottom of their tree. */
export async function listSpansOf(context: ReadContext, trace_id: string): Promise<SpanOutline[]> {
  const row = await requireTrace(context, trace_id);
  const { spans, calls } = await readRecorded(context, row, { where: [], isOutline: true });
  const merged = await inTurns(mergeSpansAndCallsInSteps(spans as never[], calls));
  await pause();
  const outlines: SpanOutline[] = [];
  for (const { span, depth } of await inTurns(spanRows(merged))) {
    const { input: _, output: __, events: ___, ...outline } = span;
    outlines.push(Object.assign(outline, { depth }));
    await pause();
  }
  return outlines;
}

/** One span of a trace with its payloads; undefined where the trace has none of this id. */
export async function readSpanOf(
  context: ReadContext,
  { trace_id, span_id }: { trace_id: string; span_id: string },
): Promise<TraceSpan | undefined> {
  const row = await requireTrace(context, trace_id, { span_id });
  const member = (name: string) => fragment(context.dialect.jsonMember('data', [name], 'text'));
  const isIt = sql`(${member('span_id')} = ${span_id} OR ${member('call_id')} = ${span_id})`;
  const { spans, calls } = await readRecorded(context, row, { where: [isIt], isOutline: false });
  const [span] = await inTurns(mergeSpansAndCallsInSteps(spans as never[], calls));
  const parents = spans.flatMap(({ parent_span_id }) => (typeof parent_span_id === 'string' ? [parent_span_id] : []));
  return span && { ...span, parent_span_id: parents.at(-1) ?? null };
}

type SpanWish = { where: readonly Sql[]; isOutline: boolean };

/** Reads parts page by page, so that an outline never holds more payloads than one page has. */
async function readRecorded(
  context: ReadContext,
  row: queries.TraceRow,
  { where, isOutline }: SpanWish,
): Promise<RecordedSpans> {
  const { dialect, services } = context;
  const query = await queryFor(context, row);
  const seqs = dialect.numbers([row.seq]);
  const found: RecordedSpans = { spans: [], calls: [] };
  for (let after = -1; ; ) {
    const kinds = [SPANS, sql`no > ${after}`, ...where];
    const { rows, more } = await queries.listItems(query, viewerOf(context), {
      seqs,
      kinds,
      bytes: pageBytes(services),
    });
    const parts = await TraceParts.parse(rows);
    for (const span of parts.of('span')) found.spans.push(isOutline ? withoutPayloads(span) : span);
    for (const call of parts.of<SpannedCall>('llm_call')) found.calls.push(call);
    const last = rows.at(-1);
    if (!more || !last) return found;
    after = last.no;
  }
}

const withoutPayloads = ({ input: _, output: __, events: ___, ...span }: SpanRecord): SpanRecord => span;
