import type { ComponentType } from 'react';
import type { Probe } from './data/installed.ts';
import { pageTitles } from './texts/pages.ts';
import type { IconName } from './ui/icons.tsx';

export type PageProps = { /** What follows the page in the address, decoded: a path, an id. */ rest: string };

export type PageGroup = 'main' | 'review' | 'sources' | 'admin';

/** A page: where it is found, and what loads it. */
export type DashboardPage = {
  /** The first segment of its address: `#/memory/…`. */
  id: string;
  title: string;
  group: PageGroup;
  icon: IconName;
  /** `g` and then this letter goes there. */
  letter?: string;
  /** It appears only where this call is answered: its module is installed and the key may ask. */
  needs?: Probe;
  /** Also in the bar at the bottom of a phone, which has room for four. */
  onPhone?: true;
  load: () => Promise<ComponentType<PageProps>>;
};

/** All pages, in the order of the navigation. The first is where an address without a page leads. */
export const pages: readonly [DashboardPage, ...DashboardPage[]] = [
  {
    id: 'overview',
    title: pageTitles.overview,
    group: 'main',
    icon: 'overview',
    letter: 'o',
    onPhone: true,
    load: async () => (await import('./pages/overview/overview-page.tsx')).OverviewPage,
  },
  {
    id: 'memory',
    title: pageTitles.memory,
    group: 'main',
    icon: 'memory',
    letter: 'm',
    onPhone: true,
    load: async () => (await import('./pages/memory/memory-page.tsx')).MemoryPage,
  },
  {
    id: 'search',
    title: pageTitles.search,
    group: 'main',
    icon: 'search',
    letter: 's',
    onPhone: true,
    load: async () => (await import('./pages/search/search-page.tsx')).SearchPage,
  },
];
