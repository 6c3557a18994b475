import { shapes, traceShapes } from '@mem-service/contract';
import * as z from 'zod';
import { ownTool } from '../own-tool.ts';
import { type JsonObject, traceIdOf } from '../session.ts';
import { readHints } from '../tool.ts';

/** More of it would not leave a model room for anything else. */
const MAX_CHARS = 60_000;

export const investigateTool = ownTool({
  name: 'mem_investigate',
  toolset: 'evaluation',
  description: 'Ask a question about the sessions of an agent.',
  input: {
    agent_id: shapes.agentId,
    question: shapes.text(4096).min(1),
    trace_id: traceShapes.traceId.optional(),
    max_steps: z.int().min(1).max(20).optional(),
  },
  about: {
    agent_id: 'The agent it is about',
    question: 'What to find out',
    trace_id: 'A session that failed',
    max_steps: 'How far to go',
  },
  annotations: readHints,
  async run({ trace_id, ...asked }, session, call) {
    const { lines, mode } = session.service;
    if (!lines) return { json: { error: 'it is not offered here: set MEM_HTTP_URL', mode }, isError: true };
    const input = { ...asked, ...(trace_id === undefined ? {} : { trace_id: await traceIdOf(session, trace_id) }) };
    const steps: JsonObject[] = [];
    let chars = 0;
    for await (const line of lines('investigations.run', input, session.identity.caller())) {
      call.signal.throwIfAborted();
      chars += line.length;
      const step = JSON.parse(line) as JsonObject;
      steps.push(chars > MAX_CHARS ? { ...step, data: null } : step);
      await call.progress(steps.length, String(step.step));
    }
    return { answer: steps.at(-1)?.found, steps, mode };
  },
});
