import * as z from 'zod';
import { operation } from '../operation.ts';
import * as r from '../room-shapes.ts';
import { author } from '../trace-shapes.ts';

/** Beside the other operations of rooms, but after them: their examples need a room. */
export const roomEnd = {
  'rooms.close': operation({
    summary: 'Close a room',
    description: 'Nobody reads or writes in it any more, from now on, and nobody opens it again. The owner does that.',
    module: 'rooms',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    in_room: 'account',
    ends_access: true,
    http: { method: 'DELETE', path: '/api/v1/rooms/{room_id}' },
    cli: { args: ['room_id'], alias: 'close-room', also: ['room close'] },
    tools: [
      {
        name: 'mem_room_close',
        toolset: 'rooms',
        description: 'Close a room of yours for everyone and for good.',
        fields: ['room_id'],
        destroys: true,
      },
    ],
    input: () => z.strictObject({ room_id: r.roomId, ...author }),
    output: () => z.object({ room_id: r.roomId, closed: z.literal(true) }),
    errors: ['room_not_found', 'module_not_installed'],
    example: () => ({ room_id: 'release-planning-k3x9q2' }),
  }),
};
