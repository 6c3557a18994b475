import { Fault, shapes, traceShapes } from '@mem-service/contract';
import * as z from 'zod';
import { ownTool } from '../own-tool.ts';
import { previewRow } from '../previews.ts';
import { compareTraces } from '../rules/compare.ts';
import { outlineRows, outlineText, type SpanRow } from '../rules/outline.ts';
import { callService, type JsonObject, type McpSession, traceIdOf } from '../session.ts';
import { readHints, type ToolCallContext } from '../tool.ts';

const traceId = traceShapes.traceId;
const text = z.string().max(4096);
const about = { trace_id: 'Its id, or "last"' };

const readTrace = async (session: McpSession, trace_id: string) =>
  callService(session, 'traces.read', { trace_id: await traceIdOf(session, trace_id) });

const spansOf = (trace: JsonObject) => ((trace.session_metadata as JsonObject).spans ?? []) as SpanRow[];

/** Tools over sealed sessions. They filter further what the service lists. */
export const traceTools = [
  ownTool({
    name: 'mem_trace_search',
    toolset: 'tracing',
    description: 'Find sealed sessions by words, attributes, spans or errors, newest first.',
    input: {
      query: text.optional(),
      agent_id: shapes.agentId.optional(),
      outcome_type: traceShapes.outcomeType.optional(),
      attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
      span_name: text.optional(),
      span_kind: z.enum(traceShapes.spanKinds).optional(),
      has_error: z.boolean().optional(),
      since: shapes.timestamp.optional(),
      until: shapes.timestamp.optional(),
      limit: z.int().min(1).max(100).default(20),
      cursor: shapes.cursor,
      branch: shapes.branch.optional(),
    },
    about: {
      query: 'Words in the task or the response',
      agent_id: 'Only of this agent',
      outcome_type: 'How it went',
      attributes: 'All of these, by key',
      span_name: 'Part of a name',
      span_kind: 'With a span of this kind',
      has_error: 'With or without errors',
      since: 'ISO time',
      until: 'ISO time',
    },
    annotations: readHints,
    run: searchTraces,
  }),
  ownTool({
    name: 'mem_trace_spans',
    toolset: 'tracing',
    description: 'The spans of a sealed session as an outline, without payloads.',
    input: { trace_id: traceId },
    about,
    annotations: readHints,
    async run({ trace_id }, session) {
      const trace = await readTrace(session, trace_id);
      const rows = outlineRows(spansOf(trace));
      const spans = rows.map(({ input: _, output: __, ...span }) => span);
      return {
        trace_id: trace.trace_id,
        count: spans.length,
        outline: outlineText(rows),
        spans,
        ...(spans.length === 0 ? { hint: 'no spans were recorded in it; mem_get_trace returns the rest' } : {}),
        mode: session.service.mode,
      };
    },
  }),
  ownTool({
    name: 'mem_span_payload',
    toolset: 'tracing',
    description: 'One span of a sealed session with its input and output.',
    input: { trace_id: traceId, span_id: shapes.text(256).min(1) },
    about: { ...about, span_id: 'As in mem_trace_spans' },
    annotations: readHints,
    async run({ trace_id, span_id }, session) {
      const trace = await readTrace(session, trace_id);
      const span = spansOf(trace).find((one) => one.span_id === span_id);
      if (!span) throw new Fault('not_found', `span_id: there is no span ${span_id} in it; see mem_trace_spans`);
      return { trace_id: trace.trace_id, span, mode: session.service.mode };
    },
  }),
  ownTool({
    name: 'mem_trace_compare',
    toolset: 'tracing',
    description: 'What two sealed sessions did alike and otherwise: memory read, actions, cost, result.',
    input: { trace_id: traceId, other_trace_id: traceId },
    about: { ...about, other_trace_id: 'The one to compare with' },
    annotations: readHints,
    async run({ trace_id, other_trace_id }, session) {
      const [a, b] = await Promise.all([readTrace(session, trace_id), readTrace(session, other_trace_id)]);
      return { ...compareTraces(a, b), mode: session.service.mode };
    },
  }),
];

type TraceFilter = {
  limit: number;
  attributes?: Record<string, string | number | boolean> | undefined;
  span_name?: string | undefined;
  span_kind?: string | undefined;
  has_error?: boolean | undefined;
  cursor?: string | undefined;
  branch?: string | undefined;
  [field: string]: unknown;
};

/** How many traces one call examines; the cursor continues from there. */
const MAX_LOOKED_AT = 500;
const GO_ON = 'none among these: go on with cursor, or narrow it with since, until or agent_id';
const WIDER = 'nothing found: try fewer filters; mem_list_traces shows what there is';
const PAGE = 50;

async function searchTraces(filter: TraceFilter, session: McpSession, call: ToolCallContext): Promise<JsonObject> {
  const { attributes, span_name, span_kind, has_error, limit, cursor, branch = session.branch, ...asked } = filter;
  const traces: unknown[] = [];
  let next: string | null | undefined = cursor;
  let looked_at = 0;
  do {
    const size = Math.min(PAGE, limit - traces.length);
    const page: JsonObject = await callService(session, 'traces.list', {
      ...asked,
      branch,
      limit: size,
      ...(next ? { cursor: next } : {}),
    });
    for (const trace of page.traces as JsonObject[])
      if (await fits(trace, filter, session)) traces.push(previewRow(trace));
    looked_at += (page.traces as JsonObject[]).length;
    next = page.next_cursor as string | null;
    call.signal.throwIfAborted();
    await call.progress(looked_at, `${looked_at} looked at, ${traces.length} found`);
  } while (next && traces.length < limit && looked_at < MAX_LOOKED_AT);
  const hint = traces.length > 0 ? {} : { hint: next ? GO_ON : WIDER };
  return { count: traces.length, traces, looked_at, next_cursor: next ?? null, ...hint, mode: session.service.mode };
}

async function fits(trace: JsonObject, filter: TraceFilter, session: McpSession): Promise<boolean> {
  const { attributes = {}, span_name, span_kind, has_error } = filter;
  const held = trace.attributes as JsonObject;
  if (!Object.entries(attributes).every(([key, value]) => held[key.trim().toLowerCase()] === value)) return false;
  const failed = (trace.error_events as JsonObject[]).length > 0;
  const needsSpans = span_name !== undefined || span_kind !== undefined || (has_error !== undefined && !failed);
  if (!needsSpans) return has_error === undefined || has_error === failed;
  // Listed traces have no spans.
  const spans = spansOf(await callService(session, 'traces.read', { trace_id: trace.trace_id }));
  const isFound = spans.some(
    ({ name, kind }) =>
      (span_name === undefined || String(name).includes(span_name)) && (span_kind === undefined || kind === span_kind),
  );
  const asksForSpan = span_name !== undefined || span_kind !== undefined;
  const anyError = failed || spans.some(({ status }) => status === 'error');
  return (!asksForSpan || isFound) && (has_error === undefined || has_error === anyError);
}
