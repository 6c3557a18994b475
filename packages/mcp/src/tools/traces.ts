import { facetNames, MAX_COMPARED, MAX_COMPARED_STEPS, shapes, traceShapes } from '@mem-service/contract';
import * as z from 'zod';
import { ownTool } from '../own-tool.ts';
import { previewRow } from '../previews.ts';
import { callService, type JsonObject, traceIdOf } from '../session.ts';
import { readHints } from '../tool.ts';

const traceId = traceShapes.traceId;
const text = z.string().max(4096);
const about = { trace_id: 'Its id, or "last"' };

const GO_ON = 'none among these: go on with cursor, or narrow it with since, until or agent_id';
const WIDER = 'nothing found: try fewer filters; mem_list_traces shows what there is';

/** Tools over sealed sessions. */
export const traceTools = [
  ownTool({
    name: 'mem_trace_search',
    toolset: 'tracing',
    description: 'Find sealed sessions by words, attributes, spans or errors, newest first.',
    input: {
      query: text.optional(),
      attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
      span_name: text.optional(),
      span_kind: z.enum(traceShapes.spanKinds).optional(),
      model: text.optional(),
      tool_name: text.optional(),
      has_error: z.boolean().optional(),
      outcome_type: traceShapes.outcomeType.optional(),
      agent_id: shapes.agentId.optional(),
      entity_path: shapes.pathGlob.optional(),
      key: shapes.key.optional(),
      version: shapes.version.optional(),
      min_cost_usd: z.number().min(0).optional(),
      max_cost_usd: z.number().min(0).optional(),
      min_duration_ms: z.int().min(0).optional(),
      max_duration_ms: z.int().min(0).optional(),
      since: shapes.timestamp.optional(),
      until: shapes.timestamp.optional(),
      sort_by: z.enum(['newest', 'oldest', 'cost', 'duration']).optional(),
      facets: z.array(z.enum(facetNames)).optional(),
      limit: z.int().min(1).max(100).default(20),
      cursor: shapes.cursor,
      branch: shapes.branch.optional(),
    },
    about: {
      query: 'Words in task, response, tool calls, spans or errors',
      attributes: 'All of these, by key',
      span_name: 'Words of a name',
      span_kind: 'With a span of this kind',
      model: 'That was called',
      tool_name: 'That was called',
      has_error: 'With or without errors',
      outcome_type: 'How it went',
      agent_id: 'Only of this agent',
      entity_path: 'What it read',
      key: 'The entry it read',
      version: 'The version it read',
      min_cost_usd: 'At least',
      max_cost_usd: 'At most',
      min_duration_ms: 'At least',
      max_duration_ms: 'At most',
      since: 'ISO time',
      until: 'ISO time',
      sort_by: 'Default newest',
      facets: 'Count matches by these',
    },
    annotations: readHints,
    async run(filter, session) {
      const branch = filter.branch ?? session.branch;
      const input = { ...filter, ...(branch === undefined ? {} : { branch }) };
      const { traces, facets, ...found } = await callService(session, 'traces.search', input);
      const rows = (traces as JsonObject[]).map(previewRow);
      const hint = rows.length > 0 ? {} : { hint: found.has_more ? GO_ON : WIDER };
      const counts = filter.facets === undefined ? {} : { facets };
      return { count: rows.length, traces: rows, ...counts, ...found, ...hint, mode: session.service.mode };
    },
  }),
  ownTool({
    name: 'mem_trace_spans',
    toolset: 'tracing',
    description: 'The spans of a sealed session as an outline, without payloads.',
    input: { trace_id: traceId, limit: z.int().min(1).max(1000).default(200) },
    about: { ...about, limit: 'The most spans' },
    annotations: readHints,
    async run({ trace_id, limit }, session) {
      const found = await callService(session, 'traces.list_spans', {
        trace_id: await traceIdOf(session, trace_id),
        limit,
      });
      const hint =
        found.span_count === 0 ? { hint: 'no spans were recorded in it; mem_get_trace returns the rest' } : {};
      return { ...found, ...hint, mode: session.service.mode };
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
      const wanted = { trace_id: await traceIdOf(session, trace_id), span_id };
      return { ...(await callService(session, 'traces.read_span', wanted)), mode: session.service.mode };
    },
  }),
  ownTool({
    name: 'mem_trace_compare',
    toolset: 'tracing',
    description: 'What sealed sessions did alike and otherwise: where they part, memory read, actions, cost, result.',
    input: {
      trace_ids: z.array(traceId).min(2).max(MAX_COMPARED),
      all_steps: z.boolean().default(false),
      limit: z.int().min(1).max(MAX_COMPARED_STEPS).default(20),
    },
    about: {
      trace_ids: 'Two or more ids, or "last"',
      all_steps: 'Not only those in which they differ',
      limit: 'The most steps',
    },
    annotations: readHints,
    async run({ trace_ids, all_steps, limit }, session) {
      const ids = await Promise.all(trace_ids.map((id) => traceIdOf(session, id)));
      const input = { trace_ids: ids, only_differences: !all_steps, limit };
      const { memory, ...compared } = await callService(session, 'traces.compare', input);
      const read = (memory as JsonObject[]).map(({ differs, ...row }) => (differs ? { ...row, differs } : row));
      return { ...compared, memory: read, mode: session.service.mode };
    },
  }),
];
