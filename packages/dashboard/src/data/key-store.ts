import { useSyncExternalStore } from 'react';
import { loadKey, saveKey } from './stored-key.ts';

const listeners = new Set<() => void>();
let key = loadKey();
let isRefused = false;

function change(nextKey: string, nextRefused: boolean): void {
  if (nextKey === key && nextRefused === isRefused) return;
  key = nextKey;
  isRefused = nextRefused;
  saveKey(key);
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
