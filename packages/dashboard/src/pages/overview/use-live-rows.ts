import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { type FeedEvent, isBad } from '../../data/events.ts';
import { useOperation } from '../../data/query.ts';
import { useLive } from '../../data/use-live.ts';
import { overview } from '../../texts/overview.ts';

const MOST = 200;
const FIRST = 50;
const ANNOUNCE_MS = 10_000;

type LiveRows = { shown: readonly FeedEvent[]; waiting: readonly FeedEvent[] };
type LiveStep =
  | { type: 'begin'; events: readonly FeedEvent[] }
  | { type: 'add'; events: readonly FeedEvent[]; isHeld: boolean }
  | { type: 'show' };

const newestFirst = (events: readonly FeedEvent[]) => [...events].reverse();

function step(rows: LiveRows, action: LiveStep): LiveRows {
  if (action.type === 'begin') return { shown: newestFirst(action.events).slice(0, MOST), waiting: [] };
  if (action.type === 'show') return { shown: [...rows.waiting, ...rows.shown].slice(0, MOST), waiting: [] };
  const fresh = newestFirst(action.events);
  if (action.isHeld) return { ...rows, waiting: [...fresh, ...rows.waiting].slice(0, MOST) };
  return { shown: [...fresh, ...rows.waiting, ...rows.shown].slice(0, MOST), waiting: [] };
}

/** The newest events, newest first. While the list is held, new ones wait. */
export function useLiveRows(lastSeq: number | undefined) {
  const [first] = useState<{ seq?: number }>({});
  first.seq ??= lastSeq;
  const before = Math.max(0, (first.seq ?? 0) - FIRST);
  const start = useOperation('log.list', { after: before, limit: FIRST }, { enabled: first.seq !== undefined });
  const [rows, dispatch] = useReducer(step, { shown: [], waiting: [] });
  const isHeld = useRef(false);
  const { announcement, count } = useAnnouncement();
  const begun = useRef(false);
  useEffect(() => {
    if (!start.data || begun.current) return;
    begun.current = true;
    dispatch({ type: 'begin', events: start.data.events });
  }, [start.data]);
  useLive((events) => {
    dispatch({ type: 'add', events, isHeld: isHeld.current });
    count(events);
  }, start.data?.last_position);
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
