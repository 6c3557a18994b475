import * as z from 'zod';
import { operation, streaming } from '../operation.ts';
import * as r from '../room-shapes.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';
import { log as operations } from './log.ts';

const example = { room_id: 'release-planning-k3x9q2' };
const actingAgent = s.agentId.optional().meta({ description: 'The agent; by default that of the request.' });
const errors = ['room_not_found', 'module_not_installed'] as const;

export const rooms = {
  'rooms.create': operation({
    summary: 'Create a room',
    description:
      'A place that agents share, of one account or of several. Its entries are at `@<room_id>/<path>`, and only who has joined it ' +
      'reads and writes there. The agent that creates it has joined it.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    http: { method: 'POST', path: '/api/v1/rooms', status: 201, location: '/api/v1/rooms/{room_id}' },
    cli: { args: ['name'], alias: 'create-room', also: ['room create'] },
    tools: [
      {
        name: 'mem_room_create',
        toolset: 'rooms',
        description: 'Create a room: a place shared with other agents. Its entries are at entity_path @room_id/path.',
        fields: ['name', 'description', 'label'],
        about: { name: 'What it is called', description: 'What it is for', label: 'What your account is called in it' },
      },
    ],
    input: () =>
      z.strictObject({
        name: r.roomName,
        description: r.roomDescription.default(''),
        label: r.roomLabel
          .optional()
          .meta({ description: 'What your account is called in it; by default made from its name.' }),
        agent_id: actingAgent,
      }),
    output: () => r.room,
    errors: ['conflict', 'module_not_installed'],
    example: (n) => ({ name: n === 0 ? 'Release planning' : `Release planning ${n}`, label: 'platform-team' }),
  }),

  'rooms.list': operation({
    summary: 'List the rooms of the account',
    description: 'Those that it made or was admitted to.',
    module: 'rooms',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/rooms' },
    cli: { alias: 'rooms', also: ['room list'] },
    tools: [
      {
        name: 'mem_my_rooms',
        toolset: 'rooms',
        description: 'List the rooms that your account made or was admitted to.',
        fields: [],
        unlisted: ['limit', 'cursor'],
        limit: 50,
        miss: 'mem_my_invitations, or mem_room_create',
      },
    ],
    input: () => z.strictObject({ limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ rooms: z.array(r.listedRoom), ...s.page }),
    errors: ['invalid_cursor', 'module_not_installed'],
    example: () => ({}),
  }),

  'rooms.read': operation({
    summary: 'Read a room',
    description: 'Its settings, and the accounts that are in it.',
    module: 'rooms',
    effect: 'read',
    cost: 1,
    in_room: 'account',
    http: { method: 'GET', path: '/api/v1/rooms/{room_id}' },
    cli: { args: ['room_id'], alias: 'show-room', also: ['room info'] },
    input: () => z.strictObject({ room_id: r.roomId }),
    output: () => r.wholeRoom,
    errors,
    example: () => example,
  }),

  'rooms.join': operation({
    summary: 'Join a room',
    description: 'From now on the agent reads and writes in it. One that has joined already stays as it is.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    in_room: 'account',
    http: { method: 'POST', path: '/api/v1/rooms/{room_id}/agents' },
    cli: { args: ['room_id'], alias: 'join-room', also: ['room join'] },
    input: () => z.strictObject({ room_id: r.roomId, agent_id: actingAgent }),
    output: () => r.roomMembership,
    errors: [...errors, 'conflict'],
    example: () => example,
  }),

  'rooms.leave': operation({
    summary: 'Leave a room',
    description: 'The agent reads and writes in it no more, from now on. What it wrote stays.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    in_room: 'account',
    http: { method: 'DELETE', path: '/api/v1/rooms/{room_id}/agents/{agent_id}' },
    cli: { args: ['room_id', 'agent_id'], alias: 'leave-room', also: ['room leave'], self: 'agent_id' },
    tools: [
      {
        name: 'mem_room_leave',
        toolset: 'rooms',
        description: 'Leave a room: you read and write in it no more. What you wrote stays.',
        fields: ['room_id'],
        self: 'agent_id',
      },
    ],
    input: () => z.strictObject({ room_id: r.roomId, agent_id: s.agentId }),
    output: () => r.roomMembership,
    errors,
    example: () => ({ ...example, agent_id: 'agent/deploy-bot' }),
  }),

  'rooms.update': operation({
    summary: 'Change a room',
    description: 'Its name, what it is for, and whether other accounts find it. Its owner does that.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    in_room: 'account',
    http: { method: 'PATCH', path: '/api/v1/rooms/{room_id}' },
    cli: { args: ['room_id'], alias: 'update-room', also: ['room update'] },
    tools: [
      {
        name: 'mem_room_update',
        toolset: 'rooms',
        description: 'Change the name of a room of yours, or what it is for.',
        fields: ['room_id', 'name', 'description'],
      },
      {
        name: 'mem_room_set_discoverable',
        toolset: 'rooms',
        description: 'Let other accounts find a room of yours in the directory, or no longer.',
        fields: ['room_id', 'discoverable'],
        about: { discoverable: 'Whether they find it' },
      },
    ],
    input: () =>
      z.strictObject({
        room_id: r.roomId,
        name: r.roomName.optional(),
        description: r.roomDescription.optional(),
        discoverable: z.boolean().optional().meta({ description: 'Whether other accounts find it in the directory.' }),
        ...author,
      }),
    output: () => r.room,
    errors,
    example: (n) => ({
      ...example,
      description: n === 0 ? 'What we release, and when' : `What we release, and when (${n})`,
    }),
  }),

  'rooms.members': operation({
    summary: 'List the agents in a room',
    module: 'rooms',
    effect: 'read',
    cost: 1,
    in_room: 'account',
    http: { method: 'GET', path: '/api/v1/rooms/{room_id}/members' },
    cli: { args: ['room_id'], alias: 'room-members', also: ['room members'] },
    tools: [
      {
        name: 'mem_room_members',
        toolset: 'rooms',
        description: 'List the agents in a room, by the names that the room has for them.',
        fields: ['room_id'],
        unlisted: ['limit', 'cursor'],
        limit: 50,
      },
    ],
    input: () => z.strictObject({ room_id: r.roomId, limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ members: z.array(r.roomAgent), ...s.page }),
    errors: [...errors, 'invalid_cursor'],
    example: () => example,
  }),

  'rooms.remove_account': operation({
    summary: 'Remove an account from a room',
    description:
      'Its agents read and write in it no more, from now on; what they wrote stays. The owner removes others, and every account ' +
      'itself. The owner stays until it closes the room.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    in_room: 'account',
    ends_access: true,
    http: { method: 'DELETE', path: '/api/v1/rooms/{room_id}/accounts/{label}' },
    cli: { args: ['room_id', 'label'], alias: 'remove-from-room', also: ['room remove'] },
    tools: [
      {
        name: 'mem_room_remove_account',
        toolset: 'rooms',
        description: 'Remove an account and its agents from a room of yours, or your own account from any.',
        fields: ['room_id', 'label'],
        about: { label: 'What the account is called there' },
        destroys: true,
      },
    ],
    input: () => z.strictObject({ room_id: r.roomId, label: r.roomLabel, ...author }),
    output: () => z.object({ room_id: r.roomId, label: r.roomLabel, removed: z.boolean() }),
    errors: [...errors, 'conflict'],
    example: () => ({ ...example, label: 'design-team' }),
  }),

  'rooms.updates': operation({
    summary: 'List what happened in a room',
    description:
      'Entries written, who joined and left, messages and all else, in order, after a place in its log or from a time on.',
    module: 'rooms',
    effect: 'read',
    cost: 1,
    in_room: 'agent',
    http: { method: 'GET', path: '/api/v1/rooms/{room_id}/activity' },
    cli: { args: ['room_id'], alias: 'room-updates', also: ['room updates'] },
    tools: [
      {
        name: 'mem_room_updates',
        toolset: 'rooms',
        description: 'What happened in a room, in order: entries written, messages, negotiations, who came and left.',
        fields: ['room_id', 'since', 'after', 'limit'],
        about: { since: 'ISO time', after: 'last_position of the answer before' },
        limit: 20,
        previews: true,
      },
    ],
    input: () =>
      z.strictObject({
        room_id: r.roomId,
        after: operations['log.list'].input.shape.after,
        since: s.since.meta({ description: 'Only what happened at or after this time.' }),
        limit: s.limit,
      }),
    output: () => operations['log.list'].output,
    errors: [...errors, 'log_rewound'],
    example: () => example,
  }),

  'rooms.stream': streaming({
    summary: 'Stream what happens in a room',
    description:
      'Server-Sent Events as they happen, as `log.stream` does for an account. It ends when the agent leaves, when its account is ' +
      'removed and when the room is closed: the event that says so is the last.',
    module: 'rooms',
    effect: 'read',
    cost: 1,
    items_per_statement: 100,
    in_room: 'agent',
    http: { method: 'GET', path: '/api/v1/rooms/{room_id}/stream' },
    cli: { args: ['room_id'], alias: 'watch-room', also: ['room stream'] },
    input: () => z.strictObject({ room_id: r.roomId, after: operations['log.stream'].input.shape.after }),
    output: () => operations['log.stream'].output,
    errors: [...errors, 'log_rewound'],
    example: () => ({ ...example, after: 0 }),
  }),
};
