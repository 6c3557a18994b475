import { useEffect, useMemo, useState } from 'react';
import { type Probe, useInstalled } from '../data/installed.ts';
import { keyMark } from '../data/key-store.ts';
import { type DashboardPage, pages } from '../pages.ts';

const needsOf = ({ needs = [] }: DashboardPage): readonly Probe[] => [needs].flat();
/** Each once, however many pages need it. */
const probes: readonly Probe[] = [...new Map(pages.flatMap(needsOf).map((probe) => [probe.name, probe])).values()];

const SETTING = 'mem.pages';

/** What answered in this tab before, with the same key: the navigation begins with it, so that nothing moves once all is known. */
function readKnown(): ReadonlySet<string> {
  try {
    const { mark, names } = JSON.parse(sessionStorage.getItem(SETTING) ?? '{}') as { mark?: string; names?: string[] };
    return new Set(mark === keyMark() ? names : []);
  } catch {
    return new Set();
  }
}

function saveKnown(names: readonly string[]): void {
  try {
    sessionStorage.setItem(SETTING, JSON.stringify({ mark: keyMark(), names }));
  } catch {
    // Storage may be blocked; then the navigation grows as it did at first.
  }
}

/** The pages that have something to show here, for this key. */
export function useShownPages(): readonly DashboardPage[] {
  const installed = useInstalled(probes);
  const [known] = useState(readKnown);
  const answers = probes.map(({ name }) => installed.get(name)).join();
  useEffect(() => {
    const all = answers.split(',');
    if (!all.includes('')) saveKnown(probes.flatMap(({ name }, i) => (all[i] === 'true' ? [name] : [])));
  }, [answers]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map is new each time, its answers are not.
  return useMemo(
    () => pages.filter((page) => needsOf(page).every(({ name }) => installed.get(name) ?? known.has(name))),
    [answers, known],
  );
}
