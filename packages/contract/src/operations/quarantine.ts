import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

/** More entries are not put under quarantine at once: it is one transaction. */
export const MAX_QUARANTINED_ENTRIES = 10_000;
/** Steps from what was named to what was written by those who read it, and so on. */
export const MAX_QUARANTINE_DEPTH = 10;
const MAX_CHOSEN = 1000;

const quarantineId = s.label(64).meta({ description: 'Which quarantine.', examples: ['01K9Z3V8M6T2Q4X7N5B1C0D9EF'] });

const target = {
  entity_path: s.entityPath.optional().meta({ description: 'With `key`: begin with this entry.' }),
  key: s.key.optional(),
  version: s.version.optional().meta({ description: 'Only this version of the entry.' }),
  written_by: s.agentId.optional().meta({ description: 'Begin with what this agent wrote.' }),
  source: s
    .label(128)
    .optional()
    .meta({ description: 'Begin with what came from a connector or a source of events.', examples: ['github'] }),
  in_session: s.sessionId
    .optional()
    .meta({ description: 'Begin with what `written_by`, or else the caller, wrote in this session.' }),
  branch: s.branch.default('main').meta({ description: 'Where the entry is; all branches are searched from there.' }),
  depth: z.int().min(0).max(MAX_QUARANTINE_DEPTH).default(MAX_QUARANTINE_DEPTH).meta({
    description: 'How many steps to follow: 0 for what was named alone, 1 also for what its readers wrote, and so on.',
  }),
  within: s.pathGlob.optional().meta({ description: 'Only entries there. Everything is followed all the same.' }),
};

const found = z
  .object({
    branch: s.branch,
    entity_path: s.entityPath,
    key: s.key,
    version: s.version,
    agent_id: s.agentId.meta({ description: 'Who wrote it.' }),
    depth: z.int().meta({ description: 'Steps from what was named.' }),
    quarantined: z.literal(true).optional().meta({ description: 'It is under quarantine now.' }),
  })
  .meta({ id: 'QuarantinedEntry' });

const decision = z
  .object({
    seq: z.int(),
    trace_id: z.string().nullable(),
    outcome_ref: z.string().nullable(),
    outcome_type: z.string().nullable(),
    agent_id: s.agentId,
    branch: s.branch,
    decided_at: s.utc,
    depth: z.int().meta({ description: 'Steps from what was named to what it rested on.' }),
  })
  .meta({ id: 'RestingDecision', description: 'A session or an outcome that rested on one of the entries.' });

const counts = {
  entries_found: z.int(),
  decisions_found: z.int(),
  hidden: z.int().meta({ description: 'How many of the entries the caller may not see; they are not listed.' }),
  hidden_decisions: z.int(),
  complete: z.boolean().meta({ description: 'False where a bound ended the search: there may be more.' }),
};

const quarantine = z
  .object({
    quarantine_id: quarantineId,
    reason: z.string(),
    status: z.enum(['active', 'undone']),
    entries: z.int().meta({ description: 'How many entries it holds, or held.' }),
    hidden: z.int(),
    decisions: z.int().meta({ description: 'How many decisions rested on them.' }),
    complete: z.boolean(),
    agent_id: s.agentId.meta({ description: 'Who put them there.' }),
    created_at: s.utc,
    created_seq: z.int(),
    undone_by: s.agentId.nullable(),
    undone_at: s.utc.nullable(),
  })
  .meta({ id: 'Quarantine' });

