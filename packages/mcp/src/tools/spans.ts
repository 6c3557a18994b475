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
    about: {
      name: 'What is done',
      kind: 'Default agent',
      parent_span_id: 'The span it is part of',
      input: 'What goes in',
      attributes: 'Scalars by key',
    },
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
    about: {
      span_id: 'As mem_start_span answered',
      output: 'What came out',
      status: 'Default ok',
      error: 'What went wrong',
      attributes: 'Scalars by key',
    },
    annotations: writeHints,
    async run({ status: given, ...span }, session) {
      await checkRunning(span.span_id, session);
      const status = span.error === undefined ? given : 'error';
      const ended_at = new Date().toISOString();
      await callService(session, 'sessions.record_span', { ...span, status, ended_at });
      return { span_id: span.span_id, ended_at, status };
    },
  }),
];

/** An end without a start would put a nameless span into the next trace, and a second end would replace the first. */
async function checkRunning(span_id: string, session: McpSession): Promise<void> {
  const { spans } = await callService(session, 'sessions.explain', {});
  const span = (spans as JsonObject[]).find((one) => one.span_id === span_id);
  if (!span)
    throw new Fault(
      'not_found',
      `span_id: no span ${span_id} was started in this session; it ends with mem_commit_outcome`,
    );
  if (span.status !== 'running') throw new Fault('conflict', `span_id: ${span_id} ended at ${span.ended_at}`);
}
