import { useSyncExternalStore } from 'react';

/** The key of this tab. It is never put into an address, a log or a store that outlives the tab. */
const NAME = 'mem.key';
const listeners = new Set<() => void>();
let key = load();
let isRefused = false;

function load(): string {
  try {
    return sessionStorage.getItem(NAME) ?? '';
  } catch {
    // Storage may be blocked; the key then lives until the page is loaded again.
    return '';
  }
}

function save(value: string): void {
  try {
    if (value === '') sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, value);
  } catch {
    // As above.
  }
}

function change(nextKey: string, nextRefused: boolean): void {
  if (nextKey === key && nextRefused === isRefused) return;
  key = nextKey;
  isRefused = nextRefused;
  save(key);
  for (const listener of listeners) listener();
}

export const readKey = (): string => key;
export const setKey = (value: string): void => change(value.trim(), false);
export const dropKey = (): void => change('', false);

/** Differs between keys, and names none. */
export function keyMark(): string {
  let mark = 0x811c9dc5;
  for (const sign of key) mark = Math.imul(mark ^ (sign.codePointAt(0) as number), 0x01000193) >>> 0;
  return mark.toString(36);
}

/** The service answered 401. */
export const refuseKey = (): void => change(key, true);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** Whether the service wants a key, or another one. */
export const useIsRefused = (): boolean => useSyncExternalStore(subscribe, () => isRefused);
export const useKey = (): string => useSyncExternalStore(subscribe, readKey);
