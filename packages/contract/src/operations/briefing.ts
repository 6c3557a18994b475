import * as z from 'zod';
import { briefingSections } from '../briefing-sections.ts';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { digest } from './cortex.ts';

const place = { entity_path: s.entityPath, key: s.key };
const outcomeTypes = z.array(z.string());

const briefedMembers = {
  ...place,
  version: s.version,
  memory_type: s.memoryType,
  value: s.anyJson.meta({ description: 'The value; of a long one, the beginning of its text.' }),
  value_truncated: z.boolean(),
  confidence: s.confidence,
  evidence_status: s.evidenceStatus,
  success_count: z.int(),
  failure_count: z.int(),
  last_outcome_at: s.utc.nullable(),
  agent_id: z.string().meta({ description: 'Who wrote it.' }),
  written_at: s.utc,
};

const briefed = z.object(briefedMembers).meta({ id: 'BriefedEntry', description: 'An entry, in short.' });

const changed = z
  .object({
    ...briefedMembers,
    change: z.enum(['created', 'updated', 'deleted']).meta({ description: 'A deleted entry has the value null.' }),
  })
  .meta({ id: 'BriefedChange' });

const discredited = z
  .object({
    ...briefedMembers,
    replaced_by: z.array(z.object(place)).meta({
      description: 'What worked where this had failed, from the lessons of outcomes; else what holds at the same path.',
    }),
  })
  .meta({ id: 'DiscreditedEntry' });

const tried = z
  .object({
    action: z.string().meta({ description: 'What was done: the action that decided, or the summary of the attempt.' }),
    won: z.int(),
    n: z.int().meta({ description: 'How often it was tried, among the newest outcomes here.' }),
    p: z.number().meta({ description: '(won + 1) / (n + 2): a few tries prove little.' }),
    agents: z.array(z.string()),
    last_3: outcomeTypes.meta({ description: 'How the last three ended, newest first.' }),
    last_at: s.utc,
    outcome_ref: z.string().meta({ description: 'The newest outcome.' }),
    note: z.string().nullable().meta({ description: 'What was said about the newest one.' }),
  })
  .meta({ id: 'TriedHere' });

const authority = z
  .object({
    agent_id: z.string(),
    reason: z.string(),
    validated: z.int().meta({ description: 'Entries here that it wrote and outcomes support.' }),
    successes: z.int().meta({ description: 'Outcomes that support them.' }),
    last_at: s.utc,
    top_keys: z.array(z.object(place)),
  })
  .meta({ id: 'AgentToAsk' });

export const briefing = {
  'briefing.read': operation({
    summary: 'Read the briefing for a subject or an agent',
    description:
      'What to know before work begins: digests, and at the path or below it what outcomes validated and refuted, what ' +
      'changed since the last visit of the agent, procedures, what was tried and how it ended, and who to ask. It ' +
      'counts as no read; entries that helped can be named in `used` of the outcome.',
    module: 'briefing',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/briefing' },
    cli: { args: ['entity_path'], alias: 'briefing' },
    tools: [
      {
        name: 'mem_briefing',
        toolset: 'core',
        slim: ['entity_path'],
        whole: true,
        limit: 3,
        description: 'Call first: what held up, failed or changed, how to, whom to ask.',
        fields: ['entity_path', 'max_tokens', 'branch'],
        unlisted: ['agent', 'agent_id', 'since', 'limit', 'compact'],
        about: { entity_path: 'Path, and all below', max_tokens: 'As much as fits' },
      },
    ],
    input: () =>
      z.strictObject({
        entity_path: s.pathGlob.optional().meta({
          description: 'The subject: this path and everything below it. Default: everything.',
        }),
        agent: s.agentId.optional().meta({ description: 'The agent it is for; the caller where none is given.' }),
        agent_id: s.agentId.optional().meta({ description: 'Another name of `agent`.' }),
        branch: s.branch.default('main'),
        since: s.since,
        limit: z.int().min(1).max(100).default(10).meta({ description: 'The most digests, 1 to 100.' }),
        compact: z.boolean().default(false).meta({ description: 'The first digest alone, and short values.' }),
        max_tokens: z.int().min(1).max(1_000_000).optional().meta({
          description: 'Whole items as long as they fit in so many tokens; `left_out` counts the others.',
        }),
      }),
    output: () =>
      z
        .object({
          digests: z
            .array(digest)
            .meta({ description: 'The most relevant first; none on branches other than `main`.' }),
          total: z.int().meta({ description: 'How many digests were found to choose from.' }),
          agent_id: s.agentId.meta({ description: 'The agent that it is for.' }),
          last_visit: z
            .object({ at: s.utc })
            .nullable()
            .meta({ description: 'The last finished session of the agent that read something here.' }),
          validated: z.array(briefed),
          discredited: z.array(discredited),
          changed: z.array(changed).meta({
            description: 'Newest first: since the last visit, or since `since`; without both, what is newest.',
          }),
          procedures: z.array(briefed),
          tried_here: z.array(tried),
          who_to_ask: z.array(authority),
          consolidation_notice: z
            .object({
              pending_proposals: z.int(),
              proposal_ids: z.array(z.string()).meta({ description: 'The newest five.' }),
              message: z.string(),
            })
            .nullable()
            .meta({ description: 'Proposals of consolidation here that wait for a decision; null where none does.' }),
          next_steps: z.array(z.string()).meta({ description: 'What to do first where little is known yet.' }),
          left_out: z
            .array(z.object({ section: z.enum(briefingSections), count: z.int() }))
            .meta({ description: 'Items that did not fit in `max_tokens`.' }),
          tokens: z.int().meta({ description: 'About how many tokens the items take.' }),
        })
        .meta({ id: 'Briefing' }),
    errors: ['branch_not_found'],
    example: () => ({ entity_path: 'checkout' }),
  }),
};
