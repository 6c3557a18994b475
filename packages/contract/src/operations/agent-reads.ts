import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';

const reading = { module: 'agents', effect: 'read', cost: 1 } as const;
const entry = { entity_path: 'checkout/payments', key: 'retry-policy' };
const truncated = z.boolean().meta({ description: 'There is more than was looked at.' });

const readEntry = z
  .object({ entity_path: s.entityPath, key: s.key, read_count: z.int() })
  .meta({ id: 'ReadEntry', description: 'An entry and how often it was read.' });
const byAuthor = z
  .record(z.string(), z.array(readEntry))
  .meta({ description: 'Entries of other agents that it read, by their author.' });

const memoryNode = z
  .object({
    entity_path: s.entityPath,
    written_entries: z.array(
      z
        .object({
          key: s.key,
          version: s.version,
          confidence: s.confidence,
          memory_type: s.memoryType,
          written_at: s.utc,
          recall_count: z.int(),
        })
        .meta({ id: 'MemoryNodeEntry' }),
    ),
    read_counts: z.record(z.string(), z.int()).meta({ description: 'How often it read each key.' }),
  })
  .meta({ id: 'MemoryNode', description: 'What an agent wrote and read at one path.' });

/** Reads of what an agent wrote and of what it read from others. */
export const agentReads = {
  'agents.memory_graph': operation({
    summary: 'Map the memory of an agent',
    description:
      'By entity path: the entries whose current version it wrote (the newest 1,000) and what it has read. Empty for an ' +
      'unknown agent.',
    ...reading,
    needs_notes: 'of this server',
    http: { method: 'GET', path: '/api/v1/agents/{agent_id}/memory-graph' },
    cli: { args: ['agent_id'], alias: 'memory-graph' },
    input: () =>
      z.strictObject({
        agent_id: s.agentId.meta({ description: 'The agent it is about; need not be the caller.' }),
        branch: s.branch.default('main'),
      }),
    output: () =>
      z
        .object({
          agent_id: s.agentId,
          nodes: z.array(memoryNode),
          total_written: z.int().meta({ description: 'All entries whose current version it wrote.' }),
          total_reads: z.int(),
          total_recalls: z.int().meta({ description: 'How often the entries shown were recalled by anyone.' }),
          cross_agent_reads: byAuthor,
          truncated,
        })
        .meta({ id: 'MemoryGraph' }),
    errors: ['branch_not_found'],
    example: () => ({ agent_id: 'deploy-bot' }),
  }),

  'agents.cross_agent_reads': operation({
    summary: 'List what an agent read of others',
    ...reading,
    needs_notes: 'of this server',
    http: { method: 'GET', path: '/api/v1/agents/{agent_id}/cross-agent-reads' },
    cli: { args: ['agent_id'], alias: 'cross-agent-reads' },
    input: () =>
      z.strictObject({
        agent_id: s.agentId.meta({ description: 'The agent that read.' }),
        branch: s.branch.default('main'),
      }),
    output: () =>
      z
        .object({
          agent_id: s.agentId,
          reads_from: byAuthor,
          agents_read_from: z.array(z.string()),
          total_cross_agent_reads: z.int(),
          truncated,
        })
        .meta({ id: 'CrossAgentReads' }),
    errors: ['branch_not_found'],
    example: () => ({ agent_id: 'deploy-bot' }),
  }),

  'agents.recall': operation({
    summary: 'Recall what an agent wrote',
    description:
      'The newest version of an entry that the agent wrote itself, also where others have written later ones. An old ' +
      'version comes without the standing fields. Counts as a read.',
    ...reading,
    http: {
      method: 'GET',
      path: '/api/v1/agents/{agent_id}/recall/{entity_path}/{key}',
      aliases: [{ method: 'GET', path: '/api/v1/recall' }],
    },
    cli: { args: ['entity_path', 'key'], alias: 'recall' },
    tools: [
      {
        name: 'mem_recall',
        toolset: 'core',
        whole: true,
        description: 'Read what you yourself last wrote under a key, also if others changed it since.',
        fields: ['entity_path', 'key', 'branch'],
        about: { entity_path: 'Path', key: 'Key' },
        miss: 'mem_read for what others wrote there, or mem_my_entries for what is yours',
      },
    ],
    input: () =>
      z.strictObject({
        ...s.address,
        agent_id: s.agentId.optional().meta({ description: 'Who wrote it; the caller where none is given.' }),
      }),
    output: () => z.union([s.entry, s.entryVersion]),
    errors: ['not_found', 'branch_not_found'],
    example: () => ({ ...entry, agent_id: 'deploy-bot' }),
  }),

  'agents.read_from': operation({
    summary: 'Read what another agent wrote',
    description:
      'The newest shared version of an entry that the other agent wrote. Counts as a read, appears on both timelines and ' +
      'in the graph.',
    ...reading,
    acts_as_agent: true,
    http: {
      method: 'GET',
      path: '/api/v1/agents/{agent_id}/read-from/{source_agent_id}/{entity_path}/{key}',
      aliases: [{ method: 'GET', path: '/api/v1/read-from' }],
    },
    cli: { args: ['source_agent_id', 'entity_path', 'key'], alias: 'read-from' },
    tools: [
      {
        name: 'mem_read_from',
        toolset: 'core',
        whole: true,
        description: 'Read what another agent last wrote under a key.',
        fields: ['source_agent_id', 'entity_path', 'key', 'branch'],
        about: { source_agent_id: 'The other agent', entity_path: 'Path', key: 'Key' },
        miss: 'mem_search with agent_id to see what that agent wrote',
      },
    ],
    input: () =>
      z.strictObject({
        ...s.address,
        source_agent_id: s.agentId.meta({ description: 'Who wrote it.' }),
        agent_id: s.agentId.optional().meta({ description: 'Who reads; the caller where none is given.' }),
      }),
    output: () => z.union([s.entry, s.entryVersion]),
    errors: ['not_found', 'branch_not_found'],
    example: () => ({ ...entry, source_agent_id: 'deploy-bot', agent_id: 'review-bot' }),
  }),

  'entries.readers': operation({
    summary: 'List who read an entry',
    description:
      'Reads of what another agent wrote, newest first; of each session and day the first. `readers` adds up all reads by agent, ' +
      'the last reader first; reads of what an agent wrote itself are added when its session is sealed.',
    ...reading,
    needs_notes: 'of this server',
    http: { method: 'GET', path: '/api/v1/readers' },
    cli: { args: ['entity_path', 'key'], alias: 'readers' },
    tools: [
      {
        name: 'mem_readers',
        toolset: 'data',
        description: 'Who read an entry, and which version.',
        fields: ['entity_path', 'key', 'limit', 'cursor', 'branch'],
        limit: 20,
      },
    ],
    input: () =>
      z.strictObject({
        ...s.address,
        limit: z.int().min(1).max(100).default(50).meta({ description: 'Page size, 1 to 100.' }),
        cursor: s.cursor,
      }),
    output: () =>
      z
        .object({
          entity_path: s.entityPath,
          key: s.key,
          reads: z.array(
            z
              .object({
                agent_id: s.agentId,
                session_id: z.string().nullable(),
                branch: s.branch,
                version: s.version,
                read_at: s.utc,
                trace_id: z
                  .string()
                  .nullable()
                  .meta({ description: 'The trace of its session; null where that is not sealed yet.' }),
              })
              .meta({ id: 'EntryReadBy' }),
          ),
          readers: z.array(
            z
              .object({ agent_id: s.agentId, read_count: z.int(), first_read_at: s.utc, last_read_at: s.utc })
              .meta({ id: 'EntryReader' }),
          ),
          truncated: z.boolean().meta({ description: 'More agents have read it than `readers` names.' }),
          ...s.page,
        })
        .meta({ id: 'EntryReaders' }),
    errors: ['not_found', 'branch_not_found', 'invalid_cursor', 'log_rewound'],
    example: () => entry,
  }),
};
