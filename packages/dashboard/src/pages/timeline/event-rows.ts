import { useCallback, useEffect, useRef, useState } from 'react';
import type { FeedEvent } from '../../data/events.ts';
import { live } from '../../data/live.ts';
import { MOST_FRESH, type RowPage } from '../../data/paged-list.ts';
import { ask, useOperation } from '../../data/query.ts';
import { useLiveFromNow } from '../../data/use-live.ts';
import { usePagedRows } from '../../data/use-paged-rows.ts';
import { eventOfTimeline, hasFilter, matches, type TimelineFilter } from './event-filter.ts';

/** Where a page of events ends: a place in the log, or a cursor of an agent's timeline. */
type EventCursor = { seq: number } | { agentCursor: string };

const PAGE = 200;
const SCAN = 1000;
/** After so many events without a full page, a person decides. */
const MOST_SCANNED = 20_000;
const ENOUGH = 50;
const TICKLE_MS = 500;

/** The events up to a time, newest first. Those that come while nobody reads the list go before the first. */
export function useEventRows(filter: TimelineFilter, at: string, isHeld: () => boolean) {
  const [round, setRound] = useState(0);
  const [waiting, setWaiting] = useState(NOTHING);
  const question = JSON.stringify([filter, at, round]);
  const { start, newest, beginning } = useStart(at, round, question);
  const first: EventCursor | undefined =
    filter.agent !== '' ? { agentCursor: '' } : start === undefined ? undefined : { seq: start };
  const lookedBack = useRef('');
  const load = async (cursor: EventCursor): Promise<RowPage<FeedEvent, EventCursor>> => {
    const page = 'seq' in cursor ? await loadLog(cursor.seq, filter) : await loadAgent(cursor.agentCursor, filter, at);
    lookedBack.current = page.reached;
    return page;
  };
  const rows = usePagedRows<FeedEvent, EventCursor>(question, first, load);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question has nothing waiting.
  useEffect(() => setWaiting(NOTHING), [question]);
  const begin = useCallback(() => setRound((n) => n + 1), []);

  const take = useCallback(
    (events: readonly FeedEvent[], isTooMany: boolean) => {
      const fresh = events.filter((event) => matches(filter, event)).reverse();
      if (isTooMany) begin();
      else if (isHeld()) setWaiting((before) => withFresh(before, fresh));
      else if (rows.freshCount + fresh.length > MOST_FRESH) begin();
      else if (fresh.length > 0) rows.prepend(fresh);
    },
    [filter, isHeld, rows, begin],
  );
  useNewEvents(at === '' ? newest : undefined, take);
  const show = () => {
    if (rows.freshCount + waiting.count > MOST_FRESH) begin();
    else rows.prepend(waiting.events);
    setWaiting(NOTHING);
  };
  return { rows, waiting: waiting.count, show, lookedBack: lookedBack.current, beginning };
}

/** Events that wait while somebody reads: how many, and those that are kept. */
type WaitingEvents = { count: number; events: readonly FeedEvent[] };
export const NOTHING: WaitingEvents = { count: 0, events: [] };

/** Above the most that a list takes it begins again, so that they need not be kept. */
export function withFresh({ count, events }: WaitingEvents, fresh: readonly FeedEvent[]): WaitingEvents {
  const all = count + fresh.length;
  return { count: all, events: all > MOST_FRESH ? [] : [...fresh, ...events] };
}

/** The place in the log that the list begins at, a box with the newest place that is known, and the question for them. */
function useStart(at: string, round: number, question: string) {
  const newest = useRef<{ question: string; seq: number }>(undefined);
  const isNow = at === '';
  const stats = useOperation('stats.read', {}, { enabled: isNow, keepPrevious: false });
  const later = useOperation('log.list', { since: at, limit: 1 }, { enabled: !isNow, keepPrevious: false });
  const found = later.data?.events[0];
  // The page may have looked only at what this key does not see: then it says how far it came.
  const before = found ? found.seq - 1 : later.data?.last_seq;
  const known = isNow ? stats.data?.last_seq : before;
  // The start of a question stays, although the answer is renewed.
  const kept = useRef<{ id: string; start: number }>(undefined);
  const id = `${at} ${round}`;
  if (known !== undefined && kept.current?.id !== id)
    kept.current = { id, start: isNow ? Math.max(known, newest.current?.seq ?? 0) : known };
  const start = kept.current?.id === id ? kept.current.start : undefined;
  if (start !== undefined && newest.current?.question !== question) newest.current = { question, seq: start };
  return { start, newest, beginning: isNow ? stats : later };
}

