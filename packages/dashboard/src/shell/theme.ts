import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';

const SETTING = 'mem.theme';
const listeners = new Set<() => void>();
const system = matchMedia('(prefers-color-scheme: dark)');

const chosen = (): Theme | undefined => {
  const theme = localStorage.getItem(SETTING);
  return theme === 'light' || theme === 'dark' ? theme : undefined;
};

/** That of the system until one is chosen. */
export const theme = (): Theme => chosen() ?? (system.matches ? 'dark' : 'light');

function apply(): void {
  document.documentElement.dataset.theme = theme();
  for (const listener of listeners) listener();
}

export function setTheme(next: Theme): void {
  localStorage.setItem(SETTING, next);
  apply();
}

export const switchTheme = (): void => setTheme(theme() === 'dark' ? 'light' : 'dark');

system.addEventListener('change', apply);

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, theme);
