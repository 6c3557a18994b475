import { useEffect, useReducer, useRef } from 'react';
import { useIsOnline } from './online.ts';
import { type LoadPage, PagedList } from './paged-list.ts';

/**
 * A list that grows while it is scrolled, for `RowList`. With another question, or once the first cursor is known, it starts
 * again.
 */
export function usePagedRows<R, C>(question: string, first: C | undefined, load: LoadPage<R, C>): PagedList<R, C> {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const id = `${question} ${first !== undefined}`;
  const kept = useRef<{ id: string; list: PagedList<R, C> }>(undefined);
  if (kept.current?.id !== id) {
    kept.current?.list.close();
    kept.current = { id, list: new PagedList(first, load, redraw) };
  }
  const { list } = kept.current;
  useEffect(() => {
    list.show(0, 0);
    return () => list.close();
  }, [list]);
  const isOnline = useIsOnline();
  useEffect(() => {
    if (isOnline && list.error !== undefined) list.retry();
  }, [isOnline, list]);
  return list;
}
