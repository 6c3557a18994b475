import { useInstalled } from '../../data/installed.ts';
import { useOperation } from '../../data/query.ts';
import { useRefreshOnEvents } from '../../data/use-refresh.ts';
import { number } from '../../texts/format.ts';
import { isTraceOf, type TraceFilters } from './trace-rows.ts';

const SEARCH = { name: 'traces.search', input: { limit: 1 } } as const;
const FACETS = ['agent_id', 'outcome_type'] as const;

/** Filters that mean the same in the list and in the search. */
type CountedFilters = Omit<TraceFilters, 'query' | 'has_error' | 'outcome_ref' | 'session_id'>;

/** Words and errors are looked for in more of a trace by the search than by the list; results and sessions it does not filter by. */
function countedOf(filters: TraceFilters): CountedFilters | undefined {
  const { query, has_error, outcome_ref, session_id, ...counted } = filters;
  return [query, has_error, outcome_ref, session_id].every((value) => value === undefined) ? counted : undefined;
}

/**
 * How many of the listed traces have a value, where the search in traces is installed and has the same filters. It counts the
 * newest 1,000: where there are more, a number has a `+`.
 */
export function useFacets(filters: TraceFilters) {
  const counted = countedOf(filters);
  const isInstalled = useInstalled([SEARCH]).get(SEARCH.name) === true;
  const input = { ...counted, facets: [...FACETS], limit: 1 };
  const enabled = isInstalled && counted !== undefined;
  const { data } = useOperation('traces.search', input, { enabled, isLater: true, keepPrevious: false });
  useRefreshOnEvents(['traces.search'], (event) => enabled && isTraceOf(event, filters));
  return (name: (typeof FACETS)[number], value: string): string | undefined => {
    const facet = enabled ? data?.facets.find((one) => one.name === name) : undefined;
    if (!data || !facet) return undefined;
    const count = facet.values.find((one) => one.value === value)?.count;
    if (count !== undefined) return `${number(count)}${data.complete ? '' : '+'}`;
    // It may be among older traces, or among the rarest values, which are not named.
    return data.complete && facet.other_values === 0 ? number(0) : undefined;
  };
}
