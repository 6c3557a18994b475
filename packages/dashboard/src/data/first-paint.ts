import { useEffect, useSyncExternalStore } from 'react';
import { idle } from './idle.ts';

/** Whether the first page has been drawn: what it can do without is asked for and drawn afterwards. */
const listeners = new Set<() => void>();
let isOver = false;

function end(): void {
  isOver = true;
  for (const listener of listeners) listener();
}

/** What a person does first is answered before anything that can wait. */
const REST_MS = 100;

/** Ends it once the browser has painted what is rendered now, and has time left. */
export function useEndOfFirstPaint(): void {
  useEffect(() => {
    const rest = setTimeout(() => void idle().then(end), REST_MS);
    return () => clearTimeout(rest);
  }, []);
}

/** Whether something may be asked: at once, or once the first page is drawn. */
export const useIsDue = (isLater: boolean): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    () => isOver || !isLater,
  );
