import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { client, type Output, type Request } from './client.ts';
import type { PagedName } from './query.ts';

/** A page as it is known: where it begins, and how many rows it has once it was there. */
type KnownPage = { cursor: string | undefined; count?: number };

export type CursorRows<R> = {
  /** Changes with the question, once its first rows are there: a key for the list that shows them. */
  id: string;
  /** The rows that are known; one more while there is a next page. */
  count: number;
  isComplete: boolean;
  isPending: boolean;
  error: unknown;
  /** Undefined while its page is on its way. */
  row: (index: number) => R | undefined;
  /** Says which rows are in view. */
  onRange: (first: number, last: number) => void;
  /** Asks for the rows in view again. */
  refetch: () => void;
};

/** So many rows before the end the next page is asked for. */
const AHEAD = 40;
/** Pages out of view are dropped soon and asked for again by their cursor, so that a long list does not fill the tab. */
const KEEP_MS = 10_000;

/**
 * The rows of an operation with pages, for a `RowList` of any length: pages are asked for as they come into view, and only
 * their cursors are kept. `pick` is declared outside of the component.
 */
export function useCursorRows<N extends PagedName, R>(
  name: N,
  input: Request<N>,
  pick: (page: Output<N>) => readonly R[],
): CursorRows<R> {
  const id = JSON.stringify([name, input]);
  const [chain, setChain] = useState({ id, pages: [{ cursor: undefined }] as KnownPage[] });
  const [range, setRange] = useState({ id, first: 0, last: 0 });
  const pages: readonly KnownPage[] = chain.id === id ? chain.pages : [{ cursor: undefined }];
  const inView = range.id === id ? range : { first: 0, last: 0 };
  const starts = useMemo(() => startsOf(pages), [pages]);
  const from = pageAt(starts, Math.max(0, inView.first - AHEAD));
  const to = pageAt(starts, inView.last + AHEAD);
  const shown = pages.slice(from, to + 1);
  const results = useQueries({
    queries: shown.map(({ cursor }) => ({
      queryKey: [name, 'rows', input, cursor],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client().call(name, (cursor === undefined ? input : { ...input, cursor }) as Request<N>, { signal }),
      gcTime: KEEP_MS,
    })),
  });
  const answers = results.map(({ data }) => data);
  const stamp = results.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of answers is new each time; the stamp says when one is.
  useEffect(() => {
    setChain((before) => {
      const known = before.id === id ? before.pages : [{ cursor: undefined }];
      const next = answers.reduce<readonly KnownPage[]>(
        (all, page, i) => (page === undefined ? all : learnt(all, from + i, endOf(page, pick))),
        known,
      );
      return next === known && before.id === id ? before : { id, pages: [...next] };
    });
  }, [id, from, stamp]);

  const isPending = results[0]?.data === undefined && from === 0 && pages[0]?.count === undefined;
  const error = results.find((result) => result.error)?.error;
  const row = (index: number): R | undefined => {
    const page = pageAt(starts, index);
    const answer = answers[page - from];
    return answer === undefined ? undefined : pick(answer)[index - (starts[page] ?? 0)];
  };
  const isComplete = pages.every(({ count }) => count !== undefined);
  const current = { id, count: (starts.at(-1) ?? 0) + (pages.at(-1)?.count ?? 1), isComplete, row };
  // The rows before stay until the first of the new ones are there.
  const before = useRef(current);
  const isHeld = isPending && error === undefined && before.current.id !== id;
  useEffect(() => {
    if (!isPending) before.current = current;
  });
  const queries = useQueryClient();
  const onRange = useCallback((first: number, last: number) => setRange({ id, first, last }), [id]);
  const refetch = useCallback(() => void queries.invalidateQueries({ queryKey: [name, 'rows'] }), [queries, name]);
  return { ...(isHeld ? before.current : current), isPending: isPending && !isHeld, error, onRange, refetch };
}

/** The index of the first row of each page. */
function startsOf(pages: readonly KnownPage[]): number[] {
  let at = 0;
  return pages.map(({ count = 0 }) => {
    const start = at;
    at += count;
    return start;
  });
}

/** The page that has this row: the last one that begins at or before it. */
function pageAt(starts: readonly number[], row: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

type PageEnd = { count: number; next: string | undefined };

function endOf<N extends PagedName>(answer: Output<N>, pick: (page: Output<N>) => readonly unknown[]): PageEnd {
  const { has_more, next_cursor } = answer as { has_more: boolean; next_cursor: string | null };
  return { count: pick(answer).length, next: has_more && next_cursor !== null ? next_cursor : undefined };
}

/** Where a page ends elsewhere than before, those after it are no longer known. */
function learnt(pages: readonly KnownPage[], index: number, { count, next }: PageEnd): readonly KnownPage[] {
  const page = pages[index];
  const following = pages[index + 1];
  if (page === undefined || (page.count === count && following?.cursor === next)) return pages;
  const after = next === undefined ? [] : following?.cursor === next ? pages.slice(index + 1) : [{ cursor: next }];
  return [...pages.slice(0, index), { cursor: page.cursor, count }, ...after];
}
