import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { FeedEvent } from './events.ts';
import { type LiveStatus, live } from './live.ts';

const NOW = 'now';

/** Calls back with new events, some times a second. `after`: begin there; undefined waits until it is known. */
export function useLive(onEvents: (events: readonly FeedEvent[]) => void, after: string | undefined): void {
  const latest = useRef(onEvents);
  latest.current = onEvents;
  const isReady = after !== undefined;
  const first = useRef(after);
  first.current ??= after;
  useEffect(() => {
    if (!isReady) return;
    const from = first.current === NOW ? undefined : first.current;
    return live.listen((events) => latest.current(events), from);
  }, [isReady]);
}

/** The same for what is committed from now on. */
export const useLiveFromNow = (onEvents: (events: readonly FeedEvent[]) => void): void => useLive(onEvents, NOW);

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(live.watch, live.status);
