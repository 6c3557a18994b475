import * as z from 'zod';
import * as s from './shapes.ts';

export const strategies = ['FAST_FORWARD', 'THREE_WAY', 'BRANCH_WINS', 'MAIN_WINS', 'MANUAL', 'SQUASH'] as const;

export const mergeStrategy = z.enum(strategies).meta({
  id: 'MergeStrategy',
  description:
    '`FAST_FORWARD`: only where the target has changed none of these entries. `THREE_WAY`: changes of both sides, member by ' +
    'member. `BRANCH_WINS`, `MAIN_WINS`: the same, and a conflict takes what the source or the target has. `MANUAL`: the ' +
    'same, and conflicts take what `resolutions` say. `SQUASH`: as `THREE_WAY`, written by who merges, at the time of the merge.',
});

export const detection = z.enum(['field', 'entry', 'newest']).meta({
  id: 'ConflictDetection',
  description:
    'Two changes of one entry conflict where they change the same field or member (`field`), always (`entry`), or never, ' +
    'because the later one wins (`newest`).',
});

export const mergeId = s.label(64).meta({
  id: 'MergeId',
  description: 'Names a merge. The same one again is answered as the first time.',
  examples: ['merge-retries'],
});

/** A branch, or a state of one. */
export const ref = s.label(256).meta({
  id: 'Ref',
  description: 'A branch, or a state of one: `tags/<name>`, `<branch>@<seq>` or `<branch>@<time>`.',
  examples: ['experiment/retries', 'main@1200'],
});

export const branchName = s
  .label(200)
  .meta({ description: 'The name of the branch.', examples: ['experiment/retries'] });

export const resolution = z.enum(['source', 'target', 'base', 'value']).meta({
  description: 'What a conflict takes: what one of the three has, or `value`.',
});

export const resolutionFields = {
  take: resolution,
  value: s.jsonValue.optional().meta({ description: 'With `take: value`: the value of the entry.' }),
};

export const resolutions = z
  .array(
    z
      .strictObject({
        entity_path: s.pathGlob,
        key: s.key.optional().meta({ description: 'Only the entry of this key.' }),
        ...resolutionFields,
      })
      .meta({ id: 'Resolution' }),
  )
  .max(1000)
  .default([])
  .meta({ description: 'What conflicts take, by entry or by glob; of those that fit, the first counts.' });

export const expectedHead = z
  .int()
  .min(0)
  .optional()
  .meta({ description: 'Merge only if nothing was written to the target after this place in the log. Else 409.' });

export const dryRun = z.boolean().default(false).meta({ description: 'Say what would be done, and do nothing.' });

export const keepOpen = z.boolean().default(false).meta({
  description: 'Let the branch be written to after a merge into its parent; otherwise it is then `merged`.',
});

const side = z
  .object({
    branch: s.branch,
    version: z.int(),
    value: s.anyJson.optional().meta({ description: 'Missing where the side has deleted the entry.' }),
    deleted: z
      .literal(true)
      .optional()
      .meta({ description: 'The side has deleted the entry: by whom, when, in which session.' }),
    confidence: s.confidence,
    memory_type: s.memoryType,
    shared: z.boolean(),
    agent_id: s.agentId,
    session_id: z.string().nullable(),
    written_at: s.utc,
    ttl_at: s.utc.nullable(),
    seq: z.int(),
  })
  .meta({ id: 'DiffSide', description: 'An entry as one side has it, or its deletion.' });

export const sideOf = (description: string) => side.nullable().meta({ description });

const fieldChange = z
  .object({
    path: z.string().meta({ description: 'JSON Pointer below the entry, such as `/value/max_attempts` or `/shared`.' }),
    operation: z.enum(['add', 'remove', 'replace']),
    old_value: s.anyJson.optional(),
    new_value: s.anyJson.optional(),
  })
  .meta({ id: 'FieldChange' });

