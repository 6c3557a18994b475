import { type ReactNode, useDeferredValue, useMemo } from 'react';
import type { Output } from '../data/client.ts';
import { useOperation } from '../data/query.ts';
import { hrefOf } from '../router/address.ts';
import { navigate } from '../router/router.tsx';
import type { ui } from '../texts/ui.ts';
import { EntryName } from '../ui/marks.tsx';
import { allCommands } from './commands.ts';
import { useShownPages } from './use-pages.ts';

export type PaletteOption = {
  id: string;
  group: keyof typeof ui.palette.groups;
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

/** What the service finds for the query: entries, paths, agents, traces, branches and pull requests. */
export function useFound(query: string): { options: PaletteOption[]; isSearching: boolean } {
  const text = useDeferredValue(query.trim());
  const enabled = text.length >= MIN_CHARACTERS;
  const shown = useShownPages();
  const has = (page: string) => enabled && shown.some(({ id }) => id === page);
  const search = useOperation('entries.search', { query: text, limit: MOST }, { enabled });
  const paths = useOperation('entities.list', { from_path: text, limit: MOST }, { enabled: enabled && isPath(text) });
  const agents = useOperation('agents.list', { limit: 1000 }, { enabled });
  const tasks = useOperation('traces.list', { query: text, limit: MOST }, { enabled: has('traces') });
  const results = useOperation('traces.list', { outcome_ref: text, limit: MOST }, { enabled: has('traces') });
  const branches = useOperation('branches.list', { limit: 200 }, { enabled: has('branches') });
  const pulls = useOperation('pull_requests.list', { limit: 200 }, { enabled: has('pulls') });
  const options = useMemo(() => {
    if (!enabled) return [];
    return [
      ...entryOptions(search.data?.entries ?? [], text),
      ...(paths.data?.entities ?? [])
        .filter(({ entity_path }) => entity_path.startsWith(text))
        .map(({ entity_path: path }) => option('paths', path, { href: hrefOf('memory', path), isCode: true })),
      ...(agents.data?.agents ?? [])
        .filter(({ agent_id }) => matches(text, agent_id))
        .slice(0, MOST)
        .map(({ agent_id: agent, description }) =>
          option('agents', agent, { href: hrefOf('agents', agent), note: description }),
        ),
      ...[...new Map([...tracesOf(results.data), ...tracesOf(tasks.data)].map((trace) => [trace.trace_id, trace]))]
        .slice(0, MOST)
        .map(([id, { task_input, outcome_ref }]) =>
          option('traces', task_input || outcome_ref || id, { href: hrefOf('traces', id), id, note: outcome_ref }),
        ),
      ...(branches.data?.branches ?? [])
        .filter(({ name }) => matches(text, name))
        .slice(0, MOST)
        .map(({ name, description }) =>
          option('branches', name, { href: hrefOf('branches', name), note: description, isCode: true }),
        ),
      ...(pulls.data?.pull_requests ?? [])
        .filter(({ title }) => matches(text, title))
        .slice(0, MOST)
        .map(({ id, title, status }) => option('pulls', title, { href: hrefOf('pulls', id), id, note: status })),
    ];
  }, [enabled, text, search.data, paths.data, agents.data, tasks.data, results.data, branches.data, pulls.data]);
  return { options, isSearching: enabled && search.isFetching };
}

const isPath = (text: string): boolean => /^[^\s*]+$/.test(text) && !text.startsWith('/');
const tracesOf = (data: Output<'traces.list'> | undefined) => data?.traces ?? [];

/** What is called like the query comes before what only contains it. */
function entryOptions(hits: Output<'entries.search'>['entries'], text: string): PaletteOption[] {
  const isNamed = ({ key }: { key: string }) => matches(text, key);
  return [...hits.filter(isNamed), ...hits.filter((hit) => !isNamed(hit))].map(({ entity_path, key }) => ({
    id: `entry-${entity_path}/${key}`,
    group: 'entries',
    label: <EntryName path={entity_path} name={key} />,
    run: () => navigate(hrefOf('memory', entity_path, { key })),
  }));
}

type OptionMore = { href: string; id?: string; note?: string | null; isCode?: true };

function option(
  group: PaletteOption['group'],
  label: string,
  { href, id = label, note, isCode }: OptionMore,
): PaletteOption {
  return {
    id: `${group}-${id}`,
    group,
    label: isCode ? <span className="mono small">{label}</span> : label,
    ...(note ? { note } : {}),
    run: () => navigate(href),
  };
}
