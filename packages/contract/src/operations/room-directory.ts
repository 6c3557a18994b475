import * as z from 'zod';
import { operation } from '../operation.ts';
import * as r from '../room-shapes.ts';
import * as s from '../shapes.ts';

/** How rooms are found by those who are not in them. */
export const roomDirectory = {
  'room_directory.list': operation({
    summary: 'Find rooms',
    description:
      'Rooms of all accounts whose owners let them be found, in the order of their ids. It shows what a room is about and how many are ' +
      'in it, but neither who they are nor what they write.',
    module: 'rooms',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/room-directory' },
    cli: { args: ['q'], alias: 'find-rooms', also: ['room discover'] },
    tools: [
      {
        name: 'mem_room_discover',
        toolset: 'rooms',
        description: 'Find rooms of other teams to ask for access to, by words of what they are about.',
        fields: ['q'],
        unlisted: ['limit', 'cursor'],
        about: { q: 'Words that all have to be there' },
        limit: 10,
        previews: true,
      },
    ],
    input: () =>
      z.strictObject({
        q: s
          .text(256)
          .optional()
          .meta({
            description:
              'Words of the name, the description or the titles of topics. All of them have to be there; at most 8.',
            examples: ['release'],
          }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ rooms: z.array(r.foundRoom), ...s.page }),
    errors: ['invalid_cursor', 'module_not_installed'],
    example: () => ({ q: 'release' }),
  }),

  'room_directory.read': operation({
    summary: 'Read what the directory shows of a room',
    description: 'A room that its owner does not let others find is answered as one that does not exist.',
    module: 'rooms',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/room-directory/{room_id}' },
    cli: { args: ['room_id'], alias: 'room-details', also: ['room details'] },
    tools: [
      {
        name: 'mem_room_details',
        toolset: 'rooms',
        description: 'What a room that you are not in is about, before you ask for access.',
        fields: ['room_id'],
      },
    ],
    input: () => z.strictObject({ room_id: r.roomId }),
    output: () => r.foundRoom,
    errors: ['room_not_found', 'module_not_installed'],
    example: () => ({ room_id: 'release-planning-k3x9q2' }),
  }),
};
