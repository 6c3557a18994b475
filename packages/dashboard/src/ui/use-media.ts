import { useSyncExternalStore } from 'react';

/** Whether a media query holds. Styles decide about looks; this is for what is not rendered at all. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}

/** One pane at a time, and rows of two lines. */
export const useIsPhone = (): boolean => useMedia('(max-width: 799px)');
