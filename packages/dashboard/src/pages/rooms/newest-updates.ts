import type { FeedEvent } from '../../data/events.ts';
import { ask } from '../../data/query.ts';

const SHOWN = 200;

/** The newest events of a room, newest first. The service lists them from a place on, the oldest first. */
export const newestUpdates = (room_id: string) => ({
  queryKey: ['rooms.updates', 'newest', room_id],
  queryFn: async (): Promise<readonly FeedEvent[]> => {
    const { last_seq } = await ask('rooms.read', { room_id });
    const after = Math.max(0, (last_seq ?? 0) - SHOWN);
    const { events } = await ask('rooms.updates', { room_id, after, limit: SHOWN });
    return events.toReversed();
  },
});
