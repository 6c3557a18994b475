import { useSyncExternalStore } from 'react';

/** Whether the tour is running. Any page may start it; the shell shows it. */
const listeners = new Set<() => void>();
let isRunning = false;

function set(next: boolean): void {
  isRunning = next;
  for (const listener of listeners) listener();
}

export const startTour = (): void => set(true);
export const endTour = (): void => set(false);

export const useIsTouring = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    () => isRunning,
  );
