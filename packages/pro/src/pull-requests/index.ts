import type { Module } from '@mem-service/server/module';
import { changes } from './changes.ts';
import { create } from './create.ts';
import { erasesAgent, erasesEntries } from './erase.ts';
import { list } from './list.ts';
import { merge } from './merge.ts';
import { merge as mergeBranch } from './merge-branch.ts';
import { migrations } from './migrations.ts';
import { postCheck } from './post-check.ts';
import { read } from './read.ts';
import { review } from './review.ts';
import { tables } from './tables.ts';

export { mergeDirectly } from './merge-branch.ts';
export { hasOpenFrom, listOpenAfter } from './queries.ts';
export { newestReviewOf } from './review-queries.ts';

/** Reviews and checks of what a branch changed, before it is merged. Also merges, since they end pull requests. */
export const pullRequests: Module = {
  name: 'pull-requests',
  migrations,
  tables,
  erasesEntries,
  erasesAgent,
  handlers: {
    'pull_requests.create': create,
    'pull_requests.list': list,
    'pull_requests.read': read,
    'pull_requests.review': review,
    'pull_requests.check': postCheck,
    'pull_requests.merge': merge,
    'branches.merge': mergeBranch,
    ...changes,
  },
};
