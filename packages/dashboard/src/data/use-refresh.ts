import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { OperationName } from './client.ts';
import type { FeedEvent } from './events.ts';
import { live } from './live.ts';

const AT_MOST_EVERY_MS = 5_000;

/** Asks these operations again when something has happened, a few seconds apart. `concerns`: only for such events. */
export function useRefreshOnEvents(
  names: readonly OperationName[],
  concerns: (event: FeedEvent) => boolean = () => true,
): void {
  const queries = useQueryClient();
  const latest = useRef(concerns);
  latest.current = concerns;
  const text = names.join();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = live.listen((events) => {
      if (timer !== undefined || !events.some((event) => latest.current(event))) return;
      timer = setTimeout(() => {
        timer = undefined;
        for (const name of text.split(',')) void queries.invalidateQueries({ queryKey: [name] });
      }, AT_MOST_EVERY_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [queries, text]);
}
