import * as z from 'zod';
import { operation } from '../operation.ts';
import { includeQuarantined } from '../quarantine-shapes.ts';
import * as s from '../shapes.ts';

export const search = {
  'entries.search': operation({
    summary: 'Search entries',
    description:
      'Words are stemmed and OR-combined and ranked by BM25; "a phrase" and a prefix* are understood. Without a query the ' +
      'filters alone decide. Words found in very many entries do not rank; a query of such words alone looks at the newest.',
    module: 'search',
    effect: 'read',
    cost: 1,
    in_room: 'paths',
    http: { method: 'POST', path: '/api/v1/search', aliases: [{ method: 'GET', path: '/api/v1/search' }] },
    cli: { args: ['query'], alias: 'search' },
    tools: [
      {
        name: 'mem_search',
        toolset: 'core',
        slim: [
          'query',
          'entity_path',
          'include_descendants',
          'agent_id',
          'min_confidence',
          'limit',
          'cursor',
          'branch',
        ],
        hits: true,
        description:
          'Search memory before you start a task or decide. Words, "a phrase", prefix*. Long values are cut.',
        fields: [
          'query',
          'entity_path',
          'include_descendants',
          'agent_id',
          'memory_type',
          'min_confidence',
          'since',
          'sort_by',
          'limit',
          'cursor',
          'branch',
        ],
        unlisted: ['pattern_ref', 'max_confidence', 'until', 'include_quarantined'],
        about: {
          query: 'Leave out to filter only',
          entity_path: 'Path or glob',
          include_descendants: 'And what is below',
          agent_id: 'Only by this agent',
          memory_type: 'Only these',
          since: 'ISO time',
          sort_by: 'Default relevance',
          min_confidence: '0 to 1',
        },
        limit: 20,
        miss: 'fewer or other words, a prefix* or no entity_path; mem_list shows what is there',
      },
    ],
    input: () =>
      z.strictObject({
        query: z.string().max(4096).optional().meta({ description: 'Words, "a phrase", a prefix*.' }),
        entity_path: s.pathGlob.optional(),
        include_descendants: s.includeDescendants,
        branch: s.branch.default('main'),
        agent_id: s.agentId.optional().meta({ description: 'Only what this agent wrote.' }),
        memory_type: s.memoryType.optional(),
        pattern_ref: s.patternRef.optional(),
        min_confidence: s.confidence.optional(),
        max_confidence: s.confidence.optional(),
        since: s.since,
        until: s.until,
        include_artifacts: z
          .boolean()
          .default(true)
          .meta({ description: 'Also values that look like source or configuration files.' }),
        include_quarantined: includeQuarantined,
        sort_by: z.enum(['relevance', 'confidence', 'recency', 'version']).optional().meta({
          description: 'Default: relevance with a query, confidence without.',
        }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () =>
      z.object({
        entries: z.array(
          s.entry
            .extend({ score: z.number().nullable().meta({ description: 'BM25; null where it did not rank.' }) })
            .meta({ id: 'FoundEntry', description: 'An entry and how well it fits.' }),
        ),
        truncated: z.boolean().meta({ description: 'More entries matched than were looked at.' }),
        ...s.page,
      }),
    errors: ['branch_not_found', 'invalid_cursor'],
    example: () => ({ query: 'payment retry', entity_path: 'checkout/**', min_confidence: 0.3 }),
  }),
};
