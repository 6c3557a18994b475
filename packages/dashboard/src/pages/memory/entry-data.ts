import { infiniteQueryOptions, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { client, isMemError, type Output } from '../../data/client.ts';
import type { FeedEvent } from '../../data/events.ts';
import { parseExactly } from '../../data/exact-json.ts';
import { onBranch, roomOf, type ShownAddress } from './memory-address.ts';

export type History = Output<'entries.history'>;
export type PastVersion = History['versions'][number];
export type Story = Output<'entries.confidence'>;
export type ChartStep = Story['steps'][number];

const VERSIONS = 20;
/** A history that was asked for just now is not asked for again. */
const FRESH_MS = 10_000;

/** The entry as a call names it. */
export const callOf = ({ entity_path, key, branch }: ShownAddress) => ({ entity_path, key, ...onBranch(branch) });

/** Its versions, newest first. Looking at them does not count as a read. Numbers stay as they were written. */
function historyQuestion(entry: ShownAddress) {
  const input = { ...callOf(entry), limit: VERSIONS };
  return infiniteQueryOptions({
    queryKey: ['entries.history', input],
    queryFn: async ({ signal, pageParam }) => {
      const asked = pageParam === '' ? input : { ...input, cursor: pageParam };
      return parseExactly<History>(await client().callText('entries.history', asked, { signal }));
    },
    initialPageParam: '',
    getNextPageParam: ({ has_more, next_cursor }) => (has_more && next_cursor !== null ? next_cursor : undefined),
  });
}

export const useHistory = (entry: ShownAddress) => useInfiniteQuery(historyQuestion(entry));

/** The same for who begins to look: nobody may have listened to its events before. */
export const useHistoryOfNow = (entry: ShownAddress) => useInfiniteQuery({ ...historyQuestion(entry), staleTime: 0 });

/** How its confidence came about. What is deleted or in a room has none: its story is null. */
export function useStory(entry: ShownAddress) {
  const queries = useQueryClient();
  const input = callOf(entry);
  return useQuery<Story | null, unknown>({
    queryKey: ['entries.confidence', input],
    queryFn: async ({ signal }) => {
      if (roomOf(entry.entity_path) !== undefined) return null;
      const { pages } = await queries.fetchInfiniteQuery({ ...historyQuestion(entry), staleTime: FRESH_MS });
      if (pages[0]?.versions[0]?.deleted) return null;
      try {
        return await client().call('entries.confidence', input, { signal });
      } catch (error) {
        // Deleted since its history was asked for.
        if (isMemError(error) && error.status === 404) return null;
        throw error;
      }
    },
  });
}

/** The newest version, asked for now: to compare with what somebody typed. */
export async function newestVersion(entry: ShownAddress): Promise<PastVersion | undefined> {
  const text = await client().callText('entries.history', { ...callOf(entry), limit: 1 });
  return parseExactly<History>(text).versions[0];
}

const OF_ENTRY = [
  'entries.history',
  'entries.confidence',
  'entries.readers',
  'outcomes.list',
  'graph.neighbors',
] as const;

/** Asks again for everything that is shown of an entry, and for the lists it is in. */
export function useEntryChanged(): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(async () => {
    const names = [...OF_ENTRY, 'entries.list', 'entities.tree', 'stats.read'];
    await Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })));
  }, [queries]);
}

const PAUSE_MS = 1_000;

/** Asks again after events that concern the entry, once a second at most. */
export function useEntryRefresh({ entity_path, key, branch }: ShownAddress): (events: readonly FeedEvent[]) => void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (events) => {
    const concerns = events.some(
      (event) =>
        event.branch === branch &&
        (event.event_type === 'outcome' || (event.entity_path === entity_path && event.key === key)),
    );
    if (!concerns) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      for (const name of OF_ENTRY) void queries.invalidateQueries({ queryKey: [name] });
    }, PAUSE_MS);
  };
}

/** The name of an entry in the graph. */
export const nodeOf = ({ entity_path, key }: { entity_path: string; key: string }): string =>
  `${entity_path}/${key.replaceAll('%', '%25').replaceAll('/', '%2F')}`;

/** The entry that a node of the graph names. */
export function entryOfNode(name: string): { entity_path: string; key: string } {
  const at = name.lastIndexOf('/');
  return {
    entity_path: name.slice(0, at),
    key: name
      .slice(at + 1)
      .replaceAll('%2F', '/')
      .replaceAll('%25', '%'),
  };
}
