import { behaviorShapes, Fault, shapes, traceShapes } from '@mem-service/contract';
import * as z from 'zod';
import { ownTool } from '../own-tool.ts';
import { problemOf } from '../refusals.ts';
import { callService, type JsonObject, type McpSession, traceIdOf } from '../session.ts';
import { type Tool, writeHints } from '../tool.ts';

const words = {
  name: shapes.label(128).optional(),
  description: shapes.text(4096).optional(),
  agent_id: shapes.agentId.optional(),
  opens_incidents: z.boolean().optional(),
};
const aboutWords = {
  ...{ behavior_id: 'e.g. pays-without-checking', name: 'For people', description: 'What it is' },
  opens_incidents: 'Where more have it than before; default true, false for a good one',
};

const defined = {
  behavior_id: behaviorShapes.behaviorId,
  matcher: z.array(z.record(z.string(), z.unknown())).min(1).max(20).optional(),
  ...words,
};

/** Defines a behavior, or the next version of one. */
const defineTool = ownTool({
  name: 'mem_behavior_define',
  toolset: 'evaluation',
  description: 'Define a behavior to look for in past and new traces, or change one.',
  input: defined,
  about: {
    ...aboutWords,
    matcher: 'All have to hold: [{check: "tool_required", tool: "pay"}, {check: "tool_forbidden", tool: "check"}]',
    agent_id: 'Only traces of this agent',
  },
  annotations: writeHints,
  run: define,
});

async function define(asked: z.output<z.ZodObject<typeof defined>>, session: McpSession): Promise<JsonObject> {
  const { behavior_id, matcher } = asked;
  const input = { behavior_id, ...(matcher === undefined ? {} : { matcher }), ...wordsIn(asked) };
  try {
    return await callService(session, 'behaviors.update', input);
  } catch (error) {
    if (problemOf(error)?.code !== 'not_found') throw error;
    if (matcher === undefined) throw new Fault('not_found', `there is no behavior ${behavior_id}: give a matcher`);
    return callService(session, 'behaviors.create', input);
  }
}

type GivenWords = z.output<z.ZodObject<typeof words>>;

const wordsIn = ({ name, description, agent_id, opens_incidents }: GivenWords): JsonObject => ({
  ...(name === undefined ? {} : { name }),
  ...(description === undefined ? {} : { description }),
  ...(agent_id === undefined ? {} : { for_agent: agent_id }),
  ...(opens_incidents === undefined ? {} : { opens_incidents }),
});

const exemplified = { behavior_id: behaviorShapes.behaviorId, trace_id: traceShapes.traceId, ...words };

/** Finds what sets a trace apart, and keeps it as a behavior. */
const fromTraceTool = ownTool({
  name: 'mem_behavior_from_trace',
  toolset: 'evaluation',
  description: 'Define a behavior by a session that shows it: what it has in common with some others and most lack.',
  input: exemplified,
  about: {
    ...aboutWords,
    trace_id: 'The example: its id, or "last"',
    agent_id: 'Compare with sessions of this agent only',
  },
  annotations: writeHints,
  async run(asked, session) {
    const trace_id = await traceIdOf(session, asked.trace_id);
    const { behavior_id } = asked;
    return callService(session, 'behaviors.create_from_trace', { behavior_id, trace_id, ...wordsIn(asked) });
  },
});

export const behaviorTools: readonly Tool[] = [defineTool, fromTraceTool];
