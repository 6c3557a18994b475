import { createContext, useCallback, useContext, useMemo, useSyncExternalStore } from 'react';
import { hrefOf, type PageAddress, parseHash, type SearchValues } from './address.ts';

const listeners = new Set<() => void>();
const notify = () => {
  for (const listener of listeners) listener();
};

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('hashchange', notify);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener('hashchange', notify);
  };
}

/** Goes to an address. `replace` leaves no step back behind. */
export function navigate(href: string, { replace = false }: { replace?: boolean } = {}): void {
  if (href === location.hash) return;
  if (replace) history.replaceState(history.state, '', href);
  else history.pushState(null, '', href);
  notify();
}

const readHash = () => location.hash;

/** Where the browser is. Pages use `useAddress`, which stays at their own address while the next page is loaded. */
export function useBrowserAddress(): PageAddress {
  const hash = useSyncExternalStore(subscribe, readHash);
  return useMemo(() => parseHash(hash), [hash]);
}

export const AddressContext = createContext<PageAddress>({ page: '', rest: '', search: {} });
export const useAddress = (): PageAddress => useContext(AddressContext);

/** A search parameter: how it is read from the address. Values that equal the default are left out of it. */
export type Parameter<T extends string | number | boolean> = { fallback: T; parse: (text: string) => T | undefined };

export const textParameter = (fallback = ''): Parameter<string> => ({ fallback, parse: (text) => text });
export const flagParameter = (): Parameter<boolean> => ({ fallback: false, parse: (text) => text === 'true' });
export const numberParameter = (fallback: number): Parameter<number> => ({
  fallback,
  parse: (text) => (text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined),
});
export const choiceParameter = <T extends string>(fallback: T, choices: readonly T[]): Parameter<T> => ({
  fallback,
  parse: (text) => choices.find((choice) => choice === text),
});

// biome-ignore lint/suspicious/noExplicitAny: a parameter of any type; its own type is inferred again below.
type Parameters = Readonly<Record<string, Parameter<any>>>;
type Values<P extends Parameters> = { [K in keyof P]: P[K] extends Parameter<infer T> ? T : never };
type SetSearch<P extends Parameters> = (change: Partial<Values<P>>, options?: { replace?: boolean }) => void;

/**
 * State that lives in the address: `const [{ range }, set] = useSearch(parameters)`. The parameters are declared once,
 * outside of the component. Parameters of others are kept.
 */
export function useSearch<P extends Parameters>(parameters: P): [Values<P>, SetSearch<P>] {
  const { page, rest, search } = useAddress();
  const values = useMemo(() => {
    const read = ([name, { fallback, parse }]: [string, Parameters[string]]) => {
      const text = search[name];
      return [name, text === undefined ? fallback : (parse(text) ?? fallback)];
    };
    return Object.fromEntries(Object.entries(parameters).map(read)) as Values<P>;
  }, [parameters, search]);
  const set = useCallback<SetSearch<P>>(
    (change, options = { replace: true }) => {
      const next: Record<string, SearchValues[string]> = { ...parseHash(location.hash).search };
      for (const [name, value] of Object.entries(change))
        next[name] = value === parameters[name]?.fallback ? undefined : (value as SearchValues[string]);
      navigate(hrefOf(page, rest, next), options);
    },
    [page, rest, parameters],
  );
  return [values, set];
}
