import * as z from 'zod';
import * as m from '../merge-shapes.ts';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

const paths = s.pathGlob.optional().meta({ description: 'Only entries at these paths.' });
const diffErrors = [
  'branch_not_found',
  'branch_access_denied',
  'invalid_cursor',
  'log_rewound',
  'module_not_installed',
] as const;
const mergeErrors = [
  ...(['branch_not_found', 'branch_access_denied', 'branch_closed', 'branch_read_only', 'merge_conflicts'] as const),
  ...(['target_moved', 'merge_too_large', 'conflict', 'forbidden', 'module_not_installed'] as const),
  ...(['entry_quarantined', 'pull_request_required'] as const),
];

const differences = () =>
  z.object({ from: m.state, to: m.state, entries: z.array(m.diffEntry), hidden: m.hidden, ...s.page });

const mergeInput = {
  resolutions: m.resolutions,
  detection: m.detection.default('field'),
  message: s.text(4096).default(''),
  merge_id: m.mergeId.optional(),
  expected_head: m.expectedHead,
  dry_run: m.dryRun,
  ...author,
};

const mergeFields = ['dry_run', 'resolutions', 'detection', 'message', 'merge_id', 'expected_head'];

export const merges = {
  'branches.diff': operation({
    summary: 'Show what a branch changed',
    description:
      'What the branch has changed since it was last in common with another: what a merge would bring. Paths are JSON Pointers ' +
      '(RFC 6901).',
    module: 'merges',
    effect: 'read',
    cost: 1,
    items_per_statement: 50,
    branches_in: { name: 'read', against: 'read' },
    http: { method: 'GET', path: '/api/v1/branches/{name}/diff' },
    cli: { args: ['name', 'against'], hidden: true, flags: { entity_path: 'path' } },
    tools: [
      {
        name: 'mem_diff_branches',
        toolset: 'branching',
        description: 'Show what a branch changed, entry by entry and field by field.',
        fields: ['name', 'against', 'entity_path', 'limit', 'cursor'],
        about: { name: 'The branch', against: 'Default main', entity_path: 'Path or glob' },
        limit: 20,
        miss: 'mem_branch_list; a branch without writes has no changes',
      },
    ],
    input: () =>
      z.strictObject({
        name: m.branchName,
        against: m.branchName.default('main').meta({ description: 'The branch that it is compared with.' }),
        entity_path: paths,
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: differences,
    errors: diffErrors,
    example: () => ({ name: 'experiment/retries' }),
  }),

  'branches.compare': operation({
    summary: 'Compare two states of memory',
    description:
      'Any two of: branches, tags, places in the log, times. Entries that are the same in both are left out.',
    module: 'merges',
    effect: 'read',
    cost: 1,
    items_per_statement: 50,
    branches_in: { from: 'read', to: 'read' },
    http: { method: 'GET', path: '/api/v1/diff' },
    cli: { args: ['from', 'to'], hidden: true, flags: { entity_path: 'path' } },
    tools: [
      {
        name: 'mem_compare',
        toolset: 'branching',
        description: 'Compare memory on two branches, at two tags or at two times.',
        fields: ['from', 'to', 'entity_path', 'limit', 'cursor'],
        about: { from: 'Branch, tags/<name>, <branch>@<seq> or @<time>', to: 'As from', entity_path: 'Path or glob' },
        limit: 20,
      },
    ],
    input: () =>
      z.strictObject({
        from: m.ref,
        to: m.ref.default('main'),
        entity_path: paths,
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: differences,
    errors: diffErrors,
    example: () => ({ from: 'main@0', to: 'main' }),
  }),

  'branches.merge_base': operation({
    summary: 'Find the best common ancestor of two branches',
    description: 'The latest state that both contain, through forks, refreshes and merges.',
    module: 'merges',
    effect: 'read',
    cost: 1,
    branches_in: { name: 'read', against: 'read' },
    http: { method: 'GET', path: '/api/v1/merge-base' },
    cli: { args: ['name', 'against'], alias: 'merge-base' },
    tools: [
      {
        name: 'mem_merge_base',
        toolset: 'branching',
        description: 'Find the state that two branches last had in common.',
        fields: ['name', 'against'],
        about: { name: 'Branch', against: 'Default main' },
      },
    ],
    input: () => z.strictObject({ name: m.ref, against: m.ref.default('main') }),
    output: () => z.object({ source: m.state, target: m.state, base: m.state }).meta({ id: 'MergeBase' }),
    errors: ['branch_not_found', 'branch_access_denied', 'module_not_installed'],
    example: () => ({ name: 'main' }),
  }),

  'branches.merge': operation({
    summary: 'Merge a branch into another',
    description:
      'All or nothing. Each entry keeps its author and time; the merge is a commit with two parents. Open conflicts are ' +
      'answered with 409 `merge_conflicts` and kept under the merge id: resolve them, and merge again with that id. At most ' +
      '10,000 entries and 64 MiB at once.',
    module: 'merges',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    branches_in: { name: 'read', target: 'read_write' },
    http: { method: 'POST', path: '/api/v1/branches/{name}/merge' },
    raw: [['resolutions', '*', 'value']],
    cli: { args: ['name'], hidden: true, flags: { target: 'into' }, letters: { message: 'm' }, current: 'target' },
    tools: [
      {
        name: 'mem_branch_merge',
        toolset: 'branching',
        description: 'Merge a branch into main or another branch. Try dry_run first.',
        fields: ['name', 'target', 'strategy', ...mergeFields],
        unlisted: ['keep_open'],
        about: {
          name: 'The branch to merge',
          target: 'Default main',
          strategy: 'Default FAST_FORWARD; THREE_WAY where the target moved on',
          resolutions: '{entity_path, key?, take: source|target|base|value, value?} each',
          detection: 'field, entry or newest',
          message: 'Why',
          merge_id: 'To try again after conflicts',
          expected_head: 'seq of the target',
        },
      },
    ],
    input: () =>
      z.strictObject({
        name: m.branchName,
        target: m.branchName.default('main').meta({ description: 'The branch that is merged into.' }),
        strategy: m.mergeStrategy.default('FAST_FORWARD'),
        keep_open: m.keepOpen,
        ...mergeInput,
      }),
    output: () => m.mergeAnswer,
    errors: mergeErrors,
    example: (n) => ({
      name: 'experiment/retries',
      strategy: 'THREE_WAY' as const,
      keep_open: true,
      message: `what it taught, ${n}`,
    }),
  }),

  'branches.refresh': operation({
    summary: 'Bring a branch up to date with its parent',
    description:
      'Merges the parent into the branch: the branch then shows the parent as it is now, and keeps its own changes. Conflicts as ' +
      'in a merge; its source is the parent and its target the branch.',
    module: 'merges',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    branches_in: { name: 'read_write' },
    http: { method: 'POST', path: '/api/v1/branches/{name}/refresh' },
    raw: [['resolutions', '*', 'value']],
    cli: { args: ['name'], alias: 'refresh', letters: { message: 'm' }, current: 'name' },
    tools: [
      {
        name: 'mem_branch_refresh',
        toolset: 'branching',
        description: 'Bring a branch up to date with its parent; its own changes stay.',
        fields: ['name', 'strategy', ...mergeFields],
        about: {
          name: 'The branch',
          strategy: 'Default THREE_WAY',
          resolutions: 'As in mem_branch_merge; source is the parent',
          detection: 'field, entry or newest',
          message: 'Why',
          merge_id: 'To try again after conflicts',
          expected_head: 'seq of the branch',
        },
      },
    ],
    input: () =>
      z.strictObject({
        name: m.branchName,
        strategy: m.mergeStrategy.default('THREE_WAY'),
        ...mergeInput,
      }),
    output: () => m.mergeAnswer,
    errors: mergeErrors,
    example: () => ({ name: 'experiment/retries' }),
  }),

  'entries.cherry_pick': operation({
    summary: 'Take single entries or commits from another branch',
    description: 'Writes them to the branch as they are in the other one, with their author and time. All or nothing.',
    module: 'merges',
    effect: 'write',
    cost: 2,
    branches_in: { from: 'read' },
    http: { method: 'POST', path: '/api/v1/cherry-pick' },
    cli: { args: ['from', 'entries'], hidden: true },
    tools: [
      {
        name: 'mem_cherry_pick',
        toolset: 'branching',
        description: 'Take single entries, or all that commits wrote, from another branch or an earlier state.',
        fields: ['from', 'entries', 'commit_ids', 'branch', 'dry_run', 'message'],
        about: {
          from: 'Branch or state to take from',
          entries: '{entity_path, key} each',
          commit_ids: 'Instead of entries',
          branch: 'To write to; default main',
          message: 'Why',
        },
      },
    ],
    input: () =>
      z.strictObject({
        from: m.ref,
        entries: z
          .array(z.strictObject({ entity_path: s.entityPath, key: s.key }))
          .max(1000)
          .default([]),
        commit_ids: z
          .array(s.text(64).min(1))
          .max(100)
          .default([])
          .meta({ description: 'All that these commits wrote.' }),
        branch: s.branch.default('main').meta({ description: 'The branch that is written to.' }),
        message: s.text(4096).default(''),
        dry_run: m.dryRun,
        ...author,
      }),
    output: () => m.mergeAnswer,
    errors: ['not_found', ...mergeErrors],
    example: () => ({ from: 'main', entries: [{ entity_path: 'checkout/payments', key: 'retry-policy' }] }),
  }),
};
