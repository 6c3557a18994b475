import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { FeedEvent } from './events.ts';
import { type LiveStatus, live } from './live.ts';

/** What is committed from now on. */
export const FROM_NOW = 'now';

/** Calls back with the events of each frame. `after`: begin there, or `FROM_NOW`; undefined waits until it is known. */
export function useLive(onEvents: (events: readonly FeedEvent[]) => void, after: string | undefined): void {
  const latest = useRef(onEvents);
  latest.current = onEvents;
  const isReady = after !== undefined;
  const first = useRef(after);
  first.current ??= after;
  useEffect(() => {
    if (!isReady) return;
    const from = first.current === FROM_NOW ? undefined : first.current;
    return live.listen((events) => latest.current(events), from);
  }, [isReady]);
}

/** The same for what is committed from now on: to ask again for what is shown. */
export function useLiveFromNow(onEvents: (events: readonly FeedEvent[]) => void): void {
  const latest = useRef(onEvents);
  latest.current = onEvents;
  useEffect(() => live.listen((events) => latest.current(events)), []);
}

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(live.watch, live.status);
