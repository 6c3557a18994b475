import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { OperationName } from './client.ts';
import type { FeedEvent } from './events.ts';
import { live } from './live.ts';

const AT_MOST_EVERY_MS = 5_000;
const SOON_MS = 500;

const askAgain = (queries: QueryClient, names: string): Promise<unknown> =>
  Promise.all(names.split(',').map((name) => queries.invalidateQueries({ queryKey: [name] })));

/** For a page that is left before it asks again: it asks when it is shown the next time. */
function markOutdated(queries: QueryClient, names: string): void {
  for (const name of names.split(',')) void queries.invalidateQueries({ queryKey: [name], refetchType: 'none' });
}

/** Asks these operations again when something has happened, a few seconds apart. `concerns`: only for such events. */
export function useRefreshOnEvents(
  names: readonly OperationName[],
  concerns: (event: FeedEvent) => boolean = () => true,
  everyMs = AT_MOST_EVERY_MS,
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
        void askAgain(queries, text);
      }, everyMs);
    });
    return () => {
      clearTimeout(timer);
      stop();
      if (timer !== undefined) markOutdated(queries, text);
    };
  }, [queries, text, everyMs]);
}

/** Asks these operations again as soon as an event of these types has happened on any branch. */
export const useBranchRefresh = (types: ReadonlySet<string>, names: readonly OperationName[]): void =>
  useRefreshOnEvents(names, ({ event_type }) => types.has(event_type), SOON_MS);

/** Asks these operations again at once when something has happened, and then so long after their answers at the earliest. */
export function useRefreshAtOnce(names: readonly OperationName[], pauseMs: number): void {
  const queries = useQueryClient();
  const text = names.join();
  useEffect(() => {
    let isOver = false;
    let isResting = false;
    let isDue = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = async () => {
      isDue = false;
      isResting = true;
      await askAgain(queries, text);
      if (isOver) return;
      timer = setTimeout(() => {
        isResting = false;
        if (isDue) void refresh();
      }, pauseMs);
    };
    const stop = live.listen(() => {
      isDue = true;
      if (!isResting) void refresh();
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
      if (isDue) markOutdated(queries, text);
    };
  }, [queries, text, pauseMs]);
}
