import * as z from 'zod';
import { branchNameProblem } from './branch-name.ts';
import * as s from './shapes.ts';

export const newBranchName = s.checked(branchNameProblem).meta({
  id: 'BranchName',
  description:
    'Names a new branch in at most 200 bytes: segments separated by slashes, without @, ~, *, ?, .. and white space. It neither begins with - ' +
    'nor ends in a word that addresses have after the name of a branch, such as /diff.',
  examples: ['experiment/retries'],
});

/** A branch that exists, or `main`. */
export const branchName = s
  .label(200)
  .meta({ description: 'The name of the branch.', examples: ['experiment/retries'] });

/** A branch, or a state of one. */
export const ref = s.branch.meta({
  id: 'Ref',
  description: 'A branch, or a state of one: `tags/<name>`, `<branch>@<seq>` or `<branch>@<time>`.',
  examples: ['main', 'tags/before-the-migration', 'main@1200'],
});

export const branchStatus = z
  .enum(['active', 'merged', 'closed'])
  .meta({ id: 'BranchStatus', description: 'Only an active branch can be written to.' });

export const protection = z
  .strictObject({
    required_approvals: z
      .int()
      .min(0)
      .max(20)
      .default(0)
      .meta({ description: 'A pull request is merged with at least so many approvals.' }),
    dismisses_approvals: z
      .boolean()
      .default(false)
      .meta({ description: 'A write to the source branch after an approval takes the approval back.' }),
    required_checks: z
      .array(s.label(128))
      .max(20)
      .default([])
      .meta({ description: 'Names of checks that have to pass before a merge.' }),
  })
  .meta({ id: 'BranchProtection', description: 'What a merge into a protected branch needs.' });

export const branchState = z
  .object({
    name: branchName,
    parent_branch: z.string().nullable().meta({ description: 'The branch that it was forked from; null for `main`.' }),
    fork_seq: z
      .int()
      .nullable()
      .meta({ description: 'The branch shows its parent as it was at this place in the log.' }),
    status: branchStatus,
    is_protected: z.boolean().meta({ description: 'Only merges write to it.' }),
    description: z.string(),
    created_by: s.agentId.nullable(),
    created_at: s.utc.nullable(),
    merged_by: s.agentId.nullable(),
    merged_at: s.utc.nullable(),
    closed_by: s.agentId.nullable(),
    closed_at: s.utc.nullable(),
  })
  .meta({ id: 'BranchState', description: 'A line of memory of its own that began as the memory of its parent.' });

export const branchDetails = branchState
  .extend({
    protection: protection.nullable().meta({ description: 'Null where the branch is not protected.' }),
    ahead: z
      .int()
      .meta({ description: 'How many entries of the branch were written since it was last merged into its parent.' }),
    behind: z.int().meta({
      description:
        'How many entries of its parent were written since the fork, other than by merges of the branch. A refresh moves the fork.',
    }),
    is_counted: z.boolean().meta({
      description:
        'False: there are more, of which the first 10,000 were counted, or more than 50 merges, or the key may not read the parent.',
    }),
  })
  .meta({ id: 'BranchDetails' });
