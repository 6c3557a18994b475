import * as z from 'zod';
import { operation } from '../operation.ts';
import * as r from '../room-shapes.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

const example = { room_id: 'release-planning-k3x9q2' };
const errors = ['room_not_found', 'module_not_installed'] as const;
const { MAX_SHARED_ENTRIES, MAX_SHARED_VERSIONS, MAX_SHARED_BYTES, MAX_VERSIONS_OF_SHARED } = r;

/** What accounts share of their own memory with a room. */
export const roomTopics = {
  'rooms.add_topic': operation({
    summary: 'Share a path with a room',
    description:
      'Copies what every agent of your account may see there into the room, with earlier versions and the times at which they were written, to ' +
      '`@<room_id>/topics/<label>/<path>`. Everyone in the room reads it from then on, also who joins later. It is a copy: what is written, changed or ' +
      'deleted in your account afterwards does not reach the room until it is shared again, which adds what is new. What looks like a credential is left out. ' +
      `At most ${MAX_SHARED_ENTRIES} entries, the newest ${MAX_VERSIONS_OF_SHARED} versions of each, ${MAX_SHARED_VERSIONS} in all, ` +
      `and ${MAX_SHARED_BYTES / 1024 / 1024} MiB at a time.`,
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    cites: true,
    in_room: 'agent',
    http: { method: 'POST', path: '/api/v1/rooms/{room_id}/topics', status: 201 },
    cli: { args: ['room_id', 'entity_path', 'title'], alias: 'share-topic', also: ['room add-topic'] },
    tools: [
      {
        name: 'mem_room_add_topic',
        toolset: 'rooms',
        description:
          'Share a path of your own memory with everyone in a room, with its history. Ask the person you work for first.',
        fields: ['room_id', 'entity_path', 'title'],
        about: { entity_path: 'Your path or a/**, outside rooms', title: 'What it is about' },
      },
    ],
    input: () =>
      z.strictObject({
        room_id: r.roomId,
        // Without a description of its own: whether a key may read there is checked where a field has this schema.
        entity_path: s.pathGlob,
        title: s
          .label(128)
          .optional()
          .meta({
            description: 'What it is about; by default the path. The directory shows it where the room can be found.',
            examples: ['How checkout works'],
          }),
        ...author,
      }),
    output: () =>
      r.roomTopic.extend({
        added_versions: z.int().meta({ description: 'Versions that the room has now and did not have before.' }),
        left_out: z.int().meta({ description: 'Versions that look as if they held a credential.' }),
      }),
    errors: [...errors, 'not_found', 'conflict'],
    example: () => ({ ...example, entity_path: 'checkout/**', title: 'How checkout works' }),
  }),

  'rooms.topics': operation({
    summary: 'List what was shared with a room',
    description: 'In the order in which it was shared first.',
    module: 'rooms',
    effect: 'read',
    cost: 1,
    in_room: 'agent',
    http: { method: 'GET', path: '/api/v1/rooms/{room_id}/topics' },
    cli: { args: ['room_id'], alias: 'room-topics', also: ['room topics'] },
    tools: [
      {
        name: 'mem_room_topics',
        toolset: 'rooms',
        description: 'List the topics that accounts have shared with a room, and where their entries are.',
        fields: ['room_id'],
        unlisted: ['limit', 'cursor'],
        limit: 20,
      },
    ],
    input: () => z.strictObject({ room_id: r.roomId, limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ topics: z.array(r.roomTopic), ...s.page }),
    errors: [...errors, 'invalid_cursor'],
    example: () => example,
  }),

  'rooms.remove_topic': operation({
    summary: 'Remove a topic from a room',
    description:
      'From the list and the directory; its entries stay until they are deleted. The account that shared it does that, or the owner of the room.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    in_room: 'agent',
    removes: 'rooms.add_topic',
    http: { method: 'DELETE', path: '/api/v1/rooms/{room_id}/topics/{topic_id}' },
    cli: { args: ['room_id', 'topic_id'], alias: 'remove-topic', also: ['room remove-topic'] },
    tools: [
      {
        name: 'mem_room_remove_topic',
        toolset: 'rooms',
        description: 'Remove a topic that your account shared from the list of a room. Its entries stay.',
        fields: ['room_id', 'topic_id'],
        miss: 'mem_room_topics',
      },
    ],
    input: () => z.strictObject({ room_id: r.roomId, topic_id: r.topicId, ...author }),
    output: () => z.object({ topic_id: r.topicId, room_id: r.roomId, removed: z.literal(true) }),
    errors: [...errors, 'not_found'],
    example: () => ({ ...example, topic_id: '01k9z3v8m6t2q4x7n5b1c0d9ef' }),
  }),
};
