import { useQueries } from '@tanstack/react-query';
import { client, isMemError, type OperationName, type Output, type Request } from './client.ts';

/**
 * A cheap call that shows whether a page has something to show here: its module is installed and the key may ask. Calls that
 * leave a line in the audit trail are no probes: nobody has looked yet.
 */
export type Probe = {
  [N in OperationName]: {
    name: N;
    input: Request<N> /** Whether the answer speaks for it; any does by default. */;
    accepts?: (output: Output<N>) => boolean;
  };
}[OperationName];

const REFUSALS = new Set(['module_not_installed', 'forbidden', 'route_not_found', 'method_not_allowed']);

async function answers({ name, input, accepts }: Probe, signal: AbortSignal): Promise<boolean> {
  try {
    const output = await client().call(name, input as never, { signal });
    return accepts?.(output as never) ?? true;
  } catch (error) {
    if (isMemError(error) && (REFUSALS.has(error.code) || error.status === 403)) return false;
    // Another failure says nothing about the module; the page itself will show it.
    if (isMemError(error) && error.status !== 0 && error.status !== 401) return true;
    throw error;
  }
}

const keyOf = (probe: Probe) => ['installed', probe.name];

/** Which of these answer: undefined while that is not known. */
export function useInstalled(probes: readonly Probe[]): ReadonlyMap<OperationName, boolean | undefined> {
  const results = useQueries({
    queries: probes.map((probe) => ({
      queryKey: keyOf(probe),
      queryFn: ({ signal }: { signal: AbortSignal }) => answers(probe, signal),
      staleTime: 5 * 60_000,
    })),
  });
  return new Map(probes.map(({ name }, i) => [name, results[i]?.data]));
}
