import { useCallback, useRef, useState } from 'react';
import type { Output, Request } from '../../data/client.ts';
import type { FeedEvent } from '../../data/events.ts';
import { ask } from '../../data/query.ts';
import { useLiveFromNow } from '../../data/use-live.ts';
import { usePagedRows } from '../../data/use-paged-rows.ts';

export type ListedTrace = Output<'traces.list'>['traces'][number];
export type TraceFilters = Omit<Request<'traces.list'>, 'limit' | 'cursor' | 'offset'>;

/** Rows carry all but values; more than these would be slow to bring. */
const PAGE = 50;
const MOST_FRESH_TRACES = 500;

/** The traces that match, newest first; those that come while nobody reads the list go before the first. */
export function useTraceRows(filters: TraceFilters, isHeld: () => boolean) {
  const [round, setRound] = useState(0);
  const [waiting, setWaiting] = useState(0);
  const newest = useRef(0);
  const load = async (cursor: string) => {
    const page = await ask('traces.list', { ...filters, limit: PAGE, ...(cursor === '' ? {} : { cursor }) });
    if (cursor === '') newest.current = page.traces[0]?.seq ?? 0;
    return { rows: page.traces, next: page.has_more ? (page.next_cursor ?? undefined) : undefined };
  };
  const rows = usePagedRows<ListedTrace, string>(`${JSON.stringify(filters)} ${round}`, '', load);

  const isAsking = useRef(false);
  const show = useCallback(async () => {
    if (isAsking.current) return;
    isAsking.current = true;
    try {
      const { traces } = await ask('traces.list', { ...filters, limit: PAGE });
      const fresh = traces.filter(({ seq }) => seq > newest.current);
      newest.current = fresh[0]?.seq ?? newest.current;
      setWaiting(0);
      // More than a page came: start again rather than leave a gap. So too where the list has become very long.
      if (fresh.length === PAGE || rows.freshCount > MOST_FRESH_TRACES) setRound((n) => n + 1);
      else if (fresh.length > 0) rows.prepend(fresh);
    } catch {
      // The next event asks again, and the list itself says what is wrong.
    } finally {
      isAsking.current = false;
    }
  }, [filters, rows]);
  useLiveFromNow((events) => {
    const count = events.filter((event) => isTraceOf(event, filters)).length;
    if (count === 0) return;
    if (isHeld()) setWaiting((n) => n + count);
    else void show();
  });
  return { rows, waiting, show };
}

/** Whether an event sealed a trace that may match; the list itself decides. */
export const isTraceOf = ({ event_type, branch, details, agent_id }: FeedEvent, filters: TraceFilters): boolean =>
  branch === (filters.branch ?? 'main') &&
  (event_type === 'trace' || (event_type === 'outcome' && typeof details.trace_id === 'string')) &&
  (filters.agent_id === undefined || filters.agent_id === agent_id);
