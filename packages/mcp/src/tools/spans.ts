import { randomUUID } from 'node:crypto';
import { Fault, shapes, traceShapes } from '@mem-service/contract';
import * as z from 'zod';
import { ownTool } from '../own-tool.ts';
import { callService, type JsonObject, type McpSession } from '../session.ts';
import { writeHints } from '../tool.ts';

const { name, kind, parent_span_id, input, output, attributes } = traceShapes.span.shape;
const spanId = shapes.text(256).min(1);

/** Spans of the open session, recorded when they start and again when they end. */
export const spanTools = [
  ownTool({
    name: 'mem_start_span',
    toolset: 'tracing',
    description: 'Begin a piece of work; end it with mem_end_span and the span_id.',
    input: { name, kind, parent_span_id, input, attributes },
    output: { span_id: spanId, started_at: spanId },
    annotations: writeHints,
    async run(span, session) {
      const span_id = randomUUID();
      const started_at = new Date().toISOString();
      await callService(session, 'sessions.record_span', { ...span, span_id, started_at, status: 'running' });
      return { span_id, started_at };
    },
  }),
  ownTool({
    name: 'mem_end_span',
    toolset: 'tracing',
    description: 'End a piece of work that mem_start_span began.',
    input: {
      span_id: spanId,
      output,
      status: z.enum(['ok', 'error']).default('ok'),
      error: shapes.text(4096).optional(),
      attributes,
    },
    output: { span_id: spanId, ended_at: spanId, status: spanId },
    annotations: writeHints,
    async run({ status: given, ...span }, session) {
      await checkStarted(span.span_id, session);
      const status = span.error === undefined ? given : 'error';
      const ended_at = new Date().toISOString();
      await callService(session, 'sessions.record_span', { ...span, status, ended_at });
      return { span_id: span.span_id, ended_at, status };
    },
  }),
];

/** An end without a start would put a nameless span into the next trace. */
async function checkStarted(span_id: string, session: McpSession): Promise<void> {
  const { spans } = await callService(session, 'sessions.explain', {});
  if ((spans as JsonObject[]).some((span) => span.span_id === span_id)) return;
  throw new Fault(
    'not_found',
    `span_id: no span ${span_id} was started in this session; it ends with mem_commit_outcome`,
  );
}
