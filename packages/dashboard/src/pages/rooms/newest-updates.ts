import { type FeedEvent, MAINTENANCE_TYPES } from '../../data/events.ts';
import { ask } from '../../data/query.ts';

const SHOWN = 200;
/** So far back it looks where digests fill the log. */
const MOST_PAGES = 5;

/**
 * The newest events of a room of this type, newest first; without one, all but what the service does by itself. The service
 * lists them from a place on, the oldest first.
 */
export const newestUpdates = (room_id: string, type = '') => ({
  queryKey: ['rooms.updates', 'newest', room_id, type],
  queryFn: async (): Promise<readonly FeedEvent[]> => {
    const { last_seq } = await ask('rooms.read', { room_id });
    const found: FeedEvent[] = [];
    let before = last_seq ?? 0;
    for (let page = 0; page < MOST_PAGES && found.length < SHOWN && (page === 0 || before > 0); page++) {
      const after = Math.max(0, before - SHOWN);
      const { events } = await ask('rooms.updates', { room_id, after, limit: SHOWN });
      const isOlder = ({ seq }: FeedEvent) => page === 0 || seq <= before;
      found.push(...events.filter((event) => isOlder(event) && isShown(event, type)).toReversed());
      before = after;
    }
    return found.slice(0, SHOWN);
  },
});

const isShown = ({ event_type }: FeedEvent, type: string): boolean =>
  type === '' ? !MAINTENANCE_TYPES.has(event_type) : event_type === type;