type Reached = { reached: string };

/** A page before a place in the log. With filters it looks at more. */
async function loadLog(before: number, filter: TimelineFilter): Promise<RowPage<FeedEvent, EventCursor> & Reached> {
  const step = hasFilter(filter) ? SCAN : PAGE;
  const rows: FeedEvent[] = [];
  let from = before;
  let reached = '';
  while (from > 0 && rows.length < ENOUGH && before - from < MOST_SCANNED) {
    const after = Math.max(0, from - step);
    const events = await eventsBetween(after, from);
    reached = events[0]?.created_at ?? reached;
    rows.push(...events.filter((event) => matches(filter, event)).reverse());
    from = after;
  }
  return { rows, next: from > 0 ? { seq: from } : undefined, pause: rows.length < ENOUGH && from > 0, reached };
}

/** Events after one place and up to another, oldest first. */
async function eventsBetween(after: number, upTo: number): Promise<FeedEvent[]> {
  const found: FeedEvent[] = [];
  let from: number | string = after;
  for (;;) {
    const page: Awaited<ReturnType<typeof ask<'log.list'>>> = await ask('log.list', {
      after: from,
      limit: upTo - after,
    });
    found.push(...page.events.filter(({ seq }) => seq <= upTo));
    if (!page.has_more || page.last_seq >= upTo) return found;
    from = page.last_position;
  }
}

/** A page of one agent's timeline, which the service finds without looking at the events of others. */
async function loadAgent(
  cursor: string,
  filter: TimelineFilter,
  at: string,
): Promise<RowPage<FeedEvent, EventCursor> & Reached> {
  const { agent, type, branch } = filter;
  const page = await ask('agents.timeline', {
    ...{ agent_id: agent, branch: branch || 'main', limit: PAGE },
    ...(type === '' ? {} : { event_type: [type] }),
    ...(at === '' ? {} : { until: at }),
    ...(cursor === '' ? {} : { cursor }),
  });
  const events = page.events.map(eventOfTimeline);
  const rows = events.filter((event) => matches({ ...filter, branch: '' }, event));
  const next = page.has_more && page.next_cursor !== null ? { agentCursor: page.next_cursor } : undefined;
  return { rows, next, pause: rows.length === 0, reached: events.at(-1)?.created_at ?? '' };
}

/** Asks for what came since, when the stream says that something did. */
function useNewEvents(
  newest: { current: { question: string; seq: number } | undefined } | undefined,
  take: (events: readonly FeedEvent[], isTooMany: boolean) => void,
): void {
  const latest = useRef({ newest, take, isAsking: false, last: 0 });
  Object.assign(latest.current, { newest, take });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const pull = useCallback(async () => {
    const state = latest.current;
    const known = state.newest?.current;
    if (!known || state.isAsking || live.status().state === 'paused') return;
    state.isAsking = true;
    try {
      const page = await ask('log.list', { after: known.seq, limit: 1000 });
      if (state.newest?.current !== known) return;
      known.seq = page.last_seq;
      // More than a page at once: the list starts again rather than leave a gap.
      state.take(page.events, page.has_more);
    } catch {
      // The list says what is wrong; the next event asks again.
    } finally {
      state.isAsking = false;
    }
  }, []);
  useLiveFromNow(() => {
    clearTimeout(timer.current);
    const wait = Math.max(0, TICKLE_MS - (Date.now() - latest.current.last));
    timer.current = setTimeout(() => {
      latest.current.last = Date.now();
      void pull();
    }, wait);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}