export const quarantineOperations = {
  'quarantine.trace': operation({
    summary: 'Find what rests on an entry, an author, a source or a session',
    description:
      'Every entry that was written there, every entry that was written in sessions which had read one of them, and so on, on all ' +
      'branches, and every decision that rested on them. An entry counts whose current version is one of these. Looks at a ' +
      `bounded number of writes and reads and finds at most ${MAX_QUARANTINED_ENTRIES} entries; \`complete\` says whether that was all.`,
    module: 'quarantine',
    effect: 'read',
    cost: 1,
    whole: true,
    items_per_statement: 1,
    needs_notes: 'of the whole account',
    http: { method: 'POST', path: '/api/v1/quarantine/trace' },
    cli: { args: ['entity_path', 'key'], alias: 'influence' },
    tools: [
      {
        name: 'mem_trace_influence',
        toolset: 'branching',
        description: 'Find every entry and decision that rests on an entry, agent, source or session.',
        fields: ['entity_path', 'key', 'written_by', 'source', 'in_session', 'depth', 'branch', 'limit', 'cursor'],
        unlisted: ['version', 'within'],
        about: {
          entity_path: 'Path of the entry',
          key: 'Its key',
          written_by: 'Or what this agent wrote',
          source: 'Or what this connector sent',
          in_session: 'Or what it wrote in this session',
          depth: 'Steps to follow, 0 to 10',
        },
        limit: 20,
        previews: true,
      },
    ],
    input: () => z.strictObject({ ...target, limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ ...counts, entries: z.array(found), decisions: z.array(decision), ...s.page }),
    errors: ['branch_not_found', 'invalid_cursor', 'module_not_installed'],
    example: () => ({ written_by: 'agent/importer' }),
  }),

  'quarantine.create': operation({
    summary: 'Put entries under quarantine',
    description:
      'In one step, what `quarantine.trace` finds: reads leave these entries out, on every branch that shows them, at every time and ' +
      'in every tag, unless they are asked for with `include_quarantined`. No version is written; histories show and mark them. ' +
      'A write to one of them is refused until the quarantine is undone. ' +
      `At most ${MAX_QUARANTINED_ENTRIES} entries; those that are under another quarantine stay there. One that finds nothing is recorded too.`,
    module: 'quarantine',
    effect: 'write',
    cost: 2,
    whole: true,
    items_per_statement: 1,
    needs_notes: 'of the whole account',
    http: {
      method: 'POST',
      path: '/api/v1/quarantine',
      status: 201,
      location: '/api/v1/quarantine/{quarantine_id}',
    },
    cli: { args: ['entity_path', 'key'], alias: 'quarantine' },
    tools: [
      {
        name: 'mem_quarantine',
        toolset: 'branching',
        description: 'Take a bad entry, agent, source or session and all that rests on it out of reads; reversible.',
        fields: ['entity_path', 'key', 'written_by', 'source', 'in_session', 'depth', 'reason', 'branch'],
        unlisted: ['version', 'within', 'only'],
        about: {
          entity_path: 'Path of the entry',
          key: 'Its key',
          written_by: 'Or what this agent wrote',
          source: 'Or what this connector sent',
          in_session: 'Or what it wrote in this session',
          depth: 'Steps to follow, 0 to 10',
        },
      },
    ],
    input: () =>
      z.strictObject({
        ...target,
        only: z
          .array(z.strictObject({ branch: s.branch.default('main'), entity_path: s.entityPath, key: s.key }))
          .min(1)
          .max(MAX_CHOSEN)
          .optional()
          .meta({ description: 'Only these of the entries that are found.' }),
        reason: s.text(1024).default('').meta({ description: 'Why, for those who look at it later.' }),
        ...author,
      }),
    output: () => quarantine,
    errors: ['branch_access_denied', 'branch_not_found', 'branch_read_only', 'conflict', 'module_not_installed'],
    example: () => ({ written_by: 'agent/importer', reason: 'it read the wrong file' }),
  }),

  'quarantine.list': operation({
    summary: 'List quarantines',
    description: 'Newest first, with those that were undone.',
    module: 'quarantine',
    effect: 'read',
    cost: 1,
    whole: true,
    http: { method: 'GET', path: '/api/v1/quarantine' },
    cli: { alias: 'quarantines' },
    tools: [
      {
        name: 'mem_list_quarantines',
        toolset: 'branching',
        description: 'List quarantines, newest first.',
        fields: ['status', 'limit', 'cursor'],
        about: { status: 'active or undone' },
        limit: 20,
      },
    ],
    input: () =>
      z.strictObject({
        status: z.enum(['active', 'undone']).optional().meta({ description: 'Only these.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ quarantines: z.array(quarantine), ...s.page }),
    errors: ['invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => ({}),
  }),

  'quarantine.read': operation({
    summary: 'Read a quarantine',
    description: 'With a page of the entries that it holds, or held.',
    module: 'quarantine',
    effect: 'read',
    cost: 1,
    whole: true,
    http: { method: 'GET', path: '/api/v1/quarantine/{quarantine_id}' },
    cli: { args: ['quarantine_id'], alias: 'show-quarantine' },
    tools: [
      {
        name: 'mem_read_quarantine',
        toolset: 'branching',
        description: 'Show a quarantine and the entries that it holds.',
        fields: ['quarantine_id', 'limit', 'cursor'],
        limit: 20,
        previews: true,
        miss: 'mem_list_quarantines',
      },
    ],
    input: () => z.strictObject({ quarantine_id: quarantineId, limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ quarantine, entries: z.array(found), ...s.page }),
    errors: ['invalid_cursor', 'module_not_installed', 'not_found'],
    example: () => ({ quarantine_id: 'no-such-quarantine' }),
  }),

  'quarantine.undo': operation({
    summary: 'Undo a quarantine',
    description: 'In one step: reads show each of its entries again, as it was. Undone again, it changes nothing.',
    module: 'quarantine',
    effect: 'write',
    cost: 2,
    whole: true,
    items_per_statement: 1,
    http: { method: 'POST', path: '/api/v1/quarantine/{quarantine_id}/undo' },
    cli: { args: ['quarantine_id'], alias: 'release' },
    tools: [
      {
        name: 'mem_undo_quarantine',
        toolset: 'branching',
        description: 'Release all entries of a quarantine.',
        fields: ['quarantine_id'],
        miss: 'mem_list_quarantines',
      },
    ],
    input: () => z.strictObject({ quarantine_id: quarantineId, ...author }),
    output: () => quarantine,
    errors: ['branch_access_denied', 'module_not_installed', 'not_found'],
    example: () => ({ quarantine_id: 'no-such-quarantine' }),
  }),
};
