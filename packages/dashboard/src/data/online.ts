import { useSyncExternalStore } from 'react';

/** Whether the server answered the last question. */
const listeners = new Set<() => void>();
let isOnline = true;

export function setOnline(next: boolean): void {
  if (next === isOnline) return;
  isOnline = next;
  for (const listener of listeners) listener();
}

export const useIsOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    () => isOnline,
  );
