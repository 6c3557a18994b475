import { useQuery } from '@tanstack/react-query';
import { useEffect, useReducer, useRef } from 'react';
import type { Output, Request } from './client.ts';
import { useIsOnline } from './online.ts';
import { type LoadPage, PagedList, type RowPage } from './paged-list.ts';
import { ask, type PagedName } from './query.ts';

/**
 * A list that grows while it is scrolled, for `RowList` with its `id` as key. With another question, or once the first cursor
 * is known, it starts again; the rows before stay until the first of the new ones are there.
 */
export function usePagedRows<R, C>(question: string, first: C | undefined, load: LoadPage<R, C>): PagedList<R, C> {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const id = `${question} ${first !== undefined}`;
  const kept = useRef<PagedList<R, C>>(undefined);
  const before = useRef<PagedList<R, C>>(undefined);
  if (kept.current?.id !== id) {
    kept.current?.close();
    if (kept.current?.isPending === false) before.current = kept.current;
    kept.current = new PagedList({ id, first, load, changed: redraw });
  }
  const list = kept.current;
  useEffect(() => {
    list.show(0, 0);
    return () => list.close();
  }, [list]);
  const isOnline = useIsOnline();
  useEffect(() => {
    if (isOnline && list.error !== undefined) list.retry();
  }, [isOnline, list]);
  return list.isPending && before.current ? before.current : list;
}

/** The rows of an operation with pages, asked again when its answers are said to have changed. */
export function useOperationRows<N extends PagedName, R>(
  name: N,
  input: Request<N>,
  pick: (page: Output<N>) => readonly R[],
): PagedList<R, string> {
  const load = async (cursor: string): Promise<RowPage<R, string>> => {
    const page = await ask(name, (cursor === '' ? input : { ...input, cursor }) as Request<N>);
    const { has_more, next_cursor } = page as { has_more: boolean; next_cursor: string | null };
    return { rows: pick(page), next: has_more && next_cursor !== null ? next_cursor : undefined };
  };
  const rows = usePagedRows<R, string>(JSON.stringify([name, input]), '', load);
  // What changes something says so to the cache of answers. The pages are not in there; this stands for them.
  const { dataUpdatedAt: changedAt } = useQuery({
    queryKey: [name, 'rows'],
    queryFn: () => Date.now(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const seen = useRef(changedAt);
  useEffect(() => {
    if (seen.current !== 0 && seen.current !== changedAt) rows.refresh();
    seen.current = changedAt;
  }, [changedAt, rows]);
  return rows;
}
