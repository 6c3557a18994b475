import { pageBytes, type ReadContext, readableRows } from '../../kernel/index.ts';
import { traceNotFound } from './not-found.ts';
import * as queries from './queries.ts';
import { queryFor, renderTraces, type Trace, type TraceDetail } from './render.ts';
import { viewerOf } from './viewer.ts';

/** The row of a trace that the caller may read. `more` is what else the request names. */
export async function requireTrace(
  context: Pick<ReadContext, 'read' | 'caller' | 'services'>,
  trace_id: string,
  more: Record<string, unknown> = {},
): Promise<queries.TraceRow> {
  const found = await queries.getTrace(context.read, viewerOf(context), trace_id);
  const [row] = found ? await readableRows(context, [found]) : [];
  if (!row) throw traceNotFound(trace_id, more);
  return row;
}

/** One trace as the caller may read it, with values of entries where `detail` is whole. */
export async function readTrace(
  context: ReadContext,
  trace_id: string,
  detail: Exclude<TraceDetail, 'listed'>,
): Promise<Trace> {
  const row = await requireTrace(context, trace_id);
  const { dialect, services } = context;
  const query = await queryFor(context, row);
  const reading = { query, viewer: viewerOf(context), dialect, reader: context, bytes: pageBytes(services) };
  const [trace] = await renderTraces(reading, [row], detail);
  return trace as Trace;
}
