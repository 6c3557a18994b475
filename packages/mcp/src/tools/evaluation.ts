import * as z from 'zod';
import type { Shape } from '../json-schema.ts';
import { ownTool } from '../own-tool.ts';
import { readHints, type Tool, type ToolAnnotations, writeHints } from '../tool.ts';

const text = z.string().min(1).max(4096);
const some = text.optional();
const page = { limit: z.int().min(1).max(1000).optional(), cursor: some };
const span = { since: some, until: some };

type ToolRow = { description: string; input: Shape; annotations: ToolAnnotations };
const ask = (description: string, input: Shape): ToolRow => ({ description, input, annotations: readHints });
const act = (description: string, input: Shape): ToolRow => ({ description, input, annotations: writeHints });

const rows: Record<string, ToolRow> = {
  judge_trace: act('Have a judge grade a sealed session now.', { trace_id: text, judge_id: text }),
  judge_define: act('Define a judge, or a new version of it.', {
    agent_id: text,
    judge_id: some,
    name: text,
    prompt: text,
    dry_run: z.boolean().optional(),
  }),
  judges: ask('List the judges of an agent.', { agent_id: text }),
  seed_starter_judges: act('Give an agent the judges to start with.', { agent_id: text }),
  verdicts: ask('List verdicts.', { agent_id: some, trace_id: some, judge_id: some, ...page }),
  eval_summary: ask('How an agent is graded, over a time.', { agent_id: text, window: some }),
  backfill: act('Grade older sessions.', { agent_id: text, judge_id: some, ...span, limit: page.limit }),
  behaviors: ask('List recurring behaviors of an agent.', { agent_id: text, ...page }),
  behavior_define: act('Define a behavior to look out for.', { agent_id: text, name: text, description: text }),
  behavior_from_trace: act('Define a behavior by a session that shows it.', {
    agent_id: text,
    trace_id: text,
    name: some,
  }),
  blast_radius: ask('Which sessions a behavior touches.', { behavior_id: text }),
  incident: act('List, read, acknowledge, resolve or mute incidents.', {
    action: z.enum(['list', 'get', 'acknowledge', 'resolve', 'mute']),
    incident_id: some,
    agent_id: some,
    until: some,
  }),
  segment: ask('Group sessions by an attribute.', { agent_id: text, dimension: text, ...span }),
  dimensions: ask('Attributes to group sessions by.', { agent_id: text }),
  attribute_failure: ask('Which memory led to a failure.', { trace_id: text }),
  propose_fix: act('Propose a fix for a verdict or a behavior.', { verdict_id: some, behavior_id: some }),
  fixes: ask('List fixes.', { agent_id: some, status: some, ...page }),
  approve_fix_memory: act('Take over the corrected memory of a fix.', { fix_id: text }),
  investigate: ask('Ask a question about the sessions of an agent.', {
    agent_id: text,
    question: text,
    trace_id: some,
    max_steps: z.int().min(1).optional(),
  }),
  alerts: ask('List alerts.', { agent_id: some, ...page }),
};

/** Names mean the same in all of them. */
const about = {
  trace_id: 'A sealed session',
  judge_id: 'The judge',
  agent_id: 'The agent it is about',
  name: 'Its name',
  prompt: 'What the judge looks for',
  dry_run: 'Only look',
  since: 'ISO time',
  until: 'ISO time',
  window: 'e.g. 7d',
  description: 'What it is',
  behavior_id: 'The behavior',
  verdict_id: 'The verdict',
  action: 'What to do',
  incident_id: 'The incident',
  dimension: 'The attribute',
  status: 'Only with this status',
  fix_id: 'The fix',
  question: 'What to find out',
  max_steps: 'How far to go',
};

/** Grading is part of the hosted service. Without it these tools change nothing and answer so. */
export const evaluationTools: readonly Tool[] = Object.entries(rows).map(([name, row]) =>
  ownTool({
    ...row,
    name: `mem_${name}`,
    toolset: 'evaluation',
    about,
    run: (_, { service }) => ({
      json: {
        error:
          service.mode === 'local'
            ? `mem_${name} needs the hosted API: set MEM_HTTP_URL`
            : `mem_${name} is not offered by the service at MEM_HTTP_URL`,
        mode: service.mode,
      },
      isError: true,
    }),
  }),
);
