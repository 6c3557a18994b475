import * as z from 'zod';
import { tagNameProblem } from '../branch-name.ts';
import { ref } from '../branch-shapes.ts';
import { nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

/** Shorter than a branch name, because a tag becomes the branch `tags/<name>`. */
const tagName = s.label(200).meta({
  id: 'TagName',
  description: 'Names a place in the log, in at most 200 bytes.',
  examples: ['before-the-migration'],
});

const newTagName = s.checked(tagNameProblem).meta({
  id: 'NewTagName',
  description:
    'Names a place in the log, in at most 200 bytes without @, .. and white space. It does not begin with -.',
  examples: ['before-the-migration'],
});

const seq = z.int().min(0).meta({ description: 'The place in the log of the account that the tag names.' });

const tag = z
  .object({
    name: tagName,
    branch: s.branch.meta({ description: 'Reads on this branch show memory as it was at the tag.' }),
    of_branch: z.string().meta({ description: 'The branch whose state the tag names.' }),
    description: z.string(),
    seq,
    agent_id: s.agentId,
    created_at: s.utc,
  })
  .meta({ id: 'Tag', description: 'A name for a state of a branch. It never changes.' });

export const tags = {
  'tags.create': operation({
    summary: 'Tag memory as it is, or as it was',
    description:
      'Names a state of a branch: the newest, or that at a given `seq` or at a time. Reads on the branch ' +
      '`tags/<name>` show memory as it was there.',
    module: 'tags',
    effect: 'write',
    cost: 2,
    whole: true,
    branches_in: { ref: 'read' },
    http: { method: 'POST', path: '/api/v1/tags', status: 201, location: '/api/v1/tags?name={name}' },
    cli: { args: ['name'], hidden: true },
    tools: [
      {
        name: 'mem_create_tag',
        toolset: 'branching',
        description: 'Name memory as it is now, or was; read it with branch tags/<name>.',
        fields: ['name', 'description', 'ref', 'seq', 'at'],
        about: {
          name: 'e.g. before-the-migration',
          description: 'Why',
          ref: 'Branch, default main',
          seq: 'Place in the log',
          at: 'ISO time',
        },
      },
    ],
    input: () =>
      z.strictObject({
        name: newTagName,
        description: s.text(4096).default(''),
        ref: ref.default('main').meta({ description: 'The branch whose state it names, or a state of one.' }),
        seq: seq.optional(),
        at: s.timestamp.optional().meta({ description: 'A time, instead of `seq`.' }),
        ...author,
      }),
    output: () => tag,
    errors: ['branch_not_found', 'conflict', 'module_not_installed'],
    example: (n) => ({
      name: nth('before-the-migration', n),
      description: 'the last state that the old schema wrote',
    }),
  }),

  'tags.list': operation({
    summary: 'List tags',
    description: 'Newest first.',
    module: 'tags',
    effect: 'read',
    cost: 1,
    whole: true,
    http: { method: 'GET', path: '/api/v1/tags' },
    cli: { alias: 'tags', hidden: true },
    tools: [
      {
        name: 'mem_list_tags',
        toolset: 'branching',
        description: 'List the tags of memory, newest first.',
        fields: ['name', 'limit', 'cursor'],
        about: { name: 'Only this one' },
        limit: 20,
        miss: 'mem_create_tag',
      },
    ],
    input: () =>
      z.strictObject({
        name: tagName.optional().meta({ description: 'Only the tag of this name.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ tags: z.array(tag), ...s.page }),
    errors: ['invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => ({}),
  }),

  'tags.delete': operation({
    summary: 'Delete a tag',
    description: 'What it named stays; the name is free for another tag.',
    module: 'tags',
    effect: 'write',
    cost: 2,
    whole: true,
    removes: 'tags.create',
    http: { method: 'DELETE', path: '/api/v1/tags/{name}' },
    cli: { args: ['name'], hidden: true },
    tools: [
      {
        name: 'mem_delete_tag',
        toolset: 'branching',
        description: 'Delete a tag. What it named stays in the history.',
        fields: ['name'],
        miss: 'mem_list_tags',
      },
    ],
    input: () => z.strictObject({ name: tagName, ...author }),
    output: () => tag,
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ name: 'before-the-migration' }),
  }),
};