export const diffEntry = z
  .object({
    entity_path: s.entityPath,
    key: s.key,
    diff_type: z.enum(['added', 'modified', 'deleted']),
    from: sideOf('Null where it is added.'),
    to: sideOf('Null where it is deleted.'),
    changes: z.array(fieldChange).meta({ description: 'Member by member; lists as a whole.' }),
  })
  .meta({ id: 'DiffEntry' });

export const state = z
  .object({ ref: z.string(), branch: s.branch, seq: z.int() })
  .meta({ id: 'MemoryState', description: 'A branch as it was at a place in the log.' });

export const hidden = z
  .int()
  .meta({ description: 'How many more differ that the caller may not see, in what was looked at for this page.' });

export const mergeKind = z.enum(['merge', 'refresh', 'cherry_pick']);

const counts = {
  added: z.int(),
  modified: z.int(),
  deleted: z.int(),
  judged: z.int().meta({ description: 'Entries that took over evidence.' }),
  hidden: z.int().meta({ description: 'Those among them that the caller may not see.' }),
  conflicts: z.int().meta({ description: 'Conflicts that are open.' }),
};

export const merge = z
  .object({
    merge_id: mergeId,
    kind: mergeKind,
    status: z.enum(['merged', 'conflicts']),
    source: s.branch,
    source_seq: z.int(),
    target: s.branch,
    target_seq: z.int().meta({ description: 'The place in the log of the target before it.' }),
    base: state.nullable(),
    strategy: mergeStrategy,
    detection,
    message: z.string(),
    agent_id: s.agentId,
    ...counts,
    commit_id: z.string().nullable().meta({ description: 'The commit of what it wrote.' }),
    head: z.int().nullable().meta({ description: 'The place in the log of the target after it.' }),
    created_at: s.utc,
  })
  .meta({ id: 'Merge' });

export const abortedMerge = merge
  .pick({ merge_id: true, kind: true, source: true, target: true, conflicts: true })
  .meta({ id: 'AbortedMerge', description: 'A merge that was given up, and how many conflicts it had.' });

export const mergeAnswer = merge
  .extend({
    merge_id: mergeId.nullable().meta({ description: 'Null where there was nothing to merge.' }),
    status: z.enum(['merged', 'conflicts', 'would_merge', 'up_to_date']).meta({
      description:
        '`would_merge`: the answer of a dry run. `up_to_date`: the target has everything already: nothing was done.',
    }),
    dry_run: z.literal(true).optional().meta({ description: 'Nothing was done.' }),
    conflicting: z
      .array(z.object({ entity_path: s.entityPath, key: s.key, reason: z.string() }))
      .meta({ description: 'The first conflicts that are open; `conflicts` lists all of them.' }),
  })
  .meta({ id: 'MergeAnswer' });

export const conflict = z
  .object({
    merge_id: mergeId,
    no: z.int(),
    entity_path: s.entityPath,
    key: s.key,
    reason: z
      .enum(['both_added', 'both_modified', 'deleted_by_source', 'deleted_by_target'])
      .meta({ description: 'What the two sides did.' }),
    fields: z.array(z.string()).meta({ description: 'JSON Pointers to what both changed.' }),
    status: z.enum(['open', 'resolved']),
    take: resolution.nullable(),
    value: s.anyJson.optional(),
    resolved_by: s.agentId.nullable(),
    resolved_at: s.utc.nullable(),
  })
  .meta({ id: 'Conflict' });

const withTrace = (description: string) =>
  side
    .extend({ trace_id: z.string().nullable().meta({ description: 'The trace of the session that wrote it.' }) })
    .nullable()
    .meta({ description });

export const wholeConflict = conflict
  .extend({
    base: withTrace('As both had it last in common; null where it did not exist.'),
    source: withTrace('As the source has it; null where it is deleted.'),
    target: withTrace('As the target has it; null where it is deleted.'),
    quarantined: z.literal(true).optional().meta({
      description: 'The entry is under quarantine: what is so is not shown, and a merge leaves the entry out.',
    }),
  })
  .meta({ id: 'WholeConflict', description: 'A conflict with the three states of its entry.' });
