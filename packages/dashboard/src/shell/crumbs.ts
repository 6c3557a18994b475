import { useEffect, useSyncExternalStore } from 'react';
import { withMarks } from '../shown-text/direction.ts';
import { shell } from '../texts/shell.ts';

export type Crumb = { label: string; href?: string /** The page has a way back of its own. */; hasBack?: true };

const listeners = new Set<() => void>();
let crumbs: readonly Crumb[] = [];

/** Names where the page is, in the top bar and in the title of the tab. The last one is the page itself. */
export function useCrumbs(next: readonly Crumb[]): void {
  const text = JSON.stringify(next);
  useEffect(() => {
    crumbs = JSON.parse(text);
    document.title = withMarks([crumbs.at(-1)?.label, shell.product].filter(Boolean).join(' · '));
    for (const listener of listeners) listener();
  }, [text]);
}

export const shownCrumbs = (): readonly Crumb[] => crumbs;

export const useShownCrumbs = (): readonly Crumb[] =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, shownCrumbs);
