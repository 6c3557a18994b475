import { useMemo } from 'react';
import { type Probe, useInstalled } from '../data/installed.ts';
import { type DashboardPage, pages } from '../pages.ts';

const probes: readonly Probe[] = pages.flatMap(({ needs }) => needs ?? []);

/** The pages that have something to show here, for this key. */
export function useShownPages(): readonly DashboardPage[] {
  const installed = useInstalled(probes);
  const answers = probes.map(({ name }) => installed.get(name)).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map is new each time, its answers are not.
  return useMemo(() => pages.filter(({ needs }) => !needs || installed.get(needs.name) === true), [answers]);
}
