import type { ComponentType } from 'react';
import type { Probe } from './data/installed.ts';
import { ADMIN_KEY, PATTERNS, SEGMENTS, TEAMS, WHOLE_ACCOUNT } from './page-probes.ts';
import { INVESTIGATIONS } from './pages/evaluation/may-ask.ts';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import { prepareOverview } from './pages/overview/prepare.ts';
import { REVIEWS } from './pages/overview/questions.ts';
import type { PageAddress } from './router/address.ts';
import { pageTitles } from './texts/pages.ts';
import type { IconName } from './ui/icons.tsx';

export type PageProps = { /** What follows the page in the address, decoded: a path, an id. */ rest: string };

export type PageGroup = 'main' | 'review' | 'evaluation' | 'sources' | 'admin';

/** A page: where it is found, and what loads it. */
export type DashboardPage = {
  /** The beginning of its address: `memory` for `#/memory/…`, `admin/keys` for `#/admin/keys/…`. */
  id: string;
  title: string;
  group: PageGroup;
  icon: IconName;
  /** `g` and then this letter goes there. */
  letter?: string;
  /** It appears only where these calls are answered: its module is installed and the key may ask. */
  needs?: Probe | readonly Probe[];
  /** Also in the bar at the bottom of a phone, which has room for four. */
  onPhone?: true;
  /** The first page comes with the app, the others when they are opened. */
  load: () => Promise<ComponentType<PageProps>>;
  /** Asks what it shows first, where it is the page that the app begins with. */
  prepare?: (address: PageAddress) => Promise<void>;
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
    load: async () => OverviewPage,
    prepare: prepareOverview,
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
  {
    id: 'timeline',
    title: pageTitles.timeline,
    group: 'main',
    icon: 'timeline',
    letter: 't',
    load: async () => (await import('./pages/timeline/timeline-page.tsx')).TimelinePage,
  },
  {
    id: 'traces',
    title: pageTitles.traces,
    group: 'main',
    icon: 'traces',
    letter: 'r',
    needs: { name: 'traces.list', input: { limit: 1 } },
    onPhone: true,
    load: async () => (await import('./pages/traces/traces-page.tsx')).TracesPage,
  },
  {
    id: 'agents',
    title: pageTitles.agents,
    group: 'main',
    icon: 'agents',
    letter: 'a',
    load: async () => (await import('./pages/agents/agents-page.tsx')).AgentsPage,
  },
  {
    id: 'rooms',
    title: pageTitles.rooms,
    group: 'main',
    icon: 'speech',
    letter: 'w',
    needs: { name: 'rooms.list', input: { limit: 1 } },
    load: async () => (await import('./pages/rooms/rooms-page.tsx')).RoomsPage,
  },
  {
    id: 'admin/keys',
    title: pageTitles.keys,
    group: 'admin',
    icon: 'key',
    needs: ADMIN_KEY,
    load: async () => (await import('./pages/admin/keys-page.tsx')).KeysPage,
  },
  {
    id: 'admin/audit',
    title: pageTitles.audit,
    group: 'admin',
    icon: 'list',
    needs: WHOLE_ACCOUNT,
    load: async () => (await import('./pages/admin/audit-page.tsx')).AuditPage,
  },
  {
    id: 'admin/usage',
    title: pageTitles.usage,
    group: 'admin',
    icon: 'gauge',
    needs: WHOLE_ACCOUNT,
    load: async () => (await import('./pages/admin/usage-page.tsx')).UsagePage,
  },
  {
    id: 'admin/retention',
    title: pageTitles.retention,
    group: 'admin',
    icon: 'clock',
    needs: WHOLE_ACCOUNT,
    load: async () => (await import('./pages/admin/retention-page.tsx')).RetentionPage,
  },
  {
    id: 'admin/transfer',
    title: pageTitles.transfer,
    group: 'admin',
    icon: 'export',
    needs: WHOLE_ACCOUNT,
    load: async () => (await import('./pages/admin/transfer-page.tsx')).TransferPage,
  },
  {
    id: 'admin/teams',
    title: pageTitles.teams,
    group: 'admin',
    icon: 'team',
    needs: TEAMS,
    load: async () => (await import('./pages/admin/teams-page.tsx')).TeamsPage,
  },
  {
    id: 'admin/health',
    title: pageTitles.health,
    group: 'admin',
    icon: 'shield',
    needs: WHOLE_ACCOUNT,
    load: async () => (await import('./pages/admin/health-page.tsx')).HealthPage,
  },
  {
    id: 'branches',
    title: pageTitles.branches,
    group: 'review',
    icon: 'branch',
    letter: 'b',
    needs: { name: 'branches.list', input: { limit: 1 } },
    load: async () => (await import('./pages/branches/branches-page.tsx')).BranchesPage,
  },
  {
    id: 'pulls',
    title: pageTitles.pulls,
    group: 'review',
    icon: 'pull-request',
    letter: 'p',
    needs: { name: 'pull_requests.list', input: REVIEWS },
    load: async () => (await import('./pages/pulls/pulls-page.tsx')).PullsPage,
  },
  {
    id: 'briefing',
    title: pageTitles.briefing,
    group: 'review',
    icon: 'document',
    letter: 'i',
    needs: { name: 'briefing.read', input: { entity_path: 'a', limit: 1, compact: true } },
    load: async () => (await import('./pages/briefing/briefing-page.tsx')).BriefingPage,
  },
  {
    id: 'judges',
    title: pageTitles.judges,
    group: 'evaluation',
    icon: 'scales',
    letter: 'j',
    needs: { name: 'judges.list', input: { limit: 1 } },
    load: async () => (await import('./pages/evaluation/judges-page.tsx')).JudgesPage,
  },
  {
    id: 'verdicts',
    title: pageTitles.verdicts,
    group: 'evaluation',
    icon: 'check',
    letter: 'v',
    needs: { name: 'verdicts.list', input: { limit: 1 } },
    load: async () => (await import('./pages/evaluation/verdicts-page.tsx')).VerdictsPage,
  },
  {
    id: 'incidents',
    title: pageTitles.incidents,
    group: 'evaluation',
    icon: 'alarm',
    letter: 'n',
    needs: { name: 'incidents.list', input: { limit: 1 } },
    load: async () => (await import('./pages/evaluation/incidents-page.tsx')).IncidentsPage,
  },
  {
    id: 'alerts',
    title: pageTitles.alerts,
    group: 'evaluation',
    icon: 'bell',
    letter: 'l',
    needs: { name: 'alerts.list', input: { limit: 1 } },
    load: async () => (await import('./pages/evaluation/alerts-page.tsx')).AlertsPage,
  },
  {
    id: 'failures',
    title: pageTitles.failures,
    group: 'evaluation',
    icon: 'pieces',
    letter: 'u',
    needs: SEGMENTS,
    load: async () => (await import('./pages/evaluation/failures-page.tsx')).FailuresPage,
  },
  {
    id: 'investigation',
    title: pageTitles.investigation,
    group: 'evaluation',
    icon: 'inspect',
    letter: 'q',
    needs: INVESTIGATIONS,
    load: async () => (await import('./pages/evaluation/investigation-page.tsx')).InvestigationPage,
  },
  {
    id: 'behaviors',
    title: pageTitles.behaviors,
    group: 'evaluation',
    icon: 'repeat',
    letter: 'h',
    needs: { name: 'behaviors.list', input: { limit: 1 } },
    load: async () => (await import('./pages/evaluation/behaviors-page.tsx')).BehaviorsPage,
  },
  {
    id: 'cases',
    title: pageTitles.cases,
    group: 'evaluation',
    icon: 'flask',
    letter: 'k',
    needs: { name: 'cases.list', input: { limit: 1 } },
    load: async () => (await import('./pages/evaluation/cases-page.tsx')).CasesPage,
  },
  {
    id: 'fixes',
    title: pageTitles.fixes,
    group: 'evaluation',
    icon: 'wrench',
    letter: 'x',
    needs: { name: 'fixes.list', input: { limit: 1 } },
    load: async () => (await import('./pages/evaluation/fixes-page.tsx')).FixesPage,
  },
  {
    id: 'patterns',
    title: pageTitles.patterns,
    group: 'evaluation',
    icon: 'pattern',
    letter: 'd',
    needs: PATTERNS,
    load: async () => (await import('./pages/evaluation/patterns-page.tsx')).PatternsPage,
  },
  {
    id: 'backfills',
    title: pageTitles.backfills,
    group: 'evaluation',
    icon: 'past',
    letter: 'f',
    needs: { name: 'backfills.list', input: { limit: 1 } },
    load: async () => (await import('./pages/evaluation/backfills-page.tsx')).BackfillsPage,
  },
  {
    id: 'connectors',
    title: pageTitles.connectors,
    group: 'sources',
    icon: 'plug',
    letter: 'c',
    needs: { name: 'connectors.list', input: {} },
    load: async () => (await import('./pages/connectors/connectors-page.tsx')).ConnectorsPage,
  },
];
