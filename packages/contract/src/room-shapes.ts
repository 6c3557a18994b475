import * as z from 'zod';
import * as s from './shapes.ts';

/** What the account of a room is called in the store; no account of a customer is. */
export const ROOM_ACCOUNT = 'room:';
/** An entry of a room is at `@<room_id>/<path>`. */
export const ROOM_SIGN = '@';

const MAX_SLUG = 40;

/** The beginning of a room's id, from its name. */
export function roomSlug(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return plain.slice(0, MAX_SLUG).replace(/^-+|-+$/g, '') || 'room';
}

export const roomId = z
  .string()
  .max(64)
  .regex(/^[a-z0-9-]+$/, 'must be the id of a room, without the @')
  .meta({
    id: 'RoomId',
    description: 'Which room. Its entries are at `@<room_id>/<path>`.',
    examples: ['release-planning-k3x9q2'],
  });

export const roomLabel = z
  .string()
  .max(32)
  .regex(
    /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
    'must be small letters, digits and hyphens, and neither begin nor end with one',
  )
  .meta({
    description: 'What an account is called in the room: its agents are `<agent_id>@<label>` there.',
    examples: ['platform-team'],
  });

export const roomName = s.label(128).meta({ description: 'What the room is called.', examples: ['Release planning'] });
export const roomDescription = s.text(2000).meta({ description: 'What the room is for.' });
export const roomRole = z
  .enum(['owner', 'member'])
  .meta({ description: 'The owner made the room: it invites, removes, changes and closes.' });

const agentInRoom = z.string().meta({ description: 'The agent as the room calls it, `<agent_id>@<label>`.' });

const roomFields = {
  room_id: roomId,
  name: roomName,
  description: z.string(),
  discoverable: z.boolean().meta({ description: 'Whether other accounts find it in the directory.' }),
  label: roomLabel.meta({ description: 'What your account is called in it.' }),
  role: roomRole,
  account_count: z.int(),
  agent_count: z.int(),
  created_at: s.utc,
  updated_at: s.utc,
};

export const room = z.object(roomFields).meta({ id: 'Room', description: 'A place that several agents share.' });

export const listedRoom = z
  .object({ room_id: roomId, name: z.string(), label: roomLabel, role: roomRole, joined_at: s.utc })
  .meta({ id: 'ListedRoom' });

export const roomAccount = z
  .object({ label: roomLabel, role: roomRole, agent_count: z.int(), joined_at: s.utc })
  .meta({ id: 'RoomAccount', description: 'An account in a room, by its label.' });

export const wholeRoom = z
  .object({
    ...roomFields,
    joined: z.boolean().meta({ description: 'Whether the agent that asks has joined it.' }),
    last_seq: z
      .int()
      .nullable()
      .meta({
        description:
          'The `seq` of the newest event of its log; null for agents that have not joined. `rooms.updates` lists the newest 100 ' +
          'with an `after` that is 100 less.',
      }),
    accounts: z.array(roomAccount),
  })
  .meta({ id: 'WholeRoom' });

export const roomMembership = z
  .object({ room_id: roomId, agent: agentInRoom, label: roomLabel, joined: z.boolean() })
  .meta({ id: 'RoomMembership', description: 'Whether an agent is in a room, and what it is called there.' });

export const roomAgent = z
  .object({ agent: agentInRoom, label: roomLabel, joined_at: s.utc })
  .meta({ id: 'RoomAgent', description: 'An agent that has joined a room.' });

export const invitationId = s
  .label(64)
  .meta({ description: 'Which invitation.', examples: ['01k9z3v8m6t2q4x7n5b1c0d9ef'] });

export const invitationToken = s
  .label(256)
  .meta({ description: 'What was handed over.', examples: ['release-planning-k3x9q2.secret'] });

export const invitationStatuses = ['pending', 'accepted', 'declined', 'withdrawn'] as const;

const invited = {
  invitation_id: invitationId,
  room_id: roomId,
  status: z.enum(invitationStatuses),
  created_at: s.utc,
  expires_at: s.utc,
};

