import type { Output, Request } from '../../data/client.ts';
import { type FeedEvent, MAINTENANCE_TYPES } from '../../data/events.ts';
import { ask } from '../../data/query.ts';

/** So many events are looked for, in steps back through the log that become longer. */
const ENOUGH = 50;
const STEPS: readonly [number, ...number[]] = [100, 1_000, ...Array.from({ length: 10 }, () => 10_000)];
const PAGE = 1000;

export type NewestEvents = { events: readonly FeedEvent[]; up_to: number; last_position: string };

type EventTypes = Pick<Request<'log.list'>, 'types' | 'exclude_types'>;

/** Of one type, or without what the service does by itself. */
const typesOf = (type: string): EventTypes =>
  type === '' ? { exclude_types: [...MAINTENANCE_TYPES] } : { types: [type] };

/** Whether the list of this type shows the event. */
export const isShown = (type: string, { event_type }: FeedEvent): boolean =>
  type === '' ? !MAINTENANCE_TYPES.has(event_type) : event_type === type;

/** The newest events up to a place in the log, and what came since it was known; oldest first. */
export async function askNewest(known: number, type: string): Promise<NewestEvents> {
  const types = typesOf(type);
  const [first, ...others] = STEPS;
  let from = Math.max(0, known - first);
  let { events, last_seq: up_to, last_position } = await eventsAfter(from, types);
  for (const step of others) {
    if (events.length >= ENOUGH || from === 0) break;
    const before = from;
    from = Math.max(0, from - step);
    const earlier = await eventsAfter(from, types, before);
    events = [...earlier.events.filter(({ seq }) => seq <= before), ...events];
  }
  return { events, up_to, last_position };
}

/** All events after a place, up to another or to the end of the log. */
async function eventsAfter(after: number, types: EventTypes, upTo = Number.POSITIVE_INFINITY) {
  const events: FeedEvent[] = [];
  let from: number | string = after;
  for (;;) {
    const page: Output<'log.list'> = await ask('log.list', { after: from, limit: PAGE, ...types });
    events.push(...page.events);
    if (!page.has_more || page.last_seq >= upTo) return { ...page, events };
    from = page.last_position;
  }
}
