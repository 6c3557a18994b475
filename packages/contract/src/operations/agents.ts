import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { agentProfiles } from './agent-profiles.ts';
import { agentReads } from './agent-reads.ts';
import { eventTypes } from './log.ts';

const reading = { module: 'agents', effect: 'read', cost: 1 } as const;
const whose = s.agentId.meta({ description: 'The agent it is about; need not be the caller.' });
const span = {
  since: s.since,
  until: s.until,
};

const timelineEvent = z
  .object({
    id: z.int().meta({ description: 'Place in the log of the account.' }),
    event_type: z.string(),
    agent_id: s.agentId,
    actor_agent_id: z.string().nullable().meta({ description: 'Who did it, where that is another agent.' }),
    branch: s.branch,
    summary: z.string(),
    details: z.record(z.string(), z.unknown()).meta({
      description: 'What the type is about; for a write entity_path, key, version and confidence.',
    }),
    created_at: s.utc,
  })
  .meta({ id: 'TimelineEvent' });

const activityItem = z
  .object({
    type: z.string(),
    summary: z.string(),
    entity_path: z.string().nullable(),
    key: z.string().nullable(),
    version: z.int().nullable(),
    timestamp: s.utc,
    details: z.record(z.string(), z.unknown()),
    actor_agent_id: z.string().nullable().meta({ description: 'Who did it, where that is another agent.' }),
  })
  .meta({ id: 'Activity' });

const listedAgent = z
  .object({
    agent_id: s.agentId,
    entries_written: z.int().meta({ description: 'Entries whose current version it wrote.' }),
    last_active: s.utc.nullable(),
    created_at: s.utc.meta({ description: 'When it was first seen.' }),
    description: z.string().nullable(),
    platform: z.string().nullable(),
    tags: z.array(z.string()),
  })
  .meta({ id: 'ListedAgent' });

const foundAgent = z
  .object({
    agent_id: s.agentId,
    score: z.number(),
    why: z.array(z.string()).meta({ description: 'What speaks for this agent.' }),
    capabilities: z.array(z.string()).meta({ description: 'Names of the capabilities that match.' }),
    entries_here: z.int().meta({ description: 'Current entries that it wrote at `entity_path` or below.' }),
    description: z.string().nullable(),
    platform: z.string().nullable(),
    tags: z.array(z.string()),
  })
  .meta({ id: 'FoundAgent' });

export const agents = {
  'agents.list': operation({
    summary: 'List agents',
    description: 'Everyone who has done something or has a profile, by id.',
    ...reading,
    http: { method: 'GET', path: '/api/v1/agents' },
    cli: { alias: 'agents' },
    tools: [
      {
        name: 'mem_agents',
        toolset: 'data',
        description: 'Every agent that has done something or has a profile.',
        fields: ['limit', 'cursor', 'branch'],
        limit: 50,
      },
    ],
    input: () => z.strictObject({ branch: s.branch.default('main'), limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ agents: z.array(listedAgent), ...s.page }),
    errors: ['branch_not_found', 'invalid_cursor'],
    example: () => ({}),
  }),

  'agents.discover': operation({
    summary: 'Find an agent for a task',
    description:
      'Agents whose declared capabilities match, and for an `entity_path` also those who wrote most there; the best first, ' +
      'with reasons.',
    ...reading,
    http: { method: 'GET', path: '/api/v1/agents/discover' },
    cli: { args: ['capability'], alias: 'discover' },
    input: () =>
      z.strictObject({
        capability: s.text(256).min(1).optional().meta({ description: 'Words that name a capability.' }),
        entity_path: s.entityPath.optional().meta({ description: 'A path that the agent should be familiar with.' }),
        tag: s.text(64).min(1).optional().meta({ description: 'Only agents that carry this tag.' }),
        branch: s.branch.default('main'),
        limit: z.int().min(1).max(100).default(20).meta({ description: 'How many, 1 to 100.' }),
      }),
    output: () =>
      z.object({
        agents: z.array(foundAgent),
        truncated: z.boolean().meta({ description: 'There are more profiles than were looked at.' }),
      }),
    errors: ['branch_not_found'],
    example: () => ({ capability: 'payment retries', entity_path: 'checkout/payments' }),
  }),

  'agents.timeline': operation({
    summary: 'Read the timeline of an agent',
    description:
      'What happened to its memory, newest first, one line each, as in a git log. A page that had to look at very many ' +
      'events to find the types asked for ends early, with `has_more`.',
    ...reading,
    needs_notes: 'of this server',
    http: { method: 'GET', path: '/api/v1/agents/{agent_id}/timeline' },
    cli: { args: ['agent_id'], alias: 'timeline' },
    tools: [
      {
        name: 'mem_timeline',
        toolset: 'core',
        description: 'What happened to the memory of an agent, newest first.',
        fields: ['agent_id', 'event_type', 'limit', 'cursor', 'branch'],
        unlisted: ['since', 'until'],
        about: { agent_id: 'Default: you', event_type: 'Only these, e.g. write' },
        limit: 50,
        self: 'agent_id',
        miss: 'no event_type, an earlier since, or another agent_id',
      },
    ],
    input: () =>
      z.strictObject({
        agent_id: whose,
        event_type: eventTypes.optional(),
        ...span,
        branch: s.branch.default('main'),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () =>
      z
        .object({
          agentId: s.agentId,
          events: z.array(timelineEvent),
          count: z.int().meta({ description: 'Events of this page.' }),
          ...s.page,
        })
        .meta({ id: 'Timeline' }),
    errors: ['branch_not_found', 'invalid_cursor', 'log_rewound'],
    example: () => ({ agent_id: 'deploy-bot', limit: 20 }),
  }),

  'agents.activity': operation({
    summary: 'Read the activity of an agent',
    description: 'Everything on its record, on all branches, newest first and nothing twice.',
    ...reading,
    needs_notes: 'of this server',
    http: { method: 'GET', path: '/api/v1/agents/{agent_id}/activity' },
    cli: { args: ['agent_id'], alias: 'activity' },
    input: () => z.strictObject({ agent_id: whose, ...span, limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ agent_id: s.agentId, timeline: z.array(activityItem), ...s.page }),
    errors: ['invalid_cursor', 'log_rewound'],
    example: () => ({ agent_id: 'deploy-bot' }),
  }),

  ...agentReads,
  ...agentProfiles,
};
