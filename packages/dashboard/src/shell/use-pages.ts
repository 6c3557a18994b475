import { useMemo } from 'react';
import { type Probe, useInstalled } from '../data/installed.ts';
import { type DashboardPage, pages } from '../pages.ts';

const needsOf = ({ needs = [] }: DashboardPage): readonly Probe[] => [needs].flat();
/** Each once, however many pages need it. */
const probes: readonly Probe[] = [...new Map(pages.flatMap(needsOf).map((probe) => [probe.name, probe])).values()];

/** The pages that have something to show here, for this key. */
export function useShownPages(): readonly DashboardPage[] {
  const installed = useInstalled(probes);
  const answers = probes.map(({ name }) => installed.get(name)).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map is new each time, its answers are not.
  return useMemo(
    () => pages.filter((page) => needsOf(page).every(({ name }) => installed.get(name) === true)),
    [answers],
  );
}
