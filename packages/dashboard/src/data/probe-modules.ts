/** The operations that are probes, and the modules they are in. A test compares them with the contract, which the browser does not load. */
export const PROBE_MODULES = {
  'me.read': 'usage',
  'transfer.status': 'transfer',
  'traces.list': 'traces',
  'traces.search': 'trace-navigation',
  'branches.list': 'branches',
  'tags.list': 'tags',
  'merges.list': 'merges',
  'quarantine.list': 'quarantine',
  'pull_requests.list': 'pull-requests',
  'briefing.read': 'briefing',
  'judges.list': 'judges',
  'budgets.read': 'budgets',
  'verdicts.list': 'verdicts',
  'backfills.list': 'backfills',
  'incidents.list': 'incidents',
  'alerts.list': 'alerts',
  'dimensions.list': 'segments',
  'segments.list': 'segments',
  'behaviors.list': 'behaviors',
  'cases.list': 'cases',
  'fixes.list': 'fixes',
  'rooms.list': 'rooms',
  'connectors.list': 'ingestion',
} as const;

export type ProbeName = keyof typeof PROBE_MODULES;
