import type { Output } from '../../data/client.ts';
import { type FeedEvent, MAINTENANCE_TYPES } from '../../data/events.ts';
import { ask } from '../../data/query.ts';
import { type EventTypes, eventsInput, firstStep, STEPS, typesOf } from './questions.ts';

/** So many events are looked for. */
const ENOUGH = 40;

export type NewestEvents = { events: readonly FeedEvent[]; up_to: number; last_position: string };

/** Whether the list of this type shows the event. */
export const isShown = (type: string, { event_type }: FeedEvent): boolean =>
  type === '' ? !MAINTENANCE_TYPES.has(event_type) : event_type === type;

/** What the list begins with, as a question that is kept while it is shown. `newest`: as far as the log is known by now. */
export const newestQuestion = (seq: number | undefined, type: string, newest = () => 0) => ({
  queryKey: ['log.list', 'newest', seq, type],
  queryFn: () => askNewest(Math.max(seq ?? 0, newest()), type),
});

/** The newest events up to a place in the log, and what came since it was known; oldest first. */
async function askNewest(known: number, type: string): Promise<NewestEvents> {
  const types = typesOf(type);
  const [, ...others] = STEPS;
  let from = firstStep(known);
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
    const page: Output<'log.list'> = await ask('log.list', eventsInput(from, types));
    events.push(...page.events);
    if (!page.has_more || page.last_seq >= upTo) return { ...page, events };
    from = page.last_position;
  }
}
