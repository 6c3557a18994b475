import { type RefObject, useLayoutEffect, useRef } from 'react';

/** For a line that scrolls sideways where it has no room: what is chosen in it is in view. */
export function useChosenInView<E extends HTMLElement>(value: string): RefObject<E | null> {
  const line = useRef<E>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice may be elsewhere.
  useLayoutEffect(() => {
    const chosen = line.current?.querySelector('[aria-selected="true"], [aria-current="true"]');
    if (!line.current || !chosen) return;
    const [all, one] = [line.current.getBoundingClientRect(), chosen.getBoundingClientRect()];
    line.current.scrollLeft += Math.ceil(Math.max(0, one.right - all.right) + Math.min(0, one.left - all.left));
  }, [value]);
  return line;
}
