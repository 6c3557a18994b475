import { useSyncExternalStore } from 'react';
import { queryClient } from './query.ts';

/** What is waited for, and since when: questions by their hash, and promises. */
const begun = new Map<unknown, number>();
const listeners = new Set<() => void>();
const LONG_MS = 1_000;
let isLong = false;
let timer: ReturnType<typeof setTimeout> | undefined;

function look(): void {
  clearTimeout(timer);
  const oldest = Math.min(...begun.values());
  const left = oldest + LONG_MS - performance.now();
  if (left > 0 && Number.isFinite(left)) timer = setTimeout(look, left);
  if (isLong === left <= 0) return;
  isLong = !isLong;
  for (const listener of listeners) listener();
}

function begin(what: unknown): void {
  if (begun.has(what)) return;
  begun.set(what, performance.now());
  if (begun.size === 1) look();
}

function end(what: unknown): void {
  if (begun.delete(what)) look();
}

queryClient.getQueryCache().subscribe(({ type, query }) => {
  if (type === 'removed' || query.state.fetchStatus !== 'fetching') end(query.queryHash);
  else begin(query.queryHash);
});

/** Counts as something that is waited for. */
export function waitFor<T>(promise: Promise<T>): Promise<T> {
  begin(promise);
  return promise.finally(() => end(promise));
}

/** Whether something has been waited for for over a second. */
export const useIsSlow = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    () => isLong,
  );
