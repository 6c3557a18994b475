import * as z from 'zod';
import { operation } from '../operation.ts';
import * as r from '../room-shapes.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

const example = { room_id: 'release-planning-k3x9q2' };
const invitation = { invitation_id: '01k9z3v8m6t2q4x7n5b1c0d9ef' };
const errors = ['room_not_found', 'module_not_installed'] as const;
const label = r.roomLabel
  .optional()
  .meta({ description: 'What your account is called in it; by default made from its name.' });
const agent = {
  agent_id: s.agentId.optional().meta({ description: 'The agent that joins; by default that of the request.' }),
};

/** How other accounts come into a room. */
export const roomInvitations = {
  'rooms.invite': operation({
    summary: 'Invite an account to a room',
    description:
      'By its id, or with a token to hand over to whoever it may be, once. It gives no access before it is accepted. The owner does ' +
      'that. An account that does not exist is answered as if it did.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    in_room: 'account',
    once: ['token'],
    http: { method: 'POST', path: '/api/v1/rooms/{room_id}/invitations', status: 201 },
    cli: { args: ['room_id', 'account_id'], alias: 'invite', also: ['room invite'] },
    tools: [
      {
        name: 'mem_room_invite',
        toolset: 'rooms',
        description:
          'Invite another account to a room of yours: by its id, or with a token to hand over to one of them.',
        fields: ['room_id', 'account_id', 'expires_in_hours'],
        about: { account_id: 'Without it there is a token', expires_in_hours: 'Default 168' },
      },
    ],
    input: () =>
      z.strictObject({
        room_id: r.roomId,
        account_id: z.guid().optional().meta({ description: 'Whom to invite; without it there is a token.' }),
        expires_in_hours: z.int().min(1).max(720).default(168).meta({ description: 'How long it can be accepted.' }),
        ...author,
      }),
    output: () => r.newRoomInvitation,
    errors: [...errors, 'conflict'],
    example: () => example,
  }),

  'rooms.list_invitations': operation({
    summary: 'List the open invitations to a room',
    description: 'Those that nobody has answered yet. The owner sees them.',
    module: 'rooms',
    effect: 'read',
    cost: 1,
    in_room: 'account',
    http: { method: 'GET', path: '/api/v1/rooms/{room_id}/invitations' },
    cli: { args: ['room_id'], alias: 'list-invitations', also: ['room invitations'] },
    tools: [
      {
        name: 'mem_room_invitations',
        toolset: 'rooms',
        description: 'List the invitations to a room of yours that nobody has answered yet.',
        fields: ['room_id'],
        unlisted: ['limit', 'cursor'],
        limit: 20,
      },
    ],
    input: () => z.strictObject({ room_id: r.roomId, limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ invitations: z.array(r.roomInvitation), ...s.page }),
    errors: [...errors, 'invalid_cursor'],
    example: () => example,
  }),

  'rooms.withdraw_invitation': operation({
    summary: 'Withdraw an invitation',
    description: 'It can be accepted no more. One that was answered stays as it is.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    in_room: 'account',
    removes: 'rooms.invite',
    http: { method: 'DELETE', path: '/api/v1/rooms/{room_id}/invitations/{invitation_id}' },
    cli: { args: ['room_id', 'invitation_id'], alias: 'withdraw', also: ['room withdraw'] },
    tools: [
      {
        name: 'mem_room_withdraw_invite',
        toolset: 'rooms',
        description: 'Withdraw an invitation that nobody has answered yet.',
        fields: ['room_id', 'invitation_id'],
        miss: 'mem_room_invitations',
      },
    ],
    input: () => z.strictObject({ room_id: r.roomId, invitation_id: r.invitationId, ...author }),
    output: () => r.roomInvitation,
    errors: [...errors, 'not_found'],
    example: () => ({ ...example, ...invitation }),
  }),

  'room_invitations.list': operation({
    summary: 'List the invitations that the account has received',
    module: 'rooms',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/room-invitations' },
    cli: { alias: 'invitations', also: ['room my-invitations'] },
    tools: [
      {
        name: 'mem_my_invitations',
        toolset: 'rooms',
        description: 'List the invitations to rooms that your account has received.',
        fields: [],
        unlisted: ['limit', 'cursor'],
        limit: 20,
      },
    ],
    input: () => z.strictObject({ limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ invitations: z.array(r.receivedInvitation), ...s.page }),
    errors: ['invalid_cursor', 'module_not_installed'],
    example: () => ({}),
  }),

  'room_invitations.accept': operation({
    summary: 'Accept an invitation',
    description: 'The account is in the room from now on, and the agent that accepts has joined it.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    http: { method: 'POST', path: '/api/v1/room-invitations/{invitation_id}/accept' },
    cli: { args: ['invitation_id'], alias: 'accept-invitation', also: ['room accept'] },
    tools: [
      {
        name: 'mem_room_accept_invite',
        toolset: 'rooms',
        description: 'Accept an invitation to a room, and join it. Ask the person you work for first.',
        fields: ['invitation_id', 'label'],
        about: { label: 'What your account is called in it' },
        miss: 'mem_my_invitations',
      },
    ],
    input: () => z.strictObject({ invitation_id: r.invitationId, label, ...agent }),
    output: () => r.roomMembership,
    errors: [...errors, 'not_found', 'conflict'],
    example: () => invitation,
  }),

  'room_invitations.decline': operation({
    summary: 'Decline an invitation',
    description: 'Only another invitation brings the account into the room.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    http: { method: 'POST', path: '/api/v1/room-invitations/{invitation_id}/decline' },
    cli: { args: ['invitation_id'], alias: 'decline-invitation', also: ['room decline'] },
    tools: [
      {
        name: 'mem_room_decline_invite',
        toolset: 'rooms',
        description: 'Decline an invitation to a room. Only another invitation undoes that.',
        fields: ['invitation_id'],
        miss: 'mem_my_invitations',
      },
    ],
    input: () => z.strictObject({ invitation_id: r.invitationId, ...agent }),
    output: () => z.object({ invitation_id: r.invitationId, declined: z.literal(true) }),
    errors: ['not_found', 'module_not_installed'],
    example: () => invitation,
  }),

  'room_invitations.redeem': operation({
    summary: 'Accept an invitation by its token',
    description: 'As with one that named the account. A token brings one account into the room.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    http: { method: 'POST', path: '/api/v1/room-invitations/redeem' },
    cli: { args: ['token'], alias: 'redeem', also: ['room redeem'] },
    tools: [
      {
        name: 'mem_room_redeem',
        toolset: 'rooms',
        description: 'Join a room with the token of an invitation. Ask the person you work for first.',
        fields: ['token', 'label'],
        about: { label: 'What your account is called in it' },
      },
    ],
    input: () => z.strictObject({ token: r.invitationToken, label, ...agent }),
    output: () => r.roomMembership,
    errors: [...errors, 'not_found', 'conflict'],
    example: () => ({ token: 'release-planning-k3x9q2.secret' }),
  }),
};
