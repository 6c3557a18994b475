import { useEffect, useRef, useSyncExternalStore } from 'react';

/** Something a person can do, from the palette or with keys: `p`, `?`, `mod+k`, or one after the other: `g o`. */
export type PageCommand = {
  id: string;
  label: string;
  keys?: string;
  /** Where the sheet of all keys lists it. */
  group?: 'go' | 'page' | 'any';
  /** Has keys, but is no line of the palette. */
  unlisted?: true;
  run: () => void;
};

const registered = new Set<{ current: readonly PageCommand[] }>();
const CHORD_MS = 1_500;
const SETTING = 'mem.keys';

/** Offers commands while the component is shown. Later ones win where keys are the same. */
export function useCommands(commands: readonly PageCommand[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    registered.add(latest);
    return () => {
      registered.delete(latest);
    };
  }, []);
}

/** The newest first. */
export const allCommands = (): PageCommand[] => [...registered].reverse().flatMap(({ current }) => current);

const listeners = new Set<() => void>();
const readSetting = (): boolean => localStorage.getItem(SETTING) !== 'off';

/** Whether keys without Ctrl or Cmd do something. */
export function useSingleKeys(): [boolean, (on: boolean) => void] {
  const isOn = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, readSetting);
  const set = (on: boolean) => {
    localStorage.setItem(SETTING, on ? 'on' : 'off');
    for (const listener of listeners) listener();
  };
  return [isOn, set];
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Runs commands by their keys. One for the whole page. */
export function useKeyboard(): void {
  useEffect(() => {
    let prefix = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.altKey) return;
      // The browser closes an open menu with it, and nothing behind the menu.
      if (event.key === 'Escape' && document.querySelector('[popover="auto"]:popover-open')) return;
      const isMod = event.ctrlKey || event.metaKey;
      const name = isMod ? `mod+${event.key.toLowerCase()}` : event.key;
      if (!isMod && (isField(event.target) || !readSetting() || document.querySelector('dialog[open]'))) return;
      const keys = prefix === '' ? name : `${prefix} ${name}`;
      prefix = '';
      clearTimeout(timer);
      const commands = allCommands();
      const found =
        commands.find((command) => command.keys === keys) ?? commands.find((command) => command.keys === name);
      if (found) {
        event.preventDefault();
        found.run();
      } else if (commands.some((command) => command.keys?.startsWith(`${name} `))) {
        prefix = name;
        timer = setTimeout(() => {
          prefix = '';
        }, CHORD_MS);
      }
    };
    addEventListener('keydown', onKeyDown);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', onKeyDown);
    };
  }, []);
}
