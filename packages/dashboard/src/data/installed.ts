import { useQueries } from '@tanstack/react-query';
import { readAnswerable } from './answerable.ts';
import { isMemError, type OperationName, type Output, type Request } from './client.ts';
import { useIsDue } from './first-paint.ts';
import { idle } from './idle.ts';
import { PROBE_MODULES, type ProbeName } from './probe-modules.ts';
import { queryClient, questionOf } from './query.ts';

/**
 * A cheap call that shows whether a page has something to show here: its module is installed and the key may ask. Calls that
 * leave a line in the audit trail are no probes: nobody has looked yet.
 */
export type Probe = {
  [N in ProbeName]: {
    name: N;
    input: Request<N> /** Whether the answer speaks for it; any does by default. */;
    accepts?: (output: Output<N>) => boolean;
    /** A module that must be installed besides, where its own calls are no probes. */
    besides?: string;
  };
}[ProbeName];

const REFUSALS = new Set(['module_not_installed', 'forbidden', 'route_not_found', 'method_not_allowed']);

/** What is known without asking: a call is metered, and counted as one of the account. */
async function isKnown({ name, accepts, besides }: Probe): Promise<boolean | undefined> {
  if (accepts) return undefined;
  const { modules, asksEverything } = await readAnswerable();
  const needed = [PROBE_MODULES[name], ...(besides === undefined ? [] : [besides])];
  if (modules && needed.some((module) => !modules.has(module))) return false;
  return modules && asksEverything ? true : undefined;
}

async function answers(probe: Probe): Promise<boolean> {
  const known = await isKnown(probe);
  if (known !== undefined) return known;
  const { name, input, accepts } = probe;
  try {
    const output = await queryClient.fetchQuery(questionOf(name, input as never));
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
  const enabled = useIsDue(true);
  const results = useQueries({
    queries: probes.map((probe) => ({
      queryKey: keyOf(probe),
      queryFn: () => idle().then(() => answers(probe)),
      enabled,
      staleTime: 5 * 60_000,
    })),
  });
  return new Map(probes.map(({ name }, i) => [name, results[i]?.data]));
}
