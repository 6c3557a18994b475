import * as z from 'zod';
import { operation } from '../operation.ts';
import * as r from '../room-shapes.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

const example = { room_id: 'release-planning-k3x9q2' };
const asked = { ...example, access_request_id: '01k9z3v8m6t2q4x7n5b1c0d9ef' };
const errors = ['room_not_found', 'module_not_installed'] as const;
const answering = { room_id: r.roomId, access_request_id: r.accessRequestId, ...author };

/** How accounts ask for access to rooms that they found, and what becomes of it. */
export const roomAccess = {
  'room_directory.request_access': operation({
    summary: 'Ask for access to a room',
    description:
      'To one that the directory shows. Its owner approves or declines. An account asks once at a time: asked again, the answer shows how its ' +
      'request stands.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    http: { method: 'POST', path: '/api/v1/room-directory/{room_id}/access-requests', status: 201 },
    cli: { args: ['room_id', 'message'], alias: 'request-access', also: ['room request-access'] },
    tools: [
      {
        name: 'mem_room_request_access',
        toolset: 'rooms',
        description: 'Ask the owner of a room that you found for access. Ask the person you work for first.',
        fields: ['room_id', 'message', 'label'],
        about: { message: 'Why, for the owner', label: 'What your account would like to be called in it' },
        miss: 'mem_room_discover',
      },
    ],
    input: () =>
      z.strictObject({
        room_id: r.roomId,
        message: s.text(1000).default('').meta({ description: 'Why, in words for the owner.' }),
        label: r.roomLabel.optional().meta({
          description: 'What your account would like to be called in it; by default made from its name.',
        }),
        agent_id: s.agentId
          .optional()
          .meta({ description: 'The agent that joins when it is approved; by default that of the request.' }),
      }),
    output: () => r.sentAccessRequest,
    errors: [...errors, 'conflict'],
    example: () => ({ ...example, message: 'We test the releases.' }),
  }),

  'room_access_requests.list': operation({
    summary: 'List the requests for access that the account has made',
    description: 'With the answers, for 30 days each.',
    module: 'rooms',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/room-access-requests' },
    cli: { alias: 'my-access-requests', also: ['room my-access-requests'] },
    tools: [
      {
        name: 'mem_my_access_requests',
        toolset: 'rooms',
        description: 'List the requests for access to rooms that your account has made, and how they were answered.',
        fields: [],
        unlisted: ['limit', 'cursor'],
        limit: 20,
      },
    ],
    input: () => z.strictObject({ limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ access_requests: z.array(r.sentAccessRequest), ...s.page }),
    errors: ['invalid_cursor', 'module_not_installed'],
    example: () => ({}),
  }),

  'rooms.list_access_requests': operation({
    summary: 'List the requests for access to a room',
    description: 'Those that nobody has answered yet. The owner sees them.',
    module: 'rooms',
    effect: 'read',
    cost: 1,
    in_room: 'account',
    http: { method: 'GET', path: '/api/v1/rooms/{room_id}/access-requests' },
    cli: { args: ['room_id'], alias: 'access-requests', also: ['room access-requests'] },
    tools: [
      {
        name: 'mem_room_access_requests',
        toolset: 'rooms',
        description: 'List the requests for access to a room of yours that nobody has answered yet.',
        fields: ['room_id'],
        unlisted: ['limit', 'cursor'],
        limit: 20,
      },
    ],
    input: () => z.strictObject({ room_id: r.roomId, limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ access_requests: z.array(r.roomAccessRequest), ...s.page }),
    errors: [...errors, 'invalid_cursor'],
    example: () => example,
  }),

  'rooms.approve_access': operation({
    summary: 'Approve a request for access to a room',
    description:
      'The account that asked is in the room from now on, and the agent that asked has joined it. The owner does that.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    in_room: 'account',
    http: { method: 'POST', path: '/api/v1/rooms/{room_id}/access-requests/{access_request_id}/approve' },
    cli: { args: ['room_id', 'access_request_id'], alias: 'approve-access', also: ['room approve-access'] },
    tools: [
      {
        name: 'mem_room_approve_access',
        toolset: 'rooms',
        description: 'Let an account in that asked for access to a room of yours. Ask the person you work for first.',
        fields: ['room_id', 'access_request_id'],
        miss: 'mem_room_access_requests',
      },
    ],
    input: () => z.strictObject(answering),
    output: () => r.roomAccessRequest,
    errors: [...errors, 'not_found', 'conflict'],
    example: () => asked,
  }),

  'rooms.decline_access': operation({
    summary: 'Decline a request for access to a room',
    description: 'The account that asked cannot ask again before the request expires. The owner does that.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    in_room: 'account',
    http: { method: 'POST', path: '/api/v1/rooms/{room_id}/access-requests/{access_request_id}/decline' },
    cli: { args: ['room_id', 'access_request_id'], alias: 'decline-access', also: ['room decline-access'] },
    tools: [
      {
        name: 'mem_room_decline_access',
        toolset: 'rooms',
        description: 'Decline a request for access to a room of yours.',
        fields: ['room_id', 'access_request_id'],
        miss: 'mem_room_access_requests',
      },
    ],
    input: () => z.strictObject(answering),
    output: () => r.roomAccessRequest,
    errors: [...errors, 'not_found'],
    example: () => asked,
  }),

  'rooms.grant_access': operation({
    summary: 'Give an account access to a room',
    description:
      'By its id: at once where it has asked for access, or else by an invitation that it can accept within a week. Nobody is in a room that did ' +
      'not want to. The owner does that.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    in_room: 'account',
    http: { method: 'POST', path: '/api/v1/rooms/{room_id}/access' },
    cli: { args: ['room_id', 'account_id'], alias: 'grant-room-access', also: ['room grant-access'] },
    tools: [
      {
        name: 'mem_room_grant_access',
        toolset: 'rooms',
        description:
          'Give an account access to a room of yours: at once where it has asked, or else by an invitation to it.',
        fields: ['room_id', 'account_id'],
      },
    ],
    input: () =>
      z.strictObject({
        room_id: r.roomId,
        account_id: z.guid().meta({
          description: 'Which account.',
          examples: ['3f1c0e9a-5b7d-4246-8ace-013579bdf246'],
        }),
        ...author,
      }),
    output: () =>
      z.object({
        room_id: r.roomId,
        admitted: z.boolean().meta({ description: 'Whether it had asked, and is in the room now.' }),
        invitation_id: r.invitationId.nullable().meta({ description: 'The invitation to it, where it had not.' }),
      }),
    errors: [...errors, 'conflict'],
    example: (n) => ({ ...example, account_id: `3f1c0e9a-5b7d-4246-8ace-${String(n).padStart(12, '0')}` }),
  }),
};
