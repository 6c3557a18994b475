import * as z from 'zod';
import {
  branchDetails,
  branchName,
  branchState,
  branchStatus,
  newBranchName,
  protection,
  ref,
} from '../branch-shapes.ts';
import { nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

const description = s.text(4096).meta({ description: 'What the branch is for.' });
const named = { name: branchName };

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
    cli: { args: ['name'], hidden: true },
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
        name: newBranchName,
        from: ref.default('main'),
        description: description.default(''),
        ...author,
      }),
    output: () => branchState,
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
    cli: { alias: 'branches', hidden: true },
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
    output: () => z.object({ branches: z.array(branchState), ...s.page }),
    errors: ['invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => ({}),
  }),

  'branches.read': operation({
    summary: 'Read a branch',
    description:
      'With its protection, and how far it and its parent have moved since the fork. `main` can be read too.',
    module: 'branches',
    effect: 'read',
    cost: 1,
    branches_in: { name: 'read' },
    http: { method: 'GET', path: '/api/v1/branches/{name}' },
    cli: { args: ['name'], alias: 'show-branch', current: 'name' },
    tools: [
      {
        name: 'mem_branch_read',
        toolset: 'branching',
        description: 'Show a branch: its parent, its status, and how far it is ahead and behind.',
        fields: ['name'],
        miss: 'mem_branch_list',
      },
    ],
    input: () => z.strictObject(named),
    output: () => branchDetails,
    errors: ['branch_not_found', 'module_not_installed'],
    example: () => ({ name: 'experiment/retries' }),
  }),

  'branches.update': operation({
    summary: 'Describe a branch',
    module: 'branches',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    branches_in: { name: 'read_write' },
    http: { method: 'PATCH', path: '/api/v1/branches/{name}' },
    cli: { args: ['name', 'description'], alias: 'describe-branch' },
    input: () => z.strictObject({ ...named, description, ...author }),
    output: () => branchState,
    errors: ['branch_not_found', 'conflict', 'module_not_installed'],
    example: () => ({ name: 'experiment/retries', description: 'longer pauses between retries, with a limit' }),
  }),

  'branches.protect': operation({
    summary: 'Protect a branch',
    description:
      'Only merges write to a protected branch; any other write is refused with `branch_protected`. Outcomes still count. ' +
      '`main` can be protected too. Protecting it again replaces what a merge needs.',
    module: 'branches',
    effect: 'write',
    cost: 2,
    admin: true,
    branches_in: { name: 'read_write' },
    open_to_all: true,
    http: { method: 'PUT', path: '/api/v1/branches/{name}/protection' },
    cli: { args: ['name'], alias: 'protect-branch' },
    input: () => z.strictObject({ ...named, ...protection.shape, ...author }),
    output: () => branchDetails.pick({ name: true, is_protected: true, protection: true }),
    errors: ['branch_not_found', 'module_not_installed'],
    example: () => ({ name: 'experiment/retries', required_approvals: 1 }),
  }),

  'branches.unprotect': operation({
    summary: 'End the protection of a branch',
    module: 'branches',
    effect: 'write',
    cost: 2,
    admin: true,
    open_to_all: true,
    removes: 'branches.protect',
    branches_in: { name: 'read_write' },
    http: { method: 'DELETE', path: '/api/v1/branches/{name}/protection' },
    cli: { args: ['name'], alias: 'unprotect-branch' },
    input: () => z.strictObject({ ...named, ...author }),
    output: () => branchDetails.pick({ name: true, is_protected: true, protection: true }),
    errors: ['branch_not_found', 'module_not_installed'],
    example: () => ({ name: 'experiment/retries' }),
  }),

  'branches.close': operation({
    summary: 'Close a branch',
    description:
      'A closed branch can be read and not written to. It keeps its name, and `branches.reopen` opens it again. A branch ' +
      'from which open branches were forked is not closed.',
    module: 'branches',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    removes: 'branches.create',
    branches_in: { name: 'read_write' },
    http: { method: 'DELETE', path: '/api/v1/branches/{name}' },
    cli: { args: ['name'], hidden: true },
    tools: [
      {
        name: 'mem_branch_close',
        toolset: 'branching',
        description: 'Close a branch without merging it; it can still be read.',
        fields: ['name'],
        miss: 'mem_branch_list',
      },
    ],
    input: () => z.strictObject({ ...named, ...author }),
    output: () => branchState,
    errors: ['branch_not_found', 'branch_closed', 'conflict', 'module_not_installed'],
    example: () => ({ name: 'experiment/retries' }),
  }),

  'branches.reopen': operation({
    summary: 'Reopen a branch',
    description: 'A branch that was closed or merged can be written to again.',
    module: 'branches',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    branches_in: { name: 'read_write' },
    http: { method: 'POST', path: '/api/v1/branches/{name}/reopen' },
    cli: { args: ['name'], alias: 'reopen-branch' },
    tools: [
      {
        name: 'mem_branch_reopen',
        toolset: 'branching',
        description: 'Open a closed or merged branch again.',
        fields: ['name'],
        miss: 'mem_branch_list',
      },
    ],
    input: () => z.strictObject({ ...named, ...author }),
    output: () => branchState,
    errors: ['branch_not_found', 'conflict', 'module_not_installed'],
    example: () => ({ name: 'experiment/retries' }),
  }),
};
