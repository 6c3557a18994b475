import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { type FeedEvent, isBad } from '../../data/events.ts';
import { useLive } from '../../data/use-live.ts';
import { overview } from '../../texts/overview.ts';
import { isShown, type NewestEvents, newestQuestion } from './newest-events.ts';

const MOST = 100;
const ANNOUNCE_MS = 10_000;

type LiveRows = { shown: readonly FeedEvent[]; waiting: readonly FeedEvent[] };
type LiveStep =
  | { type: 'begin'; newest: NewestEvents; isShown: (event: FeedEvent) => boolean }
  | { type: 'add'; events: readonly FeedEvent[]; isHeld: boolean }
  | { type: 'show' };

const beginWith = (newest: NewestEvents | undefined): LiveRows => ({
  shown: newest ? newestFirst(newest.events).slice(0, MOST) : [],
  waiting: [],
});

const newestFirst = (events: readonly FeedEvent[]) => [...events].reverse();

function step(rows: LiveRows, action: LiveStep): LiveRows {
  if (action.type === 'begin') {
    // What came while they were asked for stays before them.
    const later = rows.shown.filter((event) => event.seq > action.newest.up_to && action.isShown(event));
    return { shown: [...later, ...newestFirst(action.newest.events)].slice(0, MOST), waiting: [] };
  }
  if (action.type === 'show') return { shown: [...rows.waiting, ...rows.shown].slice(0, MOST), waiting: [] };
  // A stream that goes back to a position brings some again.
  const known = new Set([...rows.shown, ...rows.waiting].map(({ position }) => position));
  const fresh = newestFirst(action.events.filter(({ position }) => !known.has(position)));
  if (action.isHeld) return { ...rows, waiting: [...fresh, ...rows.waiting].slice(0, MOST) };
  return { shown: [...fresh, ...rows.waiting, ...rows.shown].slice(0, MOST), waiting: [] };
}

/** The newest events of a type, or of all but maintenance; newest first. While the list is held, new ones wait. */
export function useLiveRows(lastSeq: number | undefined, type: string) {
  const [first] = useState<{ seq?: number }>({});
  first.seq ??= lastSeq;
  // What came since the page was opened is asked for again when another type is chosen.
  const newest = useRef(0);
  const start = useQuery<NewestEvents, unknown>({
    ...newestQuestion(first.seq, type, () => newest.current),
    enabled: first.seq !== undefined,
    staleTime: 0,
    gcTime: 0,
    // It may have been asked for just before.
    refetchOnMount: false,
  });
  const [rows, dispatch] = useReducer(step, start.data, beginWith);
  const isHeld = useRef(false);
  const { announcement, count } = useAnnouncement();
  const begun = useRef(start.data && type);
  useEffect(() => {
    if (!start.data || start.isFetching || begun.current === type) return;
    begun.current = type;
    dispatch({ type: 'begin', newest: start.data, isShown: (event) => isShown(type, event) });
  }, [start.data, start.isFetching, type]);
  // The stream goes on when another type is chosen.
  const position = useRef<string>(undefined);
  position.current ??= start.data?.last_position;
  useLive((all) => {
    newest.current = all.at(-1)?.seq ?? newest.current;
    const events = all.filter((event) => isShown(type, event));
    if (events.length === 0) return;
    dispatch({ type: 'add', events, isHeld: isHeld.current });
    count(events);
  }, position.current);
  const hold = useCallback((held: boolean) => {
    isHeld.current = held;
    if (!held) dispatch({ type: 'show' });
  }, []);
  return { start, ...rows, hold, show: () => dispatch({ type: 'show' }), announcement };
}

/** What a screen reader hears: a sentence every ten seconds at most. */
function useAnnouncement() {
  const [announcement, setAnnouncement] = useState('');
  const seen = useRef({ events: 0, failures: 0 });
  useEffect(() => {
    const timer = setInterval(() => {
      const { events, failures } = seen.current;
      seen.current = { events: 0, failures: 0 };
      if (events > 0) setAnnouncement(overview.live.announce(events, failures));
    }, ANNOUNCE_MS);
    return () => clearInterval(timer);
  }, []);
  const count = useCallback((events: readonly FeedEvent[]) => {
    seen.current.events += events.length;
    seen.current.failures += events.filter(isBad).length;
  }, []);
  return { announcement, count };
}
