import * as z from 'zod';
import { branchName } from '../branch-shapes.ts';
import * as m from '../merge-shapes.ts';
import { nth, operation } from '../operation.ts';
import * as p from '../pull-request-shapes.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

const ALL = '/api/v1/pull-requests';
const ONE = `${ALL}/{id}`;
const id = p.pullRequestId;
const ID = '01k0a4g3v5x7y9z1b3d5f7h9jk';
const module = { module: 'pull-requests' } as const;
const changing = ['not_found', 'branch_access_denied', 'pull_request_closed', 'module_not_installed'] as const;

export const pullRequests = {
  'pull_requests.create': operation({
    summary: 'Open a pull request',
    description:
      'Asks for a review of what a branch changed before it is merged. There is one open pull request for two branches. An account ' +
      'has at most 1,000 open ones, and 10,000 in all.',
    ...module,
    effect: 'write',
    cost: 2,
    open_to_all: true,
    branches_in: { source_branch: 'read', target_branch: 'read' },
    http: { method: 'POST', path: ALL, status: 201, location: ONE },
    cli: {
      args: ['title', 'source_branch'],
      hidden: true,
      flags: { source_branch: 'from', target_branch: 'into' },
      letters: { description: 'm' },
      current: 'source_branch',
    },
    tools: [
      {
        name: 'mem_pr_open',
        toolset: 'branching',
        description: 'Open a pull request: ask that a branch be reviewed and merged.',
        fields: ['title', 'source_branch', 'target_branch', 'description'],
        about: { target_branch: 'Default main', description: 'Why' },
      },
    ],
    input: () =>
      z.strictObject({
        title: p.title,
        source_branch: branchName.meta({ description: 'The branch that is to be merged.' }),
        target_branch: branchName.default('main').meta({ description: 'The branch that it is merged into.' }),
        description: p.description.default(''),
        ...author,
      }),
    output: () => p.pullRequest,
    errors: ['branch_not_found', 'conflict', 'module_not_installed'],
    example: (n) => ({
      title: 'Fewer retries',
      source_branch: nth('experiment/retries', n),
      description: 'Three attempts suffice.',
    }),
  }),

  'pull_requests.list': operation({
    summary: 'List pull requests',
    description: 'Newest first.',
    ...module,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: ALL },
    cli: { hidden: true, flags: { source_branch: 'from', target_branch: 'into' } },
    tools: [
      {
        name: 'mem_pr_list',
        toolset: 'branching',
        description: 'List pull requests, newest first.',
        fields: ['status', 'source_branch', 'target_branch', 'limit', 'cursor'],
        limit: 20,
        miss: 'mem_pr_open',
      },
    ],
    input: () =>
      z.strictObject({
        status: p.pullRequestStatus.optional().meta({ description: 'Only those of this status.' }),
        source_branch: branchName.optional().meta({ description: 'Only those of this branch.' }),
        target_branch: branchName.optional().meta({ description: 'Only those into this branch.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ pull_requests: z.array(p.pullRequest), ...s.page }),
    errors: ['invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => ({ status: 'open' as const }),
  }),

  'pull_requests.read': operation({
    summary: 'Read a pull request',
    description:
      'With its reviews, its checks, and what stands in the way of its merge. The checks of the service are run for the branches as ' +
      'they are now; one that was merged or closed is shown as it stood then.',
    ...module,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: ONE },
    cli: { args: ['id'], hidden: true },
    tools: [
      {
        name: 'mem_pr_read',
        toolset: 'branching',
        description:
          'Show a pull request: reviews, checks, and what blocks its merge. What changed: mem_diff_branches.',
        fields: ['id'],
        previews: true,
        miss: 'mem_pr_list',
      },
    ],
    input: () => z.strictObject({ id }),
    output: () => p.pullRequestDetails,
    errors: ['not_found', 'branch_access_denied', 'module_not_installed'],
    example: () => ({ id: ID }),
  }),

  'pull_requests.update': operation({
    summary: 'Change the words of a pull request',
    description: 'Only what is given is changed.',
    ...module,
    effect: 'write',
    cost: 2,
    open_to_all: true,
    http: { method: 'PATCH', path: ONE },
    cli: { args: ['id'], hidden: true },
    input: () => z.strictObject({ id, title: p.title.optional(), description: p.description.optional(), ...author }),
    output: () => p.pullRequest,
    errors: changing,
    example: () => ({ id: ID, title: 'Three attempts' }),
  }),

  'pull_requests.review': operation({
    summary: 'Review a pull request',
    description:
      'As a whole, or one entry of it. Of the reviews of a reviewer the newest that is no comment counts. Nobody approves what they ' +
      'opened themselves. A pull request has at most 500 reviews.',
    ...module,
    effect: 'write',
    cost: 2,
    cites: true,
    open_to_all: true,
    http: { method: 'POST', path: `${ONE}/reviews`, status: 201 },
    cli: { args: ['id', 'decision', 'comment'], hidden: true, flags: { entity_path: 'path' } },
    tools: [
      {
        name: 'mem_pr_review',
        toolset: 'branching',
        description: 'Approve a pull request, ask for changes, or comment on it or on one of its entries.',
        fields: ['id', 'decision', 'comment', 'entity_path', 'key'],
        about: { comment: 'Why', entity_path: 'With key: about this entry', key: 'With entity_path' },
        miss: 'mem_pr_list',
      },
    ],
    input: () =>
      z.strictObject({
        id,
        decision: p.reviewDecision,
        comment: s.text(4096).default('').meta({ description: 'What the reviewer has to say.' }),
        entity_path: s.entityPath.optional().meta({ description: 'With `key`: a review of this entry.' }),
        key: s.key.optional(),
        ...author,
      }),
    output: () => p.review,
    errors: [...changing, 'forbidden', 'conflict'],
    example: (n) => ({ id: ID, decision: 'commented' as const, comment: `why not four? (${n})` }),
  }),

  'pull_requests.check': operation({
    summary: 'Post the result of a check',
    description:
      'For one `source_seq` of the pull request: when what would be merged changes, the result counts no more. Posting again under the ' +
      'same name replaces it. A pull request has at most 20 of them. Where there are keys, only those of the types admin and service post.',
    ...module,
    effect: 'write',
    cost: 2,
    open_to_all: true,
    http: { method: 'PUT', path: `${ONE}/checks/{check}` },
    cli: { args: ['id', 'check', 'status'], hidden: true },
    input: () =>
      z.strictObject({
        id,
        check: s.label(128).meta({
          description: `The name of the check; not one of those that the service runs: ${p.builtInChecks.join(', ')}.`,
          examples: ['acceptance'],
        }),
        status: p.checkStatus,
        summary: s.text(4096).default(''),
        source_seq: z.int().min(0).optional().meta({
          description:
            '`source_seq` of the pull request as it was checked; 409 where that has changed. Without it, the branch as it is now.',
        }),
        ...author,
      }),
    output: () => p.check,
    errors: [...changing, 'forbidden', 'conflict'],
    example: () => ({ id: ID, check: 'acceptance', status: 'passed' as const }),
  }),

  'pull_requests.close': operation({
    summary: 'Close a pull request without merging it',
    ...module,
    effect: 'write',
    cost: 2,
    open_to_all: true,
    http: { method: 'POST', path: `${ONE}/close` },
    cli: { args: ['id'], hidden: true },
    tools: [
      {
        name: 'mem_pr_close',
        toolset: 'branching',
        description: 'Close a pull request without merging it.',
        fields: ['id'],
        miss: 'mem_pr_list',
      },
    ],
    input: () => z.strictObject({ id, ...author }),
    output: () => p.pullRequest,
    errors: changing,
    example: () => ({ id: ID }),
  }),

  'pull_requests.reopen': operation({
    summary: 'Open a closed pull request again',
    ...module,
    effect: 'write',
    cost: 2,
    open_to_all: true,
    http: { method: 'POST', path: `${ONE}/reopen` },
    cli: { args: ['id'], hidden: true },
    tools: [
      {
        name: 'mem_pr_reopen',
        toolset: 'branching',
        description: 'Open a closed pull request again.',
        fields: ['id'],
        miss: 'mem_pr_list',
      },
    ],
    input: () => z.strictObject({ id, ...author }),
    output: () => p.pullRequest,
    errors: [...changing, 'branch_closed', 'conflict'],
    example: () => ({ id: ID }),
  }),

  'pull_requests.merge': operation({
    summary: 'Merge a pull request',
    description:
      'As `branches.merge` does, under the id of the pull request: conflicts wait under it until they are resolved. Refused with ' +
      '`pull_request_blocked` until it has what the protection of the target asks for.',
    ...module,
    effect: 'write',
    cost: 2,
    open_to_all: true,
    http: { method: 'POST', path: `${ONE}/merge` },
    raw: [['resolutions', '*', 'value']],
    cli: { args: ['id'], hidden: true, letters: { message: 'm' } },
    tools: [
      {
        name: 'mem_pr_merge',
        toolset: 'branching',
        description: 'Merge a pull request. Try dry_run first.',
        fields: ['id', 'strategy', 'dry_run', 'resolutions', 'detection', 'message', 'expected_head'],
        unlisted: ['keep_open'],
        about: {
          strategy: 'Default THREE_WAY',
          resolutions: 'As in mem_branch_merge',
          detection: 'field, entry or newest',
          message: 'Why',
          expected_head: 'seq of the target',
        },
        miss: 'mem_pr_list',
      },
    ],
    input: () =>
      z.strictObject({
        id,
        strategy: m.mergeStrategy.default('THREE_WAY'),
        resolutions: m.resolutions,
        detection: m.detection.default('field'),
        message: s.text(4096).default(''),
        expected_head: m.expectedHead,
        dry_run: m.dryRun,
        keep_open: m.keepOpen,
        ...author,
      }),
    output: () => m.mergeAnswer,
    errors: [
      ...([...changing, 'pull_request_blocked', 'branch_closed', 'merge_conflicts', 'target_moved'] as const),
      ...(['merge_too_large', 'conflict', 'forbidden'] as const),
    ],
    example: () => ({ id: ID, keep_open: true }),
  }),
};
