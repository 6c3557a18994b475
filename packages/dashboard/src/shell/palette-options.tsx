import { type ReactNode, useDeferredValue, useMemo } from 'react';
import { useOperation } from '../data/query.ts';
import { hrefOf } from '../router/address.ts';
import { navigate } from '../router/router.tsx';
import { EntryName } from '../ui/marks.tsx';
import { allCommands } from './commands.ts';

export type PaletteOption = {
  id: string;
  group: 'go' | 'entries' | 'agents' | 'do';
  label: ReactNode;
  note?: string;
  keys?: string;
  run: () => void;
};

/** Every word of the query begins a word of the text. */
export function matches(query: string, text: string): boolean {
  const words = text.toLowerCase().split(/[\s/_-]+/);
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((part) => words.some((word) => word.startsWith(part)));
}

export function commandOptions(query: string): PaletteOption[] {
  return allCommands()
    .filter(({ unlisted, label }) => !unlisted && matches(query, label))
    .map(({ id, label, keys, group, run }) => {
      const shown = { id, label, run, group: group === 'go' ? ('go' as const) : ('do' as const) };
      return keys === undefined ? shown : { ...shown, keys };
    });
}

const MIN_CHARACTERS = 2;
const MOST = 6;

/** Entries and agents that the service finds for the query. */
export function useFound(query: string): { options: PaletteOption[]; isSearching: boolean } {
  const text = useDeferredValue(query.trim());
  const enabled = text.length >= MIN_CHARACTERS;
  const search = useOperation('entries.search', { query: text, limit: MOST }, { enabled });
  const agents = useOperation('agents.list', { limit: 1000 }, { enabled });
  const options = useMemo(() => {
    if (!enabled) return [];
    // What is called like the query comes before what only contains it.
    const hits = search.data?.entries ?? [];
    const isNamed = ({ key }: { key: string }) => matches(text, key);
    const entries = [...hits.filter(isNamed), ...hits.filter((hit) => !isNamed(hit))].map(
      ({ entity_path, key }): PaletteOption => ({
        id: `entry-${entity_path}/${key}`,
        group: 'entries',
        label: <EntryName path={entity_path} name={key} />,
        run: () => navigate(hrefOf('memory', entity_path, { key })),
      }),
    );
    const named = (agents.data?.agents ?? [])
      .filter(({ agent_id }) => matches(text, agent_id))
      .slice(0, MOST)
      .map(
        ({ agent_id, description }): PaletteOption => ({
          id: `agent-${agent_id}`,
          group: 'agents',
          label: agent_id,
          ...(description === null ? {} : { note: description }),
          run: () => navigate(hrefOf('agents', agent_id)),
        }),
      );
    return [...entries, ...named];
  }, [enabled, text, search.data, agents.data]);
  return { options, isSearching: enabled && search.isFetching };
}
