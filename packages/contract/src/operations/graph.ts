import * as z from 'zod';
import { trimSlashes } from '../glob.ts';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';

/** The kinds of nodes that an edge may connect. */
const nodeTypes = ['agent', 'entry', 'entity', 'outcome', 'pattern'] as const;

export const nodeType = z.enum(nodeTypes).meta({
  id: 'NodeType',
  description: 'The kind of thing that a name refers to. An `entity` is anything that has a path.',
});

/** Room for the longest path, a slash and the longest key. */
export const nodeName = s.label(2500).meta({
  description:
    'An agent, the `entity_path/key` of an entry (% and / in the key as %25 and %2F), a path or a reference.',
  examples: ['agent/deploy-bot'],
});

/** Paths have no slashes at their ends. Other names may: an outcome may be the address of a page. */
const tidyName = (name: string, type: z.output<typeof nodeType>) =>
  type === 'entity' || type === 'entry' ? trimSlashes(name) : name;

const MAX_RELATIONS = 8;

export const relation = s
  .label(64)
  .refine((text) => !text.includes(','), 'must not hold a comma')
  .meta({ description: 'How the source relates to the target, in at most 64 bytes.', examples: ['depends_on'] });

const relations = s
  .label(64 * MAX_RELATIONS)
  .refine((text) => text.split(',').length <= MAX_RELATIONS, `must not name more than ${MAX_RELATIONS}`)
  .meta({ description: 'Only these relations, separated by commas.', examples: ['wrote,read'] });

const edge = {
  source: z.string(),
  source_type: nodeType,
  relation: z.string(),
  target: z.string(),
  target_type: nodeType,
  confidence: z.number().meta({ description: 'The highest it was ever given, 0 to 1.' }),
  evidence_count: z.int().meta({ description: 'How often it was seen.' }),
  first_seen: s.utc,
  last_seen: s.utc,
};

