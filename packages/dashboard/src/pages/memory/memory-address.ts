import { useMemo } from 'react';
import { hrefOf, type SearchValues } from '../../router/address.ts';
import { flagParameter, textParameter, useAddress, useSearch } from '../../router/router.tsx';

/** Everything: the list of all paths. */
export const ALL = '*';

/** What the address holds besides the path. Filters are texts, as their fields are. */
const parameters = {
  key: textParameter(),
  /** The path whose list is shown, where it is not that of the entry. */
  under: textParameter(),
  branch: textParameter('main'),
  sort: textParameter('recent'),
  status: textParameter(),
  type: textParameter(),
  agent: textParameter(),
  min: textParameter(),
  max: textParameter(),
  since: textParameter(),
  until: textParameter(),
  from: textParameter(),
  here: flagParameter(),
  /** On a small screen: the tree instead of the list. */
  paths: flagParameter(),
  part: textParameter('confidence'),
  step: textParameter(),
  old: textParameter(),
  new: textParameter(),
  raw: flagParameter(),
  do: textParameter(),
};

export const FILTERS = ['status', 'type', 'agent', 'min', 'max', 'since', 'until', 'from', 'here'] as const;
const OF_ENTRY = ['key', 'under', 'part', 'step', 'old', 'new', 'raw', 'do', 'paths'] as const;

export type ShownAddress = { entity_path: string; key: string; branch: string };

/** The state of the page, all of it from the address. */
export function useMemoryAddress(rest: string) {
  const [values, set] = useSearch(parameters);
  const { search } = useAddress();
  const { key, under, branch } = values;
  const listPath = under === ALL ? '' : under === '' ? rest : under;
  return useMemo(() => {
    const without = (names: readonly string[]): SearchValues =>
      Object.fromEntries(Object.entries(search).filter(([name]) => !names.includes(name)));
    return {
      ...values,
      set,
      listPath,
      entry: key === '' ? undefined : { entity_path: rest, key, branch },
      /** Another path, with the same filters. */
      toPath: (path: string) => hrefOf('memory', path, without(OF_ENTRY)),
      toEntry: (path: string, name: string, more: SearchValues = {}) =>
        hrefOf('memory', path, {
          ...without(OF_ENTRY),
          key: name,
          under: path === listPath ? undefined : listPath === '' ? ALL : listPath,
          ...more,
        }),
      /** Back to the list. */
      toList: () => hrefOf('memory', listPath, without(OF_ENTRY)),
      toNew: () => hrefOf('memory', listPath, { ...without(OF_ENTRY), do: 'new' }),
      toBranch: (name: string) => hrefOf('memory', rest, { ...search, branch: name === 'main' ? undefined : name }),
      /** A part of the entry that is shown. */
      toPart: (part: string) => hrefOf('memory', rest, { ...search, part }),
    };
  }, [values, set, search, listPath, key, branch, rest]);
}

export type MemoryAddress = ReturnType<typeof useMemoryAddress>;

/** The branch as a call has it: `main` is left out. */
export const onBranch = (branch: string): { branch?: string } => (branch === 'main' ? {} : { branch });

/** The room that a path is in; of those, there is neither a story of confidence nor who read, what it led to and edges. */
export const roomOf = (entityPath: string): string | undefined => /^@([^/]+)/.exec(entityPath)?.[1];
