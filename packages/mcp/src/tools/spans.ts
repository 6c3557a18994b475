import { randomUUID } from 'node:crypto';
import { Fault, shapes, traceShapes } from '@mem-service/contract';
import * as z from 'zod';
import { ownTool } from '../own-tool.ts';
import { ask, type Json, type Session } from '../session.ts';
import { writing } from '../tool.ts';

const { name, kind, parent_span_id, input, output, attributes } = traceShapes.span.shape;
const spanId = shapes.text(256).min(1);

/** Spans of the open session that are told when they start and again when they end. */
export const spanTools = [
  ownTool({
    name: 'mem_start_span',
    toolset: 'tracing',
    description: 'Begin a piece of work; end it with mem_end_span and the span_id.',
    input: { name, kind, parent_span_id, input, attributes },
    output: { span_id: spanId, started_at: spanId },
    annotations: writing,
    async run(told, session) {
      const span_id = randomUUID();
      const started_at = new Date().toISOString();
      await ask(session, 'sessions.record_span', { ...told, span_id, started_at, status: 'running' });
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
    annotations: writing,
    async run({ status: given, ...told }, session) {
      await checkStarted(told.span_id, session);
      const status = told.error === undefined ? given : 'error';
      const ended_at = new Date().toISOString();
      await ask(session, 'sessions.record_span', { ...told, status, ended_at });
      return { span_id: told.span_id, ended_at, status };
    },
  }),
];

/** An end without a beginning would be a piece of work without a name in the next trace. */
async function checkStarted(span_id: string, session: Session): Promise<void> {
  const { spans } = await ask(session, 'sessions.explain', {});
  if ((spans as Json[]).some((span) => span.span_id === span_id)) return;
  throw new Fault(
    'not_found',
    `span_id: no span ${span_id} was started in this session; it ends with mem_commit_outcome`,
  );
}
