import * as z from 'zod';
import { nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

/** More entries, or longer ones, are not changed in one step: it is one transaction, and holds a part of them in memory. */
export const MAX_MOVED_ENTRIES = 10_000;
export const MAX_MOVED_BYTES = 64 * 1024 * 1024;

const target = {
  tag: s
    .label(200)
    .optional()
    .meta({ description: 'Back to this tag.', examples: ['before-the-migration'] }),
  at: s.timestamp.optional().meta({ description: 'Back to this time.' }),
  event: s
    .label(32)
    .optional()
    .meta({ description: 'Back to right after this event: its `position`, or its `seq`.', examples: ['41-k3f9a2'] }),
  seq: z.int().min(0).optional().meta({ description: 'Back to this place in the log.' }),
};

const filters = {
  entity_path: s.pathGlob.optional().meta({ description: 'Only entries there.' }),
  written_by: s.agentId.optional().meta({
    description:
      'Only what this agent wrote since. An entry goes back to its newest version of somebody else or of before.',
  }),
  source: s
    .label(128)
    .optional()
    .meta({ description: 'The same for what came from a connector or a source of events.', examples: ['github'] }),
};

const change = z
  .object({
    entity_path: s.entityPath,
    key: s.key,
    action: z.enum(['restore', 'delete']).meta({ description: 'What a rollback does to the entry.' }),
    version: z.int().meta({ description: 'The version that is replaced.' }),
    restored_version: z
      .int()
      .nullable()
      .meta({ description: 'The version that is written again; null for a deletion.' }),
    value: s.anyJson
      .optional()
      .meta({ description: 'In a dry run: the value that is replaced; absent where there is none.' }),
    restored_value: s.anyJson
      .optional()
      .meta({ description: 'In a dry run: the value afterwards; absent where there is none.' }),
  })
  .meta({ id: 'RollbackChange' });

const rollbackAnswer = z
  .object({
    rollback_id: z.string().nullable().meta({ description: 'Null for a dry run.' }),
    branch: s.branch,
    seq: z.int().meta({ description: 'The place in the log whose state was restored.' }),
    dry_run: z.boolean(),
    tag: z
      .string()
      .nullable()
      .meta({ description: 'The tag that was set first: a rollback to it undoes this one. Null for a dry run.' }),
    entries_restored: z.int(),
    entries_deleted: z.int(),
    hidden: z
      .int()
      .meta({ description: 'How many more differ that only other agents may see; those stay as they are.' }),
    changes: z.array(change),
    ...s.page,
  })
  .meta({ id: 'Rollback' });

export const rollback = {
  'rollback.run': operation({
    summary: 'Roll memory back',
    description:
      'Writes the state of a tag, a time, an event or a place in the log again, as new versions: nothing is lost, and what was ' +
      'first written since is deleted. A tag of the state before is set first. Authors are kept; evidence is not rolled back, and neither is what ' +
      'only another agent may see. ' +
      `In one step, for at most ${MAX_MOVED_ENTRIES} changed entries and ${MAX_MOVED_BYTES / 1024 / 1024} MiB: narrow it by path, agent or source ` +
      'beyond that. `dry_run` shows what would change, in pages.',
    module: 'rollback',
    effect: 'write',
    cost: 2,
    whole: true,
    http: { method: 'POST', path: '/api/v1/rollback' },
    cli: { hidden: true, flags: { entity_path: 'path' } },
    tools: [
      {
        name: 'mem_rollback',
        toolset: 'branching',
        description: 'Bring memory back to a tag, time or place in the log; look first with dry_run.',
        fields: ['tag', 'at', 'seq', 'entity_path', 'written_by', 'dry_run', 'branch'],
        unlisted: ['event', 'source', 'limit', 'cursor'],
        about: {
          tag: 'Its name',
          at: 'ISO time',
          seq: 'Place in the log',
          entity_path: 'Path or a/**',
          written_by: 'Only what this agent wrote',
          dry_run: 'Change nothing',
        },
        limit: 20,
        previews: true,
      },
    ],
    input: () =>
      z.strictObject({
        ...target,
        ...filters,
        branch: s.branch.default('main'),
        dry_run: z.boolean().default(false).meta({ description: 'Show what would change, and change nothing.' }),
        limit: s.limit,
        cursor: s.cursor.meta({ description: 'For a dry run: `next_cursor` of the page before.' }),
        ...author,
      }),
    output: () => rollbackAnswer,
    errors: ['branch_not_found', 'branch_read_only', 'conflict', 'invalid_cursor', 'module_not_installed', 'not_found'],
    example: () => ({ seq: 0, entity_path: 'checkout/imported/**', dry_run: true }),
  }),

  'fork.run': operation({
    summary: "Copy an agent's memory to a new agent",
    description:
      'Copies the current entries that the agent wrote, shared and private, each with its confidence and at its own path below ' +
      '`into`. The copies belong to the new agent: what was private is private to it. An entry that is there already is not ' +
      `touched. At most ${MAX_MOVED_ENTRIES} entries and ${MAX_MOVED_BYTES / 1024 / 1024} MiB in one step.`,
    module: 'rollback',
    effect: 'write',
    cost: 2,
    whole: true,
    http: { method: 'POST', path: '/api/v1/fork' },
    cli: { args: ['target_agent_id'], alias: 'fork' },
    tools: [
      {
        name: 'mem_fork',
        toolset: 'branching',
        description: 'Copy what this agent wrote to a new agent.',
        fields: ['target_agent_id', 'into', 'entity_path', 'branch'],
        about: {
          target_agent_id: 'The new agent',
          into: 'Path of the copies',
          entity_path: 'Only from here: path or a/**',
        },
      },
    ],
    input: () =>
      z.strictObject({
        target_agent_id: s.agentId.meta({ description: 'The agent that gets the copies.' }),
        into: s.entityPath
          .optional()
          .meta({ description: 'The path below which the copies are written; default: `forks/<target_agent_id>`.' }),
        entity_path: s.pathGlob.optional().meta({ description: 'Only entries there.' }),
        branch: s.branch.default('main'),
        agent_id: s.agentId.optional().meta({ description: 'The agent whose memory is copied; default: the caller.' }),
        session_id: s.sessionId.optional(),
      }),
    output: () =>
      z
        .object({
          agent_id: s.agentId,
          target_agent_id: s.agentId,
          branch: s.branch,
          into: s.entityPath,
          entries_copied: z.int(),
          entries_skipped: z.int().meta({ description: 'There was an entry of that name already.' }),
        })
        .meta({ id: 'Fork' }),
    errors: ['branch_not_found', 'branch_read_only', 'conflict', 'module_not_installed'],
    example: (n) => ({ target_agent_id: nth('agent/deploy-bot-2', n), entity_path: 'checkout/**' }),
  }),
};
