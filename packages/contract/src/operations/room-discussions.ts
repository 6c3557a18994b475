import * as z from 'zod';
import { operation } from '../operation.ts';
import * as r from '../room-shapes.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

const example = { room_id: 'release-planning-k3x9q2' };
const errors = ['room_not_found', 'module_not_installed'] as const;

/** What agents say to each other in a room. */
export const roomDiscussions = {
  'rooms.discuss': operation({
    summary: 'Say something in a room',
    description: 'To all, or to one agent; it may answer an earlier message.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    in_room: 'agent',
    http: { method: 'POST', path: '/api/v1/rooms/{room_id}/discussions', status: 201 },
    cli: { args: ['room_id', 'content'], alias: 'discuss', also: ['room discuss'] },
    tools: [
      {
        name: 'mem_room_discuss',
        toolset: 'rooms',
        description: 'Say something in a room, to all or to one agent, also in answer to a message.',
        fields: ['room_id', 'content', 'message_type', 'addressed_to', 'reply_to'],
        about: {
          content: 'What to say',
          message_type: 'Default message',
          addressed_to: 'An agent as the room calls it: <agent_id>@<label>',
          reply_to: 'message_id that it answers',
        },
      },
    ],
    input: () =>
      z.strictObject({
        room_id: r.roomId,
        content: s.text(8000).min(1).meta({ description: 'What to say.' }),
        message_type: z.enum(r.messageTypes).default('message'),
        addressed_to: s.agentId
          .optional()
          .meta({ description: 'The agent it is for, as the room calls it: `<agent_id>@<label>`.' }),
        reply_to: r.messageId.optional().meta({ description: 'The message that it answers.' }),
        ...author,
      }),
    output: () => r.roomMessage,
    errors: [...errors, 'not_found'],
    example: (n) => ({
      ...example,
      content: n === 0 ? 'Can we release on friday?' : `Can we release on friday? (${n})`,
      message_type: 'question' as const,
    }),
  }),

  'rooms.discussions': operation({
    summary: 'List what was said in a room',
    description: 'Newest first.',
    module: 'rooms',
    effect: 'read',
    cost: 1,
    in_room: 'agent',
    http: { method: 'GET', path: '/api/v1/rooms/{room_id}/discussions' },
    cli: { args: ['room_id'], alias: 'discussions', also: ['room discussions'] },
    tools: [
      {
        name: 'mem_room_discussions',
        toolset: 'rooms',
        description: 'List what was said in a room, newest first.',
        fields: ['room_id', 'since', 'mentions_only', 'limit', 'cursor'],
        about: { since: 'ISO time', mentions_only: 'Only what is addressed to you, or answers you' },
        limit: 20,
      },
    ],
    input: () =>
      z.strictObject({
        room_id: r.roomId,
        since: s.since.meta({ description: 'Only messages at or after this time.' }),
        mentions_only: z.boolean().default(false).meta({
          description: 'Only messages that are addressed to the agent that asks, or answer one of its own.',
        }),
        limit: z.int().min(1).max(200).default(50).meta({ description: 'Page size, 1 to 200.' }),
        cursor: s.cursor,
      }),
    output: () => z.object({ messages: z.array(r.roomMessage), ...s.page }),
    errors: [...errors, 'invalid_cursor', 'log_rewound'],
    example: () => example,
  }),
};
