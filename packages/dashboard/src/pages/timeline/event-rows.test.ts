import { expect, it } from 'vitest';
import type { FeedEvent } from '../../data/events.ts';
import { NOTHING, withFresh } from './event-rows.ts';

const events = (count: number, from = 0) => Array.from({ length: count }, (_, i) => ({ seq: from + i }) as FeedEvent);

it('events that wait for a reader are kept, the newest first', () => {
  const waiting = withFresh(withFresh(NOTHING, events(2)), events(1, 2));
  expect(waiting).toEqual({ count: 3, events: [{ seq: 2 }, { seq: 0 }, { seq: 1 }] });
});

it('so many that the list begins again are only counted', () => {
  let waiting = NOTHING;
  for (let i = 0; i < 100; i++) waiting = withFresh(waiting, events(1_000));
  expect(waiting).toEqual({ count: 100_000, events: [] });
});