export const graph = {
  'graph.neighbors': operation({
    summary: 'Walk the graph',
    description:
      'What is connected with an agent, an entry, a path, an outcome or a pattern. A path stands for itself and for the ' +
      'entries at and below it. The service adds `wrote`, `read` and `learned_from` for agents, `references`, `informed` ' +
      'and `co_occurs_with` for entries; reads appear a moment later. Nearest first; of one thing those of one relation ' +
      'stand together, newest entries first.',
    module: 'graph',
    effect: 'read',
    cost: 1,
    // A walk expands up to 32 nodes at a time, with a statement each for edges, outcomes, their lines and names. It stops
    // after max_scanned_entries edges.
    items_per_statement: 10,
    http: {
      method: 'GET',
      path: '/api/v1/graph/neighbors',
      aliases: [{ method: 'GET', path: '/api/v1/pro/graph/neighbors' }],
    },
    cli: { args: ['entity'], alias: 'graph' },
    tools: [
      {
        name: 'mem_graph_neighbors',
        toolset: 'core',
        description: 'What is connected with a path, entry, agent, outcome or pattern.',
        fields: ['entity', 'relation', 'depth', 'limit', 'branch'],
        unlisted: ['type', 'direction', 'min_confidence'],
        previews: true,
        about: {
          entity: 'Its name; of an entry path/key',
          relation: 'e.g. wrote,read',
          depth: '1 to 5',
        },
        limit: 50,
        miss: 'another name of it, depth 2, or mem_search',
      },
    ],
    input: () =>
      z.strictObject({
        entity: nodeName.meta({ description: 'Where to start.', examples: ['checkout/payments'] }),
        type: nodeType
          .optional()
          .meta({ description: 'The kind of thing that the name refers to, if it is ambiguous.' }),
        relation: relations.optional(),
        direction: z.enum(['in', 'out', 'both']).default('both').meta({ description: 'Which way edges are followed.' }),
        min_confidence: s.confidence.default(0).meta({ description: 'Only edges with at least this confidence.' }),
        depth: z.int().min(1).max(5).default(1).meta({ description: 'How many edges away, 1 to 5.' }),
        limit: z.int().min(1).max(1000).default(200).meta({ description: 'How many edges, 1 to 1000.' }),
        branch: s.branch.default('main'),
      }),
    output: () =>
      z.object({
        entity: z.string(),
        edges: z.array(
          z
            .object({
              ...edge,
              depth: z.int().meta({ description: 'How many edges away from the start it was found.' }),
            })
            .meta({ id: 'GraphEdge' }),
        ),
        nodes: z.array(
          z
            .object({ name: z.string(), type: nodeType, depth: z.int() })
            .meta({ id: 'GraphNode', description: 'Something that an edge of the answer ends at.' }),
        ),
        count: z.int().meta({ description: 'How many edges there are in the answer.' }),
        truncated: z.boolean().meta({ description: 'There are more, or not everything could be looked at.' }),
      }),
    errors: ['branch_not_found'],
    example: () => ({ entity: 'checkout/payments', depth: 2 }),
  }),

  'graph.overview': operation({
    summary: 'Map agents, paths and outcomes',
    description:
      'Who wrote and read where, and which outcomes that led to, as one graph, the heaviest first. It is made of the newest ' +
      'entries, reads and outcomes; reads are those of what other agents wrote. `truncated` where there is more.',
    module: 'graph',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/graph/overview' },
    cli: { alias: 'map' },
    tools: [
      {
        name: 'mem_graph_overview',
        toolset: 'data',
        description: 'Who wrote and read where and which outcomes that led to, as one graph, the heaviest first.',
        fields: ['limit', 'branch'],
        limit: 50,
      },
    ],
    input: () =>
      z.strictObject({
        limit: z.int().min(1).max(5000).default(500).meta({
          description: 'How many nodes, 1 to 5000; there are at most twice as many edges.',
        }),
        branch: s.branch.default('main'),
      }),
    output: () =>
      z
        .object({
          nodes: z.array(
            z
              .object({
                type: nodeType,
                name: z.string().meta({ description: 'An agent, a path or the reference of an outcome.' }),
                weight: z.int().meta({ description: 'The sum of what its edges count.' }),
                last_seen: s.utc,
                outcome_type: z
                  .string()
                  .nullable()
                  .meta({ description: 'Of an outcome: how the newest with this reference went. Else null.' }),
              })
              .meta({ id: 'OverviewNode' }),
          ),
          edges: z.array(
            z
              .object({
                source: z.int().meta({ description: 'Its place in `nodes`, from 0.' }),
                relation: z.string().meta({ description: '`wrote`, `read`, `committed` or `informed`.' }),
                target: z.int(),
                weight: z.int().meta({ description: 'How many entries, reads or causes.' }),
                last_seen: s.utc,
              })
              .meta({ id: 'OverviewEdge' }),
          ),
          truncated: z.boolean().meta({ description: 'There is more than was looked at or shown.' }),
        })
        .meta({ id: 'GraphOverview' }),
    errors: ['branch_not_found'],
    example: () => ({}),
  }),

  'graph.link': operation({
    summary: 'State an edge',
    description:
      'Connects two things, for what the service cannot see by itself. Stated again, it counts once more. An edge that ' +
      'touches a private entry is as private as the entry.',
    module: 'graph',
    effect: 'write',
    cost: 2,
    http: {
      method: 'POST',
      path: '/api/v1/graph/edges',
      status: { of: (output: { evidence_count: number }) => (output.evidence_count > 1 ? 200 : 201), all: [201, 200] },
      location: '/api/v1/graph/neighbors?entity={source}',
    },
    cli: { args: ['source', 'relation', 'target'], alias: 'link' },
    input: () =>
      z
        .strictObject({
          source: nodeName,
          source_type: nodeType.default('agent'),
          relation,
          target: nodeName,
          target_type: nodeType.default('agent'),
          confidence: s.confidence.default(1).meta({ description: 'How sure this is, 0 to 1.' }),
          shared: z.boolean().default(true).meta({ description: '`false`: only the agent that states it sees it.' }),
          branch: s.branch.default('main'),
          agent_id: s.agentId.optional(),
          session_id: s.sessionId.optional(),
        })
        .overwrite((edge) => ({
          ...edge,
          source: tidyName(edge.source, edge.source_type),
          target: tidyName(edge.target, edge.target_type),
        })),
    output: () =>
      z
        .object({ edge_id: z.string(), ...edge, shared: z.boolean(), branch: s.branch, seq: z.int() })
        .meta({ id: 'StatedEdge' }),
    errors: ['branch_not_found'],
    example: () => ({
      source: 'checkout/payments',
      source_type: 'entity' as const,
      relation: 'depends_on',
      target: 'checkout/ledger',
      target_type: 'entity' as const,
    }),
  }),
};