export const roomInvitation = z
  .object({
    ...invited,
    account_id: z
      .string()
      .nullable()
      .meta({ description: 'The account that was invited; null where there is a token.' }),
    invited_by: z.string().meta({ description: 'The agent that invited, as the room calls it.' }),
  })
  .meta({ id: 'RoomInvitation' });

export const newRoomInvitation = roomInvitation
  .extend({
    token: z.string().nullable().meta({
      description: 'For the account that it is handed to. It is shown this once; null where an account was named.',
    }),
  })
  .meta({ id: 'NewRoomInvitation' });

export const receivedInvitation = z
  .object({
    invitation_id: invitationId,
    room_id: roomId,
    room_name: z.string(),
    invited_by: z.string().meta({ description: 'The account that invited, by its label in the room.' }),
    created_at: s.utc,
    expires_at: s.utc,
  })
  .meta({ id: 'ReceivedRoomInvitation' });

export const messageTypes = ['message', 'question', 'answer', 'proposal', 'summary'] as const;
export const messageId = s.label(32).meta({ description: 'Which message.', examples: ['17'] });

export const roomMessage = z
  .object({
    message_id: messageId,
    room_id: roomId,
    agent: agentInRoom,
    message_type: z.enum(messageTypes),
    content: z.string(),
    addressed_to: z.string().nullable().meta({ description: 'The agent it is for, as the room calls it.' }),
    reply_to: z.string().nullable().meta({ description: 'The message that it answers.' }),
    created_at: s.utc,
  })
  .meta({ id: 'RoomMessage' });

export const foundRoom = z
  .object({
    room_id: roomId,
    name: z.string(),
    description: z.string(),
    topics: z.array(z.string()).meta({ description: 'The titles of its topics.' }),
    account_count: z.int(),
    agent_count: z.int(),
    member: z.boolean().meta({ description: 'Whether your account is in it.' }),
  })
  .meta({ id: 'FoundRoom', description: 'A room as those who are not in it see it.' });

export const accessRequestId = s
  .label(64)
  .meta({ description: 'Which request for access.', examples: ['01k9z3v8m6t2q4x7n5b1c0d9ef'] });

export const accessRequestStatuses = ['pending', 'approved', 'declined'] as const;

const accessRequest = {
  access_request_id: accessRequestId,
  room_id: roomId,
  status: z.enum(accessRequestStatuses),
  message: z.string().meta({ description: 'Why, in words for the owner.' }),
  created_at: s.utc,
  expires_at: s.utc.meta({ description: 'Until when it can be answered, and is not made again.' }),
};

export const roomAccessRequest = z
  .object({
    ...accessRequest,
    agent: z.string().meta({ description: 'The agent that asks, with the label that its account would like to have.' }),
  })
  .meta({ id: 'RoomAccessRequest', description: 'A request for access to a room, as its owner sees it.' });

export const sentAccessRequest = z
  .object({ ...accessRequest, room_name: z.string() })
  .meta({ id: 'SentAccessRequest', description: 'A request for access to a room, as the account that asked sees it.' });

export const topicId = s.label(64).meta({ description: 'Which topic.', examples: ['01k9z3v8m6t2q4x7n5b1c0d9ef'] });

export const roomTopic = z
  .object({
    topic_id: topicId,
    room_id: roomId,
    title: z.string(),
    entity_path: z.string().meta({ description: 'Where its entries are in the room, each at its own path below.' }),
    shared_path: z.string().meta({ description: 'What was shared, as the account that shared it calls it.' }),
    label: roomLabel.meta({ description: 'The account that shared it.' }),
    agent: z.string().meta({ description: 'The agent that shared it last, as the room calls it.' }),
    entry_count: z.int().meta({
      description: 'Entries that were shared when it was last, and are in the room. Not those that were left out.',
    }),
    created_at: s.utc,
    updated_at: s.utc.meta({ description: 'When it was shared last.' }),
  })
  .meta({ id: 'RoomTopic', description: 'A path of an account that it shared with a room.' });

/** In one step. */
export const MAX_SHARED_ENTRIES = 500;
export const MAX_SHARED_VERSIONS = 2000;
export const MAX_SHARED_BYTES = 8 * 1024 * 1024;
export const MAX_VERSIONS_OF_SHARED = 20;
