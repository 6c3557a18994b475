import { Fault, judgeShapes, shapes, traceShapes } from '@mem-service/contract';
import * as z from 'zod';
import { ownTool } from '../own-tool.ts';
import { problemOf } from '../refusals.ts';
import { callService, type JsonObject, type McpSession, traceIdOf } from '../session.ts';
import { writeHints } from '../tool.ts';

const input = {
  judge_id: judgeShapes.judgeId,
  name: shapes.label(128).optional(),
  agent_id: shapes.agentId.optional(),
  entity_path: shapes.pathGlob.optional(),
  definition: z.record(z.string(), z.unknown()).optional(),
  sampling_rate: judgeShapes.samplingRate.optional(),
  evidence_weight: judgeShapes.evidenceWeight.optional(),
  trace_ids: z.array(traceShapes.traceId).min(1).max(50).optional(),
};

type AskedJudge = z.output<z.ZodObject<typeof input>>;

/** Defines a judge, or the next version of one. With traces it only tries the definition on them. */
export const judgeDefineTool = ownTool({
  name: 'mem_judge_define',
  toolset: 'evaluation',
  description: 'Define a judge of traces or its next version; with trace_ids, only try it on them.',
  input,
  about: {
    judge_id: 'e.g. no-failed-tools',
    name: 'For people',
    agent_id: 'Only traces of this agent',
    entity_path: 'Only traces that read there',
    definition:
      '{kind: "code", checks: [{check: "tool_forbidden", tool: "rm"}]}; or kind rubric with items, llm with prompt',
    sampling_rate: 'Share of new traces, 0 to 1',
    evidence_weight: 'How verdicts move confidences, 0 (off) to 1',
    trace_ids: 'Only try it on these',
  },
  annotations: writeHints,
  run: define,
});

async function define(asked: AskedJudge, session: McpSession): Promise<JsonObject> {
  const { judge_id, name, agent_id, entity_path, definition, trace_ids } = asked;
  const { sampling_rate, evidence_weight } = asked;
  if (trace_ids) {
    const ids = await Promise.all(trace_ids.map((id) => traceIdOf(session, id)));
    const tried = definition === undefined ? { judge_id } : { definition };
    return callService(session, 'judges.dry_run', { ...tried, trace_ids: ids });
  }
  const given = {
    ...{ judge_id, ...(name === undefined ? {} : { name }), ...(definition === undefined ? {} : { definition }) },
    ...(agent_id === undefined ? {} : { for_agent: agent_id }),
    ...(entity_path === undefined ? {} : { for_path: entity_path }),
    ...(sampling_rate === undefined ? {} : { sampling_rate }),
    ...(evidence_weight === undefined ? {} : { evidence_weight }),
  };
  try {
    return await callService(session, 'judges.update', given);
  } catch (error) {
    if (problemOf(error)?.code !== 'not_found') throw error;
    if (definition === undefined) throw new Fault('not_found', `there is no judge ${judge_id}: give a definition`);
    return callService(session, 'judges.create', given);
  }
}
