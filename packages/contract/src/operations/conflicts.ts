import * as z from 'zod';
import * as m from '../merge-shapes.ts';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

const paths = s.pathGlob.optional().meta({ description: 'Only entries at these paths.' });

/** Merges that were made, or wait for their conflicts to be resolved. */
export const conflicts = {
  'merges.list': operation({
    summary: 'List merges',
    description: 'Newest first, with those that wait for conflicts to be resolved.',
    module: 'merges',
    effect: 'read',
    cost: 1,
    whole: true,
    http: { method: 'GET', path: '/api/v1/merges' },
    cli: { alias: 'merges' },
    tools: [
      {
        name: 'mem_list_merges',
        toolset: 'branching',
        description: 'List merges, newest first; status=conflicts for those that wait.',
        fields: ['target', 'status', 'limit', 'cursor'],
        about: { target: 'Merged into it', status: 'merged or conflicts' },
        limit: 20,
        miss: 'mem_branch_merge',
      },
    ],
    input: () =>
      z.strictObject({
        target: m.branchName.optional().meta({ description: 'Only merges into this branch.' }),
        status: z.enum(['merged', 'conflicts']).optional().meta({ description: '`conflicts`: only those that wait.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ merges: z.array(m.merge), ...s.page }),
    errors: ['invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => ({}),
  }),

  'merges.read': operation({
    summary: 'Read a merge',
    description:
      'Its message is shown to those who may see its commit: to who made it alone, if it wrote only entries that are not shared.',
    module: 'merges',
    effect: 'read',
    cost: 1,
    needs_full_scope: true,
    http: { method: 'GET', path: '/api/v1/merges/{merge_id}' },
    cli: { args: ['merge_id'], alias: 'show-merge' },
    input: () => z.strictObject({ merge_id: m.mergeId }),
    output: () => m.merge,
    errors: ['not_found', 'branch_access_denied', 'module_not_installed'],
    example: () => ({ merge_id: 'merge-retries' }),
  }),

  'merges.abort': operation({
    summary: 'Give up a merge that waits for its conflicts to be resolved',
    description:
      'Drops its conflicts and what was resolved of them; both branches stay as they are. A merge that was made is refused (409), and ' +
      'so is that of a pull request, which ends when the pull request is closed.',
    module: 'merges',
    effect: 'write',
    cost: 2,
    http: { method: 'DELETE', path: '/api/v1/merges/{merge_id}' },
    cli: { args: ['merge_id'], hidden: true },
    tools: [
      {
        name: 'mem_abort_merge',
        toolset: 'branching',
        description: 'Give up a merge that waits for its conflicts; nothing is merged.',
        fields: ['merge_id'],
        miss: 'mem_list_merges with status=conflicts',
      },
    ],
    input: () => z.strictObject({ merge_id: m.mergeId, ...author }),
    output: () => m.abortedMerge,
    errors: ['not_found', 'branch_access_denied', 'conflict', 'forbidden', 'module_not_installed'],
    example: () => ({ merge_id: 'merge-retries' }),
  }),

  'conflicts.list': operation({
    summary: 'List the conflicts of a merge',
    description: 'In the order in which they were found.',
    module: 'merges',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/merges/{merge_id}/conflicts' },
    cli: { args: ['merge_id'], alias: 'conflicts', flags: { entity_path: 'path' } },
    tools: [
      {
        name: 'mem_list_conflicts',
        toolset: 'branching',
        description: 'List the conflicts of a merge that was refused.',
        fields: ['merge_id', 'status', 'entity_path', 'limit', 'cursor'],
        about: { status: 'open or resolved', entity_path: 'Path or glob' },
        limit: 20,
        miss: 'mem_list_merges with status=conflicts',
      },
    ],
    input: () =>
      z.strictObject({
        merge_id: m.mergeId,
        status: z.enum(['open', 'resolved']).optional().meta({ description: 'Only those that are open, or not.' }),
        entity_path: paths,
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ conflicts: z.array(m.conflict), hidden: m.hidden, ...s.page }),
    errors: ['not_found', 'branch_access_denied', 'invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => ({ merge_id: 'merge-retries' }),
  }),

  'conflicts.read': operation({
    summary: 'Read a conflict',
    description:
      'With the entry as both sides have it and as they last had it in common, and who wrote each in which trace.',
    module: 'merges',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/merges/{merge_id}/conflicts/{no}' },
    cli: { args: ['merge_id', 'no'], alias: 'show-conflict' },
    tools: [
      {
        name: 'mem_read_conflict',
        toolset: 'branching',
        description: 'Show a conflict: base, source and target of its entry.',
        fields: ['merge_id', 'no'],
        about: { no: 'Its number in the list' },
        miss: 'mem_list_conflicts',
      },
    ],
    input: () =>
      z.strictObject({ merge_id: m.mergeId, no: z.int().min(0).meta({ description: 'The number of the conflict.' }) }),
    output: () => m.wholeConflict,
    errors: ['not_found', 'branch_access_denied', 'module_not_installed'],
    example: () => ({ merge_id: 'merge-retries', no: 0 }),
  }),

  'conflicts.resolve': operation({
    summary: 'Resolve conflicts of a merge',
    description:
      'One by its number, or all at a path. The resolution counts when the merge is made with its id, unless a side has changed ' +
      'the entry again by then. It can be changed until then.',
    module: 'merges',
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: '/api/v1/merges/{merge_id}/resolve' },
    raw: [['value']],
    cli: { args: ['merge_id', 'take'], alias: 'resolve', flags: { entity_path: 'path' } },
    tools: [
      {
        name: 'mem_resolve_conflict',
        toolset: 'branching',
        description: 'Decide a conflict, or all at a path; then merge again with the merge_id.',
        fields: ['merge_id', 'no', 'entity_path', 'key', 'take', 'value'],
        about: { no: 'One of them', entity_path: 'Or all at a path or glob', take: 'source, target, base or value' },
        miss: 'mem_list_conflicts',
      },
    ],
    input: () =>
      z
        .strictObject({
          merge_id: m.mergeId,
          no: z.int().min(0).optional().meta({ description: 'The number of the conflict.' }),
          entity_path: s.pathGlob.optional().meta({ description: 'All conflicts at these paths, instead of one.' }),
          key: s.key.optional().meta({ description: 'With a path: only the entry of this key.' }),
          ...m.resolutionFields,
          ...author,
        })
        .refine((input) => (input.no === undefined) !== (input.entity_path === undefined), {
          message: 'is required, or the number of one conflict (no), and not both',
          path: ['entity_path'],
        }),
    output: () =>
      z
        .object({
          merge_id: m.mergeId,
          resolved: z.int(),
          open: z.int().meta({ description: 'Conflicts still open.' }),
        })
        .meta({ id: 'ResolvedConflicts' }),
    errors: ['not_found', 'branch_access_denied', 'forbidden', 'module_not_installed'],
    example: () => ({ merge_id: 'merge-retries', entity_path: 'checkout/**', take: 'source' as const }),
  }),
};
