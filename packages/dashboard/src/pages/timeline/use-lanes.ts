import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Output } from '../../data/client.ts';
import { type FeedEvent, MAINTENANCE_TYPES } from '../../data/events.ts';
import { ask, useOperation } from '../../data/query.ts';
import { matches, type TimelineFilter } from './event-filter.ts';
import { type AgentLane, countedLanes, lanesOf } from './lane-layout.ts';
import { type TimeWindow, UNIT_MS } from './time-window.ts';

/** Up to so many events are drawn one by one. */
const MOST_DRAWN = 1500;
const PAGE = 1000;
const MOST_PAGES = 3;
const MOST_AGENTS = 20;
const REFETCH_MS = 5_000;

/** The counts of the window, and its lanes: each event, or where there are too many, how many there were. */
export function useLanes(window: TimeWindow, filter: TimelineFilter, isLive: boolean) {
  const { unit, from, to } = window;
  const { type, agent, path, branch } = filter;
  const span = { since: new Date(from).toISOString(), until: new Date(to).toISOString() };
  const input = {
    ...{ unit, ...span, branch: branch || 'main' },
    ...(type === '' ? {} : { types: [type] }),
    ...(agent === '' ? {} : { agent_id: agent }),
    ...(path === '' ? {} : { entity_path: path }),
  };
  const refetch = isLive ? { refetchMs: REFETCH_MS } : {};
  const asked = useOperation('series.read', input, refetch);
  const data = useMemo(() => asked.data && shownOf(asked.data, type), [asked.data, type]);
  const series = { ...asked, data };
  const types = useMemo(() => typesOf(asked.data), [asked.data]);
  const total = totalOf(data);
  // All of them are loaded, also those that are not shown.
  const isDrawn = (totalOf(asked.data) ?? MOST_DRAWN + 1) <= MOST_DRAWN;
  const events = useWindowEvents(span, { enabled: isDrawn, isLive });
  const counted = useCounted(window, input, total !== undefined && !isDrawn);
  const drawn = useMemo(
    () => lanesOf(events.data?.filter((event) => matches(filter, event)) ?? [], window),
    [events.data, filter, window],
  );
  const lanes: readonly AgentLane[] = isDrawn ? drawn : counted;
  return { input, series, types, total, lanes, isDrawn: isDrawn || total === undefined };
}

type Series = Output<'series.read'>;

const typesOf = (series: Series | undefined): string[] =>
  [...new Set(series?.points.flatMap(({ counts }) => Object.keys(counts)))].sort();

const totalOf = (series: Series | undefined): number | undefined =>
  series?.points.reduce((sum, { total }) => sum + total, 0);

/** Without what the service does by itself, unless its type was chosen. */
function shownOf(series: Series, type: string): Series {
  if (type !== '') return series;
  const points = series.points.map((point) => {
    const shown = Object.entries(point.counts).filter(([name]) => !MAINTENANCE_TYPES.has(name));
    return { ...point, counts: Object.fromEntries(shown), total: shown.reduce((sum, [, count]) => sum + count, 0) };
  });
  return { ...series, points };
}

type WindowSpan = { since: string; until: string };

/** All events of the window, of all branches. */
function useWindowEvents({ since, until }: WindowSpan, { enabled, isLive }: { enabled: boolean; isLive: boolean }) {
  return useQuery<FeedEvent[], unknown>({
    queryKey: ['timeline', since, until],
    queryFn: async () => {
      const found: FeedEvent[] = [];
      let after: string | number = 0;
      for (let page = 0; page < MOST_PAGES; page++) {
        const answer: Output<'log.list'> = await ask('log.list', { since, after, limit: PAGE });
        found.push(...answer.events.filter(({ created_at }) => created_at < until));
        if (!answer.has_more || (answer.events.at(-1)?.created_at ?? '') >= until) break;
        after = answer.last_position;
      }
      return found;
    },
    enabled,
    placeholderData: keepPreviousData,
    ...(isLive ? { refetchInterval: REFETCH_MS } : {}),
  });
}

/** How many events the agents had that were active last. */
function useCounted(
  window: TimeWindow,
  input: Parameters<typeof ask<'series.read'>>[1],
  enabled: boolean,
): AgentLane[] {
  const agents = useOperation('agents.list', { limit: 1000 }, { enabled });
  const names = useMemo(() => {
    const active = agents.data?.agents.filter(({ last_active }) => Date.parse(last_active ?? '') >= window.from) ?? [];
    const sorted = [...active].sort((a, b) => Date.parse(b.last_active ?? '') - Date.parse(a.last_active ?? ''));
    return input.agent_id === undefined
      ? sorted.slice(0, MOST_AGENTS).map(({ agent_id }) => agent_id)
      : [input.agent_id];
  }, [agents.data, window, input.agent_id]);
  const answers = useQueries({
    queries: (enabled ? names : []).map((agent_id) => ({
      queryKey: ['series.read', { ...input, agent_id }],
      queryFn: () => ask('series.read', { ...input, agent_id }),
    })),
  });
  const step = UNIT_MS[window.unit];
  const lanes = answers.flatMap(({ data }, i) => {
    const agent = names[i];
    if (!data || agent === undefined) return [];
    const counts = new Array<number>(window.count).fill(0);
    for (const { at, total } of shownOf(data, input.types?.[0] ?? '').points) {
      const place = Math.round((Date.parse(at) - window.from) / step);
      if (place >= 0 && place < counts.length) counts[place] = total;
    }
    return [{ agent, counts }];
  });
  return countedLanes(lanes.filter(({ counts }) => counts.some((count) => count > 0)));
}
