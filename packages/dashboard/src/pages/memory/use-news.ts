import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { FeedEvent } from '../../data/events.ts';
import { useLiveFromNow } from '../../data/use-live.ts';

const SHOWN_TYPES = new Set(['write', 'delete', 'expire', 'erase', 'commit', 'outcome', 'restore']);
const PAUSE_MS = 1_000;

/** New events: shown at once while nobody reads, else when they are asked for, so that nothing moves under the eye. */
export function useNews({ listPath, branch }: { listPath: string; branch: string }, refresh: () => void) {
  const [waiting, setWaiting] = useState(0);
  const state = useRef({ isTop: true, isHeld: false, timer: undefined as ReturnType<typeof setTimeout> | undefined });
  const queries = useQueryClient();
  const show = useCallback(() => {
    setWaiting(0);
    refresh();
    void queries.invalidateQueries({ queryKey: ['entities.tree'] });
    void queries.invalidateQueries({ queryKey: ['stats.read'] });
  }, [refresh, queries]);
  const concerns = ({ event_type, entity_path, branch: changed }: FeedEvent): boolean =>
    changed === branch &&
    SHOWN_TYPES.has(event_type) &&
    (listPath === '' || entity_path === null || entity_path === listPath || entity_path.startsWith(`${listPath}/`));
  useLiveFromNow((events) => {
    const fresh = events.filter(concerns).length;
    if (fresh === 0) return;
    setWaiting((before) => before + fresh);
    state.current.timer ??= setTimeout(() => {
      state.current.timer = undefined;
      if (state.current.isTop && !state.current.isHeld) show();
    }, PAUSE_MS);
  });
  const setTop = useCallback((isTop: boolean) => {
    state.current.isTop = isTop;
  }, []);
  const hold = (isHeld: boolean) => {
    state.current.isHeld = isHeld;
    if (!isHeld && waiting > 0 && state.current.isTop) show();
  };
  return { waiting, show, setTop, hold };
}
