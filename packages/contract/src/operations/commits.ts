import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';
import { draftShape, ifUnchanged, staleReads, writeErrors } from './drafts.ts';

const commit = z
  .object({
    commit_id: z.string(),
    message: z.string(),
    author_agent_id: s.agentId,
    session_id: z.string().nullable(),
    branch: s.branch,
    parent_ids: z.array(z.string()),
    tree_hash: z.string().meta({ description: 'SHA-256 of the sorted content hashes, joined by newlines.' }),
    entries_written: z.int(),
    created_at: s.utc,
    seq: z.int(),
  })
  .meta({ id: 'Commit' });

const commitEntry = z
  .object({ entity_path: s.entityPath, key: s.key, version: z.int(), content_hash: z.string() })
  .meta({ id: 'CommitEntry' });

const wholeCommit = commit
  .extend({ entries: z.array(commitEntry) })
  .meta({ id: 'WholeCommit', description: 'A commit and what it wrote.' });

export const commits = {
  'commits.create': operation({
    summary: 'Write many entries at once',
    description: 'All or nothing, under one commit id. The same key twice gives successive versions.',
    module: 'commits',
    effect: 'write',
    cost: 2,
    drafts_in: 'writes',
    needs_notes: 'of this server',
    in_room: 'paths',
    http: { method: 'POST', path: '/api/v1/commits', status: 201, location: '/api/v1/commits/{commit_id}' },
    raw: [['writes', '*', 'value']],
    cli: { args: ['writes'], alias: 'commit' },
    tools: [
      {
        name: 'mem_commit_batch',
        toolset: 'data',
        description: 'Write several entries at once, all or nothing, under one commit with a message.',
        fields: ['writes', 'message', 'branch'],
        about: { writes: '{entity_path, key, value} each, and what else mem_write takes', message: 'What it is about' },
      },
    ],
    input: () =>
      z.strictObject({
        writes: z.array(draftShape).min(1).max(1000),
        message: s.text(4096).default(''),
        if_unchanged: ifUnchanged,
        branch: s.branch.default('main'),
        ...author,
      }),
    output: () =>
      wholeCommit
        .extend({ warnings: s.writeWarnings, stale_reads: staleReads })
        .meta({ id: 'NewCommit', description: 'A commit that was just made.' }),
    errors: writeErrors,
    example: (n) => ({
      message: 'what the incident taught',
      writes: [
        { entity_path: 'checkout/payments', key: 'timeout-ms', value: 2500 + n },
        { entity_path: 'checkout/cart', key: 'owner', value: 'team-basket' },
      ],
    }),
  }),

  'commits.list': operation({
    summary: 'List commits',
    description: 'Newest first. A commit that touched only what the caller may not see is left out.',
    module: 'commits',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/commits' },
    cli: { alias: 'commits' },
    tools: [
      {
        name: 'mem_commit_log',
        toolset: 'data',
        description: 'List commits, newest first.',
        fields: ['limit', 'cursor', 'branch'],
        limit: 20,
        miss: 'mem_timeline for single writes; only mem_commit_batch makes commits',
      },
    ],
    input: () => z.strictObject({ branch: s.branch.default('main'), limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ commits: z.array(commit), ...s.page }),
    errors: ['branch_not_found', 'invalid_cursor', 'log_rewound'],
    example: () => ({}),
  }),

  'commits.read': operation({
    summary: 'Read a commit',
    module: 'commits',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/commits/{commit_id}' },
    cli: { args: ['commit_id'], alias: 'show-commit' },
    input: () =>
      z.strictObject({ commit_id: s.text(64).min(1).meta({ description: 'The id that the commit was given.' }) }),
    output: () => wholeCommit,
    errors: ['not_found'],
    example: () => ({ commit_id: '01hzy3v9k2t4w6x8y0abcdefgh' }),
  }),
};
