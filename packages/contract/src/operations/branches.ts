import * as z from 'zod';
import { branchNameProblem } from '../branch-name.ts';
import { nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

const newName = s.checked(branchNameProblem).meta({
  id: 'BranchName',
  description:
    'Names a new branch in at most 200 bytes: segments separated by slashes, without @, ~, *, ? and white space.',
  examples: ['experiment/retries'],
});

/** A branch that exists, or `main`. */
const name = s.label(200).meta({ description: 'The name of the branch.', examples: ['experiment/retries'] });

const description = s.text(4096).meta({ description: 'What the branch is for.' });

export const branchStatus = z
  .enum(['active', 'merged', 'closed'])
  .meta({ id: 'BranchStatus', description: 'Only an active branch can be written to.' });

const branch = z
  .object({
    name,
    parent_branch: z.string().nullable().meta({ description: 'The branch that it was forked from; null for `main`.' }),
    fork_seq: z
      .int()
      .nullable()
      .meta({ description: 'The branch shows its parent as it was at this place in the log.' }),
    status: branchStatus,
    description: z.string(),
    created_by: s.agentId,
    created_at: s.utc,
    merged_by: s.agentId.nullable(),
    merged_at: s.utc.nullable(),
    closed_by: s.agentId.nullable(),
    closed_at: s.utc.nullable(),
  })
  .meta({ id: 'BranchState', description: 'A line of memory of its own that began as the memory of its parent.' });

export const branches = {
  'branches.create': operation({
    summary: 'Create a branch',
    description:
      'The branch shows the memory of its parent as it is now, or as it was at a state that `from` names, whatever the ' +
      'parent does later, and besides it what is written to the branch. Creating one copies nothing.',
    module: 'branches',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    http: { method: 'POST', path: '/api/v1/branches', status: 201, location: '/api/v1/branches/{name}' },
    branches_in: { from: 'read' },
    cli: { args: ['name'] },
    tools: [
      {
        name: 'mem_branch_create',
        toolset: 'branching',
        description: 'Create a branch: write to it with branch=<name> and nobody else sees it until it is merged.',
        fields: ['name', 'from', 'description'],
        about: { name: 'e.g. experiment/retries', from: 'Branch, tags/<name> or <branch>@<seq>', description: 'Why' },
      },
    ],
    input: () =>
      z.strictObject({
        name: newName,
        from: s.branch.default('main').meta({
          description: 'A branch, or a state of one: `tags/<name>`, `<branch>@<seq>` or `<branch>@<time>`.',
          examples: ['main', 'tags/before-the-migration', 'main@1200'],
        }),
        description: description.default(''),
        ...author,
      }),
    output: () => branch,
    errors: ['branch_not_found', 'conflict', 'module_not_installed'],
    example: (n) => ({ name: nth('experiment/retries', n), description: 'longer pauses between retries' }),
  }),

  'branches.list': operation({
    summary: 'List branches',
    description: 'Newest first, without `main`.',
    module: 'branches',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/branches' },
    cli: { alias: 'branches' },
    tools: [
      {
        name: 'mem_branch_list',
        toolset: 'branching',
        description: 'List the branches of memory, newest first.',
        fields: ['status', 'limit', 'cursor'],
        limit: 20,
        miss: 'mem_branch_create',
      },
    ],
    input: () =>
      z.strictObject({
        status: branchStatus.optional().meta({ description: 'Only branches of this status.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ branches: z.array(branch), ...s.page }),
    errors: ['invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => ({}),
  }),

  'branches.read': operation({
    summary: 'Read a branch',
    module: 'branches',
    effect: 'read',
    cost: 1,
    branches_in: { name: 'read' },
    http: { method: 'GET', path: '/api/v1/branches/{name}' },
    cli: { args: ['name'] },
    input: () => z.strictObject({ name }),
    output: () => branch,
    errors: ['branch_not_found', 'module_not_installed'],
    example: () => ({ name: 'experiment/retries' }),
  }),
};
